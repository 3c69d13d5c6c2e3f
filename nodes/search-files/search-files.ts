/**
 * search files: the files inside a folder whose name matches.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { sendListing } from '../shared/runtime/listing';
import { SEARCH_DEFAULTS, searchOf } from '../shared/runtime/search-settings';
import type { SearchFilesConfig } from '../shared/runtime/search-files-config';

export default (RED: NodeAPI): void =>
  flowNode<SearchFilesConfig>(RED, {
    type: 'cloud-drive-search-files',
    defaults: SEARCH_DEFAULTS,
    async run(work) {
      const { wanted, settings } = await searchOf(work);
      await sendListing(work, work.client.search(wanted, work.call), settings);
    },
  });
