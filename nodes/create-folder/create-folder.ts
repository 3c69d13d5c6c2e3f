/**
 * create folder: a folder of that name in that place, or at a path, made if it isn't there.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { RESULT_FIELDS } from '../shared/runtime/result-fields';
import type { CreateFolderConfig } from './create-folder.types';

const defaults: CreateFolderConfig = {
  folder: '',
  folderType: 'str',
  targetName: 'payload',
  targetNameType: 'msg',
};

export default (RED: NodeAPI): void =>
  flowNode<CreateFolderConfig>(RED, {
    type: 'cloud-drive-create-folder',
    bypassCache: () => true,
    defaults,
    async run({ client, inputs, msg, call, send }) {
      const name = await inputs.text('targetName');
      if (name.trim() === '') throw inputs.invalid('invalid_input_no_name', 'targetName', name);
      const isPath = name.startsWith('/');
      if (!isPath && name.includes('/'))
        throw inputs.invalid('invalid_input_folder_name', 'targetName', name);
      const cacheEpoch = client.paths.cacheEpoch();
      const folderId = await inputs.folder('folder');
      const fields = RESULT_FIELDS;
      const { folder, created } = isPath
        ? await client.paths.createFolder({ path: name, baseFolderId: folderId, fields, cacheEpoch }, call)
        : await client.createFolder({ name, folderId, fields }, call);
      msg.payload = folder;
      msg['created'] = created;
      msg['skipped'] = !created;
      send(msg);
    },
  });
