/** The files that are there, for a watch that begins, or begins anew: the feed tells only what changes. */
import { isDriveError } from '../errors';
import type { DriveContext } from '../api/drive-context';
import { listPage } from '../api/list';
import { getMetadata } from '../api/metadata';
import { searchFiles } from '../search/search';
import type { CallOptions, DriveFile } from '../types';
import type { Change } from '../api/changes';
import { MAX_KNOWN_FILES, WATCH_FIELDS } from './known-files';
import type { WatchedFolder } from './folder-scope';
import type { WatchState } from './watch-state';

export interface BaselineContext {
  drive: DriveContext;
  place: WatchedFolder;
  state: WatchState;
}

/** As many as are told at most before the place behind them is kept. */
const TOGETHER = 100;

/** ms that this machine's clock may be ahead of the service's. */
const SKEW = 600_000;

/** Remembers the files that are there without telling them: as many as can be remembered, of a drive the latest. */
export async function recordBaseline(listing: BaselineContext, call: CallOptions): Promise<void> {
  const { state } = listing;
  const found: DriveFile[] = [];
  for await (const files of all(listing, call)) {
    found.push(...files.slice(0, MAX_KNOWN_FILES - found.length));
    if (found.length < MAX_KNOWN_FILES) continue;
    state.knowsAll = false;
    break;
  }
  for (const file of found.reverse()) state.record(file);
}

/** Learns what time it is at the service: the clock of this machine may be wrong. */
export async function readServiceTime({ drive, state }: BaselineContext, call: CallOptions): Promise<void> {
  const now = drive.clock.now();
  const request = { q: '', fields: 'id,createdTime', orderBy: 'createdTime desc', pageSize: 1 };
  const { files } = await listPage(drive, request, call);
  for (const { createdTime = '' } of files) state.raiseNewAfter(Date.parse(createdTime), now);
  if (state.newAfter === 0) state.raiseNewAfter(now - SKEW, now);
}

/** All that is there, and has not been told before the last stop. */
export async function* listNotEmitted(listing: BaselineContext, call: CallOptions): AsyncGenerator<Change[]> {
  const { emitted } = listing.state;
  for await (const files of all(listing, call))
    yield files.filter(({ id }) => !emitted.has(id)).map(asChange);
}

/** What may be otherwise than it was known. */
export async function* listDifferences(
  listing: BaselineContext,
  call: CallOptions,
): AsyncGenerator<Change[]> {
  const { drive, state } = listing;
  const missing = new Set(state.known.ids());
  const mayDiffer = ({ id, modifiedTime = '' }: DriveFile): boolean =>
    state.knowsAll || state.known.get(id) !== undefined || Date.parse(modifiedTime) > state.newAfter;
  let isWhole = true;
  for await (const files of all(listing, call, () => (isWhole = false))) {
    for (const { id } of files) missing.delete(id);
    yield files.filter(mayDiffer).map(asChange);
  }
  if (!isWhole) return;
  for (const id of missing) yield [await now(drive, id, call)];
}

async function* all(
  { drive, place, state }: BaselineContext,
  call: CallOptions,
  onIncomplete = (): unknown => undefined,
): AsyncGenerator<DriveFile[]> {
  const { folderId, recursive } = place;
  const wanted = {
    ...(folderId === '' ? {} : { folderId }),
    recursive,
    text: '',
    kind: 'any',
    includeTrashed: true,
    fields: WATCH_FIELDS,
    ...(drive.service.kind === 'google' && !recursive ? { orderBy: 'modifiedTime desc' } : {}),
  } as const;
  for await (const { files, incompleteSearch } of searchFiles(drive, wanted, call)) {
    if (incompleteSearch) {
      state.knowsAll = false;
      onIncomplete();
    }
    for (let start = 0; start < files.length; start += TOGETHER) yield files.slice(start, start + TOGETHER);
  }
}

function asChange(file: DriveFile): Change {
  return { fileId: file.id, file };
}

async function now(drive: DriveContext, id: string, call: CallOptions): Promise<Change> {
  try {
    return asChange(await getMetadata(drive, id, WATCH_FIELDS, call));
  } catch (error) {
    if (isDriveError(error, 'not_found')) return { fileId: id };
    throw error;
  }
}
