/**
 * list folders: the folders inside a folder.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { LIST_DEFAULTS, readListSettings, sendFileList } from '../shared/runtime/list-output';
import type { ListFoldersConfig } from './list-folders.types';

export default (RED: NodeAPI): void =>
  flowNode<ListFoldersConfig>(RED, {
    type: 'cloud-drive-list-folders',
    defaults: { folder: 'payload', folderType: 'msg', ...LIST_DEFAULTS },
    async run(work) {
      const { client, inputs, call } = work;
      const settings = readListSettings(work);
      const folderId = (await inputs.folder('folder')) || client.rootId;
      const { fields, orderBy } = settings;
      const wanted = { folderId, text: '', kind: 'folders', includeTrashed: false, fields, orderBy } as const;
      await sendFileList(work, client.search(wanted, call), settings);
    },
  });
