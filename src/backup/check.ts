/** Checks an archive of the drive without writing anything: its age, and that all of it can be read. */
import { stat } from 'node:fs/promises';
import { DriveError, isDriveError } from '../errors';
import { localFileError } from '../fs/local-file-error';
import type { ExtractProgress } from './entries/extract';
import type { Differences } from './entries/compare-folder';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import type { ArchiveFile } from './archive-file';
import { type StreamContext, streamArchive } from './archive-stream';
import { type ArchiveQuery, selectArchive } from './select-archive';
import type { ArchiveTotals } from './entries/entry';

export interface CheckRequest extends ArchiveQuery {
  /** Globs for the entries that are compared; none for all. */
  include: readonly string[];
  passphrase?: string | undefined;
  identities?: readonly string[];
  /** Absolute path of a folder that is compared with the archive. */
  compareWith?: string | undefined;
  /** Hours; 0 for any age. */
  maxAge: number;
  /** `age` reads nothing of the archive. */
  depth: 'age' | 'content';
  onProgress?: OnProgress;
  onEntry?: (progress: ExtractProgress) => void;
}

export interface CheckResult extends Partial<ArchiveTotals> {
  file: DriveFile;
  /** Hours since the archive was stored; null if unknown. */
  age: number | null;
  /** Of an incomplete archive. */
  complete?: false;
  /** How long the check took. */
  milliseconds?: number;
  differences?: Differences;
}

const HOUR = 3_600_000;

/**
 * @throws `outdated` if the archive is too old, or there is none; `bad_response` for one that is damaged or can't be restored
 *   safely, `conflict` for one that is replaced while it is read, `local_file` if `compareWith` is no folder, …
 */
export async function checkArchive(
  context: StreamContext,
  request: CheckRequest,
  call: CallOptions,
): Promise<CheckResult> {
  const { compareWith, depth, include, passphrase, identities = [] } = request;
  if (compareWith !== undefined) await checkFolder(compareWith);
  const start = context.drive.clock.monotonic();
  const archive = await selectRecent(context, request, call);
  const age = ageOf(context, archive);
  const summary = { age, ...(!archive.isComplete && { complete: false as const }) };
  if (depth === 'age') return { file: archive.file, ...summary };
  const { file, totals, differences } = await streamArchive(
    context,
    {
      download: {
        id: archive.file.id,
        fields: request.fields,
        acknowledgeAbuse: false,
        ...(request.onProgress && { onProgress: request.onProgress }),
      },
      job: { secrets: { passphrase, identities }, include, lists: false, compareWith },
      onEntry: request.onEntry,
      mayRepeat: () => true,
    },
    call,
  );
  const milliseconds = Math.round(context.drive.clock.monotonic() - start);
  // Without metadata requests, only the list has the name.
  const described = Object.assign({}, archive.file, file);
  return { file: described, ...summary, ...totals, milliseconds, ...(differences && { differences }) };
}

/** @throws `local_file` unless it is a folder */
export async function checkFolder(path: string): Promise<void> {
  const noFolder = (reason: string): DriveError =>
    new DriveError('local_file', {
      ...{ text: 'local_file_compare', params: { path } },
      reason,
    });
  const stats = await stat(path).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw ['ENOENT', 'ENOTDIR'].includes(code) ? noFolder(code) : localFileError(error, path);
  });
  if (!stats.isDirectory()) throw noFolder('ENOTDIR');
}

/** @throws `outdated` */
async function selectRecent(
  { drive }: StreamContext,
  request: CheckRequest,
  call: CallOptions,
): Promise<ArchiveFile> {
  const { choice, maxAge, allowIncomplete = false, folderName: folder, pattern } = request;
  const isNewest = maxAge > 0 && choice.which === 'newest';
  try {
    // Only a complete archive is recent enough.
    const complete = await selectArchive(
      drive,
      { ...request, allowIncomplete: allowIncomplete && !isNewest },
      call,
    );
    rejectOutdated({ drive }, complete, maxAge);
    return isNewest && allowIncomplete ? await selectArchive(drive, request, call) : complete;
  } catch (error) {
    if (!isNewest || !isDriveError(error, 'not_found')) throw error;
    const params = { folder, pattern, limit: maxAge };
    throw new DriveError('outdated', { text: 'outdated_none', params });
  }
}

function rejectOutdated(context: Pick<StreamContext, 'drive'>, archive: ArchiveFile, limit: number): void {
  const age = ageOf(context, archive);
  if (limit === 0 || (age !== null && age <= limit)) return;
  const name = archive.file.name ?? archive.file.id;
  const params = { name, age: age ?? '?', limit };
  throw new DriveError('outdated', { text: 'outdated', params });
}

/** By the service's clock, since the archive was stored there: a copied file keeps its own time. */
function ageOf({ drive }: Pick<StreamContext, 'drive'>, { storedAt, time }: ArchiveFile): number | null {
  const since = storedAt ?? time;
  if (since === null) return null;
  const hours = ((drive.engine.serviceTime() ?? drive.clock.now()) - since) / HOUR;
  return Math.max(0, Math.round(hours * 100) / 100);
}
