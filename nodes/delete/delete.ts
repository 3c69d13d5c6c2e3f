/**
 * delete: deletes files for ever, or moves them to the trash.
 * https://developers.google.com/workspace/drive/api/guides/delete
 */
import type { NodeAPI } from 'node-red';
import { DriveError, isDriveError } from '../../src/index';
import { flowNode } from '../shared/runtime/flow-node';
import type { RunContext } from '../shared/runtime/run-context';
import type { DeleteConfig, DeleteResult } from './delete.types';

interface Target {
  idOrPath: string;
  /** Known where the input was a file object that carries it. */
  mimeType: string | undefined;
}

export default (RED: NodeAPI): void =>
  flowNode<DeleteConfig>(RED, {
    type: 'cloud-drive-delete',
    bypassCache: () => true,
    defaults: { file: 'payload', fileType: 'msg', mode: 'permanent', allowFolders: false, missing: 'error' },
    async run(work) {
      const { inputs, msg } = work;
      inputs.oneOf('mode', ['permanent', 'trash']);
      inputs.oneOf('missing', ['error', 'ignore']);
      const value = await inputs.value('file');
      if (Array.isArray(value) && value.length > 0) {
        await deleteAll(
          work,
          value.map((each: unknown, index) => targetAt(work, each, index)),
        );
      } else {
        msg.payload = await deleteOne(work, target(work, value));
      }
      work.send(msg);
    },
  });

function target({ client, inputs }: RunContext<DeleteConfig>, value: unknown): Target {
  const id = inputs.idOrPath('file', 'file', value);
  if (id === client.rootId || id === 'root') throw inputs.invalid('invalid_input_root', 'file', value);
  // `DELETE files/trash` is no file's: it empties the trash.
  if (id === 'trash') throw inputs.invalid('invalid_input_file_shape', 'file', value);
  const only: unknown = Array.isArray(value) ? value[0] : value;
  const mimeType =
    typeof only === 'object' && only !== null && 'mimeType' in only ? only.mimeType : undefined;
  return { idOrPath: id, mimeType: typeof mimeType === 'string' && mimeType ? mimeType : undefined };
}

/** Before anything is deleted; the error names the place in the array. */
function targetAt(work: RunContext<DeleteConfig>, value: unknown, index: number): Target {
  try {
    return target(work, value);
  } catch (error) {
    if (!isDriveError(error)) throw error;
    const { code, text, params } = error;
    throw new DriveError(code, { text, params: { ...params, source: `${params['source']}[${index}]` } });
  }
}

/** One after the other, in their order; what fails is told in the results and does not end the rest. */
async function deleteAll(work: RunContext<DeleteConfig>, targets: Target[]): Promise<void> {
  const results: DeleteResult[] = [];
  for (const each of targets) {
    work.showCount(results.length, targets.length);
    try {
      results.push(await deleteOne(work, each));
    } catch (error) {
      if (isDriveError(error, 'cancelled')) throw error;
      results.push({ id: each.idOrPath, result: 'failed', error: work.errorSummary(error) });
    }
  }
  work.msg.payload = results;
  const failed = results.filter(({ result }) => result === 'failed').length;
  if (failed > 0) throw new DriveError('partial_failure', { params: { failed, count: results.length } });
}

async function deleteOne(work: RunContext<DeleteConfig>, file: Target): Promise<DeleteResult> {
  const { client, config, inputs, call } = work;
  let id = file.idOrPath;
  try {
    id = await inputs.resolveId(id, 'file');
    await guard(work, id, file.mimeType);
    if (config.mode === 'trash') await client.trash(id, call);
    else await client.delete(id, call);
    return { id, result: config.mode === 'trash' ? 'trashed' : 'deleted' };
  } catch (error) {
    if (config.missing === 'ignore' && isDriveError(error, 'not_found')) return { id, result: 'missing' };
    throw error;
  }
}

/** Refuses the root always, a folder unless it is allowed. */
async function guard(
  { client, config, inputs, call }: RunContext<DeleteConfig>,
  id: string,
  mimeType: string | undefined,
): Promise<void> {
  // By a path it may have come this far.
  if (id === client.rootId) throw inputs.invalid('invalid_input_root', 'file', id);
  let file: { id: string; mimeType?: string } | undefined =
    mimeType === undefined ? undefined : { id, mimeType };
  if (!config.allowFolders) file ??= await client.getMetadata(id, 'id,mimeType', call);
  if (file && !client.isFolder(file)) return;
  if (file && !config.allowFolders) throw inputs.invalid('invalid_input_folder_refused', 'file', id);
  if (config.allowFolders && (await client.isRoot(id, call)))
    throw inputs.invalid('invalid_input_root', 'file', id);
}
