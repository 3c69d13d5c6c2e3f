/** Lists the existing files when a watch starts or restarts. The list of changes contains only what changes later. */
import { ifFound } from '../errors';
import type { DriveContext } from '../drive/drive-context';
import { listPage } from '../drive/list';
import { getMetadata } from '../drive/metadata';
import { searchFiles } from '../drive/search';
import type { CallOptions, DriveFile } from '../types';
import type { Change } from '../drive/changes';
import { MAX_KNOWN_FILES, WATCH_FIELDS } from './known-files';
import type { WatchedFolder } from './folder-scope';
import type { WatchState } from './watch-state';

export interface BaselineContext {
  drive: DriveContext;
  folder: WatchedFolder;
  state: WatchState;
}

/** The maximum number of files between two saved states. */
const BATCH_SIZE = 100;

/** How far the time may be ahead of the service's clock, in ms: a service may send no `Date`. */
const MAX_CLOCK_SKEW = 600_000;

/** Records the existing files without emitting them; of more than {@link MAX_KNOWN_FILES}, the first ones listed. */
export async function recordBaseline(context: BaselineContext, call: CallOptions): Promise<void> {
  const { state } = context;
  const found: DriveFile[] = [];
  for await (const files of listFiles(context, call)) {
    for (const file of files.slice(0, MAX_KNOWN_FILES - found.length)) found.push(file);
    if (found.length < MAX_KNOWN_FILES) continue;
    state.knowsAll = false;
    break;
  }
  for (const file of found.reverse()) state.record(file);
}

/** Takes the time of the service's newest file, because this machine's clock may be wrong. */
export async function readServiceTime({ drive, state }: BaselineContext, call: CallOptions): Promise<void> {
  const request = { q: '', fields: 'id,createdTime', orderBy: 'createdTime desc', pageSize: 1 };
  const { files } = await listPage(drive, request, call);
  const now = drive.engine.serviceTime() ?? drive.clock.now();
  for (const { createdTime = '' } of files) state.raiseNewAfter(Date.parse(createdTime), now);
  if (state.newAfter === 0) state.raiseNewAfter(now - MAX_CLOCK_SKEW, now);
}

/** Lists the existing files except those already emitted before a restart. */
export async function* listNotEmitted(context: BaselineContext, call: CallOptions): AsyncGenerator<Change[]> {
  const { emitted } = context.state;
  for await (const files of listFiles(context, call))
    yield files.filter(({ id }) => !emitted.has(id)).map(asChange);
}

/** Lists the files that may differ from what is known of them, including known files that are missing. */
export async function* listDifferences(
  context: BaselineContext,
  call: CallOptions,
): AsyncGenerator<Change[]> {
  const { drive, state } = context;
  const missing = new Set(state.known.ids());
  const mayDiffer = ({ id, modifiedTime = '' }: DriveFile): boolean =>
    state.knowsAll || state.known.get(id) !== undefined || Date.parse(modifiedTime) > state.newAfter;
  let isComplete = true;
  for await (const files of listFiles(context, call, () => (isComplete = false))) {
    for (const { id } of files) missing.delete(id);
    yield files.filter(mayDiffer).map(asChange);
  }
  if (!isComplete) return;
  for (const id of missing) yield [await currentState(drive, id, call)];
}

async function* listFiles(
  { drive, folder, state }: BaselineContext,
  call: CallOptions,
  onIncomplete = (): unknown => undefined,
): AsyncGenerator<DriveFile[]> {
  const { folderId, recursive } = folder;
  const request = {
    folderId: folderId || undefined,
    recursive,
    text: '',
    kind: 'any',
    includeTrashed: true,
    fields: WATCH_FIELDS,
    orderBy: drive.service.can.orderBy && !recursive ? 'modifiedTime desc' : undefined,
  } as const;
  for await (const { files, incompleteSearch } of searchFiles(drive, request, call)) {
    if (incompleteSearch) {
      state.knowsAll = false;
      onIncomplete();
    }
    for (let start = 0; start < files.length; start += BATCH_SIZE)
      yield files.slice(start, start + BATCH_SIZE);
  }
}

function asChange(file: DriveFile): Change {
  return { fileId: file.id, file };
}

async function currentState(drive: DriveContext, id: string, call: CallOptions): Promise<Change> {
  const file = await ifFound(getMetadata(drive, id, WATCH_FIELDS, call));
  return file ? asChange(file) : { fileId: id };
}
