/**
 * move: moves, renames, copies or restores a file or folder, or creates a shortcut to it.
 * https://developers.google.com/workspace/drive/api/guides/folder#move-files
 */
import type { NodeAPI } from 'node-red';
import {
  type CallOptions,
  type CopyRequest,
  type DriveClient,
  type MoveResult,
  requireCapability,
} from '../../src/index';
import { IF_EXISTS, RESULT_FIELDS } from '../shared/contract/defaults';
import { flowNode } from '../shared/runtime/flow-node';
import { isPath } from '../shared/runtime/id-or-path';
import type { RunContext } from '../shared/runtime/run-context';
import { DEFAULTS, type MoveConfig } from './move.defaults';

export default (RED: NodeAPI): void =>
  flowNode<MoveConfig>(RED, {
    type: 'cloud-drive-move',
    bypassCache: () => true,
    defaults: DEFAULTS,
    async run(context) {
      const { client, inputs, msg, call, send, results } = context;
      const action = inputs.oneOf('action', ['move', 'copy', 'restore', 'shortcut']);
      const ifExists = inputs.oneOf('ifExists', IF_EXISTS);
      const createMissing = inputs.flag('createFolders');
      if (action === 'shortcut') requireCapability(client.service, 'shortcuts', 'shortcut');
      const source = inputs.idOrPath('file', 'file', await inputs.value('file'));
      const folder = inputs.idOrPath('folder', 'folder', await inputs.value('folder'));
      const name = await inputs.text('targetName');
      if (action === 'move' && folder === '' && name === '')
        throw inputs.invalid('invalid_input_nowhere', 'folder', folder);
      const id = await resolveSource(context, source);
      if (id === 'root' || id === client.rootId) throw inputs.invalid('invalid_input_root_moved', 'file', id);
      const folderId = await inputs.resolveId(folder, 'folder', createMissing);
      const request = { id, folderId, name, ifExists, fields: RESULT_FIELDS };
      const { file, created, skipped, wasTrashed = true } = await perform(client, action, request, call);
      const isNotInTrash = action === 'restore' && !wasTrashed;
      msg.payload = file;
      msg['created'] = created;
      msg['skipped'] = skipped || (isNotInTrash && folder === '' && name === '');
      send(msg);
      const done = action === 'move' && folder === '' ? 'renamed' : DONE[action];
      return { text: results.file(file, skipped ? 'skipped' : isNotInTrash ? 'not_in_trash' : done) };
    },
  });

type Action = MoveConfig['action'];

function perform(
  client: DriveClient,
  action: Action,
  request: CopyRequest,
  call: CallOptions,
): Promise<MoveResult> {
  if (action === 'copy') return client.copy(request, call);
  if (action === 'shortcut')
    return client.createShortcut({ ...request, fields: `${request.fields},shortcutDetails` }, call);
  return client.move({ ...request, restore: action === 'restore' }, call);
}

const DONE = { move: 'moved', copy: 'copied', restore: 'restored', shortcut: 'created' } as const;

/** For `restore`, a path identifies the trashed file that had this path. */
async function resolveSource(
  { client, config, inputs, call }: RunContext<MoveConfig>,
  source: string,
): Promise<string> {
  if (config.action !== 'restore' || !isPath(source)) return inputs.resolveId(source, 'file');
  const cacheEpoch = client.paths.cacheEpoch();
  return (await client.paths.resolveFile(source, call, { trashed: true, cacheEpoch })).id;
}
