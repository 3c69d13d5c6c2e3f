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
    looksAnew: () => true,
    defaults,
    async run({ client, inputs, msg, call, send }) {
      const name = await inputs.text('targetName');
      if (name.trim() === '') throw inputs.invalid('invalid_input_no_name', 'targetName', name);
      const isPath = name.startsWith('/');
      if (!isPath && name.includes('/'))
        throw inputs.invalid('invalid_input_folder_name', 'targetName', name);
      const since = client.paths.moment();
      const parentId = await inputs.folder('folder');
      const fields = RESULT_FIELDS;
      const { folder, created } = isPath
        ? await client.paths.newFolder({ path: name, from: parentId, fields, since }, call)
        : await client.folderNamed({ name, parentId, fields }, call);
      msg.payload = folder;
      msg['created'] = created;
      msg['skipped'] = !created;
      send(msg);
    },
  });
