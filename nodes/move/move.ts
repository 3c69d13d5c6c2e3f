/**
 * move: puts a file or folder into another folder, gives it another name, copies it, or takes it out of the trash.
 * https://developers.google.com/workspace/drive/api/guides/folder#move-files
 */
import type { NodeAPI } from 'node-red';
import { isPath } from '../shared/runtime/id-or-path';
import { flowNode } from '../shared/runtime/flow-node';
import { RESULT_FIELDS } from '../shared/runtime/result-fields';
import type { RunContext } from '../shared/runtime/run-context';
import type { MoveConfig } from './move.types';

const defaults: MoveConfig = {
  file: 'payload',
  fileType: 'msg',
  folder: '',
  folderType: 'str',
  targetName: '',
  targetNameType: 'str',
  action: 'move',
  createFolders: false,
  ifExists: 'duplicate',
};

export default (RED: NodeAPI): void =>
  flowNode<MoveConfig>(RED, {
    type: 'cloud-drive-move',
    bypassCache: () => true,
    defaults,
    async run(work) {
      const { client, config, inputs, msg, call } = work;
      const action = inputs.oneOf('action', ['move', 'copy', 'restore']);
      const ifExists = inputs.oneOf('ifExists', ['duplicate', 'replace', 'skip', 'rename', 'error']);
      const given = inputs.idOrPath('file', 'file', await inputs.value('file'));
      const where = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
      const name = await inputs.text('targetName');
      if (action === 'move' && where === '' && name === '')
        throw inputs.invalid('invalid_input_nowhere', 'folder', where);
      const id = await idOf(work, given);
      if (id === 'root' || id === client.rootId) throw inputs.invalid('invalid_input_root_moved', 'file', id);
      const folderId = await inputs.resolveId(where, 'folder', config.createFolders === true);
      const request = { id, folderId, name, ifExists, fields: RESULT_FIELDS };
      const { file, created, skipped } =
        action === 'copy'
          ? await client.copy(request, call)
          : await client.move({ ...request, restore: action === 'restore' }, call);
      msg.payload = file;
      msg['created'] = created;
      msg['skipped'] = skipped;
      work.send(msg);
    },
  });

/** At a path in the trash is what was there when it was thrown away. */
async function idOf(
  { client, config, inputs, call }: RunContext<MoveConfig>,
  given: string,
): Promise<string> {
  if (config.action !== 'restore' || !isPath(given)) return inputs.resolveId(given, 'file');
  return (
    await client.paths.resolveFile(given, call, { trashed: true, cacheEpoch: client.paths.cacheEpoch() })
  ).id;
}
