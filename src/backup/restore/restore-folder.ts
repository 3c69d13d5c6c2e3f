/** Restores into a folder on disk. Nothing in it changes before everything is in a work folder beside it. */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { foldersOnDisk } from '../../core/folder-lock';
import { exists, flushFileSystem } from '../../fs/durable';
import { type FinishedSwap, type SwapContext, claimOptions, finishSwaps } from './interrupted-swaps';
import { localFileError } from '../../fs/local-file-error';
import { RestoreTarget } from './restore-target';
import { foldersIn, recoverSwap, stagedIn, swap, targetNotEmpty } from './swap';
import { type SwapPolicy, hasJournal, prepareRecord } from './swap-journal';
import { planSwap } from './swap-plan';
import { WorkFolder } from './work-folder';
import { isWorkFolderName } from '../../fs/reserved-names';
import { DriveError, cancelled } from '../../errors';
import type { CallOptions } from '../../types';
import type { ExtractOptions, ExtractPlaces } from '../entries/extract';

export interface FolderRequest {
  /** Absolute path of the folder to restore to; it is created if it is missing. */
  path: string;
  /** `error` refuses a folder that isn't empty; `replace` keeps only what isn't restored. */
  overwrite: SwapPolicy;
  /**
   * While the swap of a killed run is completed, or a failed one is undone, with the new paths of what was created in
   * the meantime where another entry belongs.
   */
  onMovedAside?: ((paths: string[]) => void) | undefined;
}

/** Where and how entries are written. */
export interface Staging extends Pick<ExtractOptions, 'isCaseSensitive' | 'creationMode'> {
  places: ExtractPlaces;
}

/**
 * @param fill writes everything to the places of {@link stagingIn}. What it leaves elsewhere in the work folder is for
 *   the next run if it fails.
 * @throws `conflict` for a target that isn't empty, `local_file`, and the errors of `fill`
 */
export async function restoreFolder<T>(
  context: SwapContext,
  request: FolderRequest,
  fill: (work: WorkFolder) => Promise<T>,
  call: CallOptions,
): Promise<T> {
  const { path } = await RestoreTarget.resolve(request.path);
  const completed: string[] = [];
  const onFinished = (finished: FinishedSwap): void => {
    const { isComplete, movedAside, target } = finished;
    if (isComplete) completed.push(target);
    context.onFinished?.({ ...finished, movedAside: [] });
    if (movedAside.length > 0) request.onMovedAside?.(movedAside);
  };
  const swaps = { ...context, onFinished };
  // Its own one, if there is any, would be completed below, but those in nested folders need their own locks.
  await finishSwaps(swaps, path, call);
  const run = async (): Promise<T> => {
    // Again: earlier work may have created or removed its parents.
    const target = await RestoreTarget.resolve(request.path);
    try {
      await target.createParents();
      return await new FolderRestore(swaps, request, target.path, call).run(fill);
    } catch (error) {
      await target.removeEmptyParents();
      if (isNotEmpty(error) && completed.includes(target.path)) throw completedBefore(request.path);
      throw localFileError(error, request.path);
    }
  };
  return foldersOnDisk.run(path, run, call);
}

/** One run. */
class FolderRestore {
  /** Whether the record of the target is that of a work folder which this run has created or claimed. */
  private ownsRecord = false;

  constructor(
    private readonly swaps: SwapContext,
    private readonly request: FolderRequest,
    private readonly target: string,
    private readonly call: CallOptions,
  ) {}

  async run<T>(fill: (work: WorkFolder) => Promise<T>): Promise<T> {
    const { target, swaps } = this;
    const recover = async ({ ownPath }: WorkFolder): Promise<void> => {
      this.ownsRecord = true;
      const outcome = await recoverSwap({ target, work: ownPath }, swaps.records);
      if (outcome) swaps.onFinished?.({ target, ...outcome });
    };
    const work = await WorkFolder.open(target, recover, claimOptions(swaps, target, this.call));
    const result = await this.fillAndReplace(work, fill);
    // The next run needs the record of what stays.
    if (await work.remove()) await swaps.records.delete(target);
    return result;
  }

  private async fillAndReplace<T>(work: WorkFolder, fill: (work: WorkFolder) => Promise<T>): Promise<T> {
    try {
      await this.checkTarget();
      const result = await fill(work);
      await this.replaceTarget(work);
      return result;
    } catch (error) {
      await this.leave(work);
      throw error;
    }
  }

  /** After a failure. */
  private async leave(work: WorkFolder): Promise<void> {
    if (await hasJournal(work.ownPath)) return work.close();
    const isCleared = await work.clear().then(
      () => true,
      () => false,
    );
    if (!isCleared || (await work.parts()).length > 0) await work.close();
    else await work.remove();
    // The next run needs the record of what stays. Without a folder that belongs to it, its disk may not be mounted.
    if (isCleared && this.ownsRecord) await this.swaps.records.delete(this.target);
  }

  /** @throws `conflict` */
  private async checkTarget(): Promise<void> {
    if (this.request.overwrite === 'replace' || !(await exists(this.target))) return;
    const names = await readdir(this.target);
    if (names.some((name) => !isWorkFolderName(name))) throw targetNotEmpty(this.request.path);
  }

  private async replaceTarget(work: WorkFolder): Promise<void> {
    await flushFileSystem(work.path, this.call.signal);
    const places = { target: this.target, work: work.ownPath };
    this.ownsRecord = true;
    await prepareRecord(places, this.swaps.records);
    await planSwap({ ...places, policy: this.request.overwrite, isIgnored: isWorkFolderName });
    if (this.call.signal?.aborted) throw cancelled();
    await this.checkTarget();
    await swap(places, this.swaps.records, this.request.onMovedAside);
  }
}

/** Prepares the places, and finds out what the disk and the process do with names and modes. */
export async function stagingIn(work: WorkFolder): Promise<Staging> {
  await writeFile(work.child('case'), '', { mode: 0o777 });
  const { mode } = await stat(work.child('case'));
  const isCaseSensitive = !(await exists(work.child('CASE')));
  const staged = stagedIn(work.ownPath);
  await mkdir(staged);
  const [links, unselected] = [work.child('links'), work.child('unselected')];
  const places = { staged, folders: foldersIn(work.ownPath), links, unselected };
  return { places, isCaseSensitive, creationMode: mode & 0o777 };
}

function isNotEmpty(error: unknown): boolean {
  return error instanceof DriveError && error.text === 'conflict_target_not_empty';
}

function completedBefore(path: string): DriveError {
  return new DriveError('conflict', { text: 'conflict_target_completed', params: { path } });
}
