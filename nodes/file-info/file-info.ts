/**
 * file info: the metadata of a file or folder, which it can change.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import type { Inputs } from '../shared/runtime/inputs';
import { CHANGEABLE_NAMES, changesProblem } from './changes';
import { DEFAULTS, type FileInfoConfig } from './file-info.defaults';

export default (RED: NodeAPI): void =>
  flowNode<FileInfoConfig>(RED, {
    type: 'cloud-drive-file-info',
    bypassCache: ({ changes }) => changes !== '',
    defaults: DEFAULTS,
    async run({ client, inputs, msg, call, send, results }) {
      const source = inputs.idOrPath('file', 'file', await inputs.value('file'));
      const changes = await readChanges(inputs);
      const fields = inputs.fields();
      const id = await inputs.resolveId(source, 'file');
      const file = await client.updateMetadata({ id, changes, fields }, call);
      msg.payload = file;
      send(msg);
      return Object.keys(changes).length > 0 ? { text: results.file(file, 'changed') } : {};
    },
  });

async function readChanges(inputs: Inputs): Promise<Record<string, unknown>> {
  const changes = (await inputs.object('changes')) ?? {};
  const { member, type } = changesProblem(changes) ?? {};
  if (member === undefined) return changes;
  if (type !== undefined)
    throw inputs.invalid('invalid_input_change_type', 'changes', changes, { member, type });
  const params = { member, names: CHANGEABLE_NAMES };
  throw inputs.invalid('invalid_input_change', 'changes', changes, params);
}
