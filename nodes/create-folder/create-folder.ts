/**
 * create-folder: creates a folder by name, or all folders of a path, unless they exist.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import type { NodeAPI } from 'node-red';
import { checkLevels, splitPath } from '../../src/index';
import { flowNode } from '../shared/runtime/flow-node';
import { isPath } from '../shared/runtime/id-or-path';
import { RESULT_FIELDS } from '../shared/contract/defaults';
import { type CreateFolderConfig, DEFAULTS } from './create-folder.defaults';

export default (RED: NodeAPI): void =>
  flowNode<CreateFolderConfig>(RED, {
    type: 'cloud-drive-create-folder',
    bypassCache: () => true,
    defaults: DEFAULTS,
    async run({ client, inputs, msg, call, send, results }) {
      const name = await inputs.text('targetName');
      if (name.trim() === '') throw inputs.invalid('invalid_input_no_name', 'targetName', name);
      if (!isPath(name) && name.includes('/'))
        throw inputs.invalid('invalid_input_folder_name', 'targetName', name);
      const cacheEpoch = client.paths.cacheEpoch();
      const base = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
      if (isPath(base)) checkLevels(splitPath(`${base}/${name}`).length);
      const folderId = await inputs.resolveId(base, 'folder');
      const fields = RESULT_FIELDS;
      const { folder, created } = isPath(name)
        ? await client.paths.createFolder({ path: name, baseFolderId: folderId, fields, cacheEpoch }, call)
        : await client.createFolder({ name, folderId, fields }, call);
      msg.payload = folder;
      msg['created'] = created;
      msg['skipped'] = !created;
      send(msg);
      return { text: results.file(folder, created ? 'created' : 'exists') };
    },
  });
