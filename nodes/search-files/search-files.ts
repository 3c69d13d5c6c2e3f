/**
 * search-files: finds files by name and other properties.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { sendFileList } from '../shared/runtime/list-output';
import { readSearch } from '../shared/runtime/search-request';
import { DEFAULTS, type SearchFilesConfig } from './search-files.defaults';

export default (RED: NodeAPI): void =>
  flowNode<SearchFilesConfig>(RED, {
    type: 'cloud-drive-search-files',
    defaults: DEFAULTS,
    async run(context) {
      const { request, settings } = await readSearch(context);
      const what = request.kind === 'any' ? 'items' : request.kind;
      return sendFileList(context, context.client.search(request, context.call), { ...settings, what });
    },
  });
