/**
 * search files: the files inside a folder whose name matches.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { sendFileList } from '../shared/runtime/list-output';
import type { SearchFilesConfig } from '../shared/runtime/search-files-config';
import { SEARCH_DEFAULTS, readSearch } from '../shared/runtime/search-request';

export default (RED: NodeAPI): void =>
  flowNode<SearchFilesConfig>(RED, {
    type: 'cloud-drive-search-files',
    defaults: SEARCH_DEFAULTS,
    async run(work) {
      const { wanted, settings } = await readSearch(work);
      await sendFileList(work, work.client.search(wanted, work.call), settings);
    },
  });
