/**
 * search-files: finds files by name and other properties.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import type { NodeAPI } from 'node-red';
import { registerRoutes } from '../shared/admin/routes';
import { flowNode } from '../shared/runtime/flow-node';
import { sendFileList } from '../shared/runtime/list-output';
import { DEFAULTS, type SearchFilesConfig } from './search-files.defaults';
import { readSearch } from './search-request';
import { searchTestRoute } from './search-test';

const TYPE = 'cloud-drive-search-files';

export default (RED: NodeAPI): void => {
  registerRoutes(RED, TYPE, [searchTestRoute(RED)]);
  flowNode<SearchFilesConfig>(RED, {
    type: TYPE,
    defaults: DEFAULTS,
    async run(context) {
      const { request, settings } = await readSearch(context);
      const what = request.kind === 'any' ? 'items' : request.kind;
      return sendFileList(context, context.client.search(request, context.call), { ...settings, what });
    },
  });
};
