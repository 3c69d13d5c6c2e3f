/**
 * list-folders: the folders in a folder.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { readListSettings, sendFileList } from '../shared/runtime/list-output';
import { DEFAULTS, type ListFoldersConfig } from './list-folders.defaults';

export default (RED: NodeAPI): void =>
  flowNode<ListFoldersConfig>(RED, {
    type: 'cloud-drive-list-folders',
    defaults: DEFAULTS,
    async run(context) {
      const { client, inputs, call } = context;
      const settings = readListSettings(context);
      const folderId = (await inputs.folder('folder')) || client.rootId;
      const { fields, orderBy } = settings;
      const request = {
        folderId,
        text: '',
        kind: 'folders',
        includeTrashed: false,
        fields,
        orderBy,
      } as const;
      return sendFileList(context, client.search(request, call), { ...settings, what: 'folders' });
    },
  });
