/**
 * delete: deletes files permanently, moves them to the trash, or empties the trash.
 * https://developers.google.com/workspace/drive/api/guides/delete
 */
import type { NodeAPI } from 'node-red';
import { DriveError, type DriveFile, isDriveError } from '../../src/index';
import { flowNode } from '../shared/runtime/flow-node';
import type { RunContext } from '../shared/runtime/run-context';
import { DEFAULTS, type DeleteConfig } from './delete.defaults';

interface Target {
  idOrPath: string;
  /** Only of a file object that has one. */
  mimeType?: string;
}

interface DeleteResult {
  id: string;
  result: 'deleted' | 'trashed' | 'missing' | 'failed';
  error?: { code: string; message: string };
}

export default (RED: NodeAPI): void =>
  flowNode<DeleteConfig>(RED, {
    type: 'cloud-drive-delete',
    bypassCache: () => true,
    defaults: DEFAULTS,
    async run(context) {
      const { inputs, msg, send, results } = context;
      if (inputs.oneOf('what', ['file', 'trash']) === 'trash') return emptyTrash(context);
      inputs.oneOf('mode', ['permanent', 'trash']);
      inputs.oneOf('missing', ['error', 'ignore']);
      inputs.flag('allowFolders');
      const value = await inputs.value('file');
      if (Array.isArray(value) && value.length > 0) {
        // All items are validated before the first one is deleted.
        // An empty slot is undefined, which `map` would skip.
        const targets = Array.from(value, (item: unknown, index) => parseItem(context, item, index));
        await deleteAll(context, targets);
      } else {
        msg.payload = await deleteOne(context, parseTarget(context, value));
      }
      send(msg);
      return { text: results.count(countRemoved(msg.payload as DeleteResult | DeleteResult[]), 'removed') };
    },
  });

/** The node's other properties don't matter. */
async function emptyTrash({ client, call, msg, send }: RunContext<DeleteConfig>): Promise<void> {
  await client.emptyTrash(call);
  msg.payload = { result: 'emptied' };
  send(msg);
}

function countRemoved(results: DeleteResult | DeleteResult[]): number {
  return [results].flat().filter(({ result }) => result !== 'missing').length;
}

function parseTarget({ client, inputs }: RunContext<DeleteConfig>, value: unknown): Target {
  const idOrPath = inputs.idOrPath('file', 'file', value);
  if (idOrPath === client.rootId || idOrPath === 'root')
    throw inputs.invalid('invalid_input_root', 'file', value);
  // `DELETE files/trash` empties the trash.
  if (idOrPath === 'trash')
    throw inputs.invalid('invalid_input_file_shape', 'file', value, { came: `'${idOrPath}'` });
  const item: unknown = Array.isArray(value) ? value[0] : value;
  const { mimeType } = Object(item) as { mimeType?: unknown };
  return { idOrPath, mimeType: typeof mimeType === 'string' && mimeType ? mimeType : undefined };
}

/** Adds the index to the source in errors: `msg.payload[2]`. */
function parseItem(context: RunContext<DeleteConfig>, value: unknown, index: number): Target {
  try {
    return parseTarget(context, value);
  } catch (error) {
    if (!isDriveError(error)) throw error;
    const { source } = error.params as { source?: string };
    throw error.with({ params: { source: `${source}[${index}]` } });
  }
}

/** Deletes in the order of the array. A failure is listed in the results and doesn't stop the rest. */
async function deleteAll(context: RunContext<DeleteConfig>, targets: Target[]): Promise<void> {
  const results: DeleteResult[] = [];
  for (const target of targets) {
    context.showCount(results.length, targets.length);
    try {
      results.push(await deleteOne(context, target));
    } catch (error) {
      if (isDriveError(error, 'cancelled')) throw error;
      results.push({ id: target.idOrPath, result: 'failed', error: context.errorSummary(error) });
    }
  }
  context.msg.payload = results;
  const failed = results.filter(({ result }) => result === 'failed').length;
  const params = { failed, count: results.length };
  if (failed > 0) throw new DriveError('partial_failure', { text: 'partial_failure', params });
}

async function deleteOne(context: RunContext<DeleteConfig>, target: Target): Promise<DeleteResult> {
  const { client, config, inputs, call } = context;
  let id = target.idOrPath;
  try {
    id = await inputs.resolveId(id, 'file');
    await checkDeletable(context, { id, mimeType: target.mimeType });
    if (config.mode === 'trash') await client.trash(id, call);
    else await client.delete(id, call);
    return { id, result: config.mode === 'trash' ? 'trashed' : 'deleted' };
  } catch (error) {
    if (config.missing === 'ignore' && isDriveError(error, 'not_found')) return { id, result: 'missing' };
    throw error;
  }
}

/** @throws `invalid_input` for the root, and for folders unless they are allowed */
async function checkDeletable(
  { client, inputs, call }: RunContext<DeleteConfig>,
  file: DriveFile,
): Promise<void> {
  const { id, mimeType } = file;
  const rejected = (text: 'invalid_input_root' | 'invalid_input_folder_refused'): DriveError =>
    inputs.invalid(text, 'file', id);
  const hasType = mimeType !== undefined;
  // A path can resolve to the root.
  if (id === client.rootId) throw rejected('invalid_input_root');
  if (inputs.flag('allowFolders')) {
    const isRoot = (!hasType || client.isFolder(file)) && (await client.isRoot(id, call));
    if (isRoot) throw rejected('invalid_input_root');
    return;
  }
  const metadata = hasType ? file : await client.getMetadata(id, 'id,mimeType', call);
  // A service without metadata requests can only list the children.
  const isFolder = metadata ? client.isFolder(metadata) : await client.isNonEmptyFolder(id, call);
  if (isFolder) throw rejected('invalid_input_folder_refused');
}
