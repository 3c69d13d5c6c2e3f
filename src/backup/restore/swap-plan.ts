/**
 * Compares the staged tree with the target: which entries have to be moved so that the target contains the staged tree
 * and keeps everything else. A folder is moved as a whole wherever the target has nothing in it that the staged one
 * lacks.
 */
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { DriveError } from '../../errors';
import { entryBatches, isEmptyFolder, statsOf } from '../../fs/durable';
import type { JsonLinesWriter } from '../../fs/json-lines';
import { diskPath, readablePath } from '../../fs/path-bytes';
import { findMountPoints, type IsMountPoint } from '../../fs/mount-points';
import { stagedIn } from './swap';
import { type SwapPlaces, type SwapPolicy, type SwapStep, createDraft } from './swap-journal';
import type { FolderAttributes } from '../entries/extract';

export interface PlanOptions extends SwapPlaces {
  policy: SwapPolicy;
  /** Excludes an entry of the target itself. */
  isIgnored: (name: string) => boolean;
}

/**
 * Writes the draft of a journal. The target is a folder without symbolic links in its path, or a missing one.
 * @throws `conflict` where the archive has a file and the target a folder that isn't empty, `local_file` where a part
 *   of the target is on another file system
 */
export async function planSwap(options: PlanOptions): Promise<void> {
  const { work, target, policy } = options;
  const draft = await createDraft(work, policy);
  try {
    if (!(await statsOf(target))) await draft.add({ move: '' } satisfies SwapStep);
    else await new Comparison(options, draft, await findMountPoints(target)).compare('');
  } finally {
    await draft.close({ flush: true });
  }
}

class Comparison {
  private moves = 0;

  constructor(
    private readonly options: PlanOptions,
    private readonly draft: JsonLinesWriter,
    private readonly isMountPoint: IsMountPoint,
  ) {}

  /** Adds the moves of a folder that both trees have. @returns true if the target's folder has to stay */
  async compare(path: string): Promise<boolean> {
    const [{ end }, moves] = [this.draft, this.moves];
    const { folders, common } = await this.compareEntries(path);
    let hasToStay = path === '';
    for (const name of folders) if (await this.compare(join(path, name))) hasToStay = true;
    hasToStay ||= (await this.countInTarget(path)) > common;
    const isMount = path !== '' && (await this.isMountPoint(join(this.options.target, path)));
    if (isMount && this.moves > moves) throw otherFileSystem(join(this.options.target, path));
    if (!hasToStay && !isMount) {
      await this.draft.truncate(end);
      this.moves = moves;
      await this.move(path);
      return false;
    }
    await this.draft.add({ folder: { path, before: await this.attributes(path) } } satisfies SwapStep);
    return true;
  }

  /**
   * Adds the moves of entries, but not of those in a folder that both trees have.
   * @returns the names of such folders
   */
  private async compareEntries(path: string): Promise<{ folders: string[]; common: number }> {
    const folders: string[] = [];
    let common = 0;
    for await (const batch of entryBatches(join(stagedIn(this.options.work), path))) {
      const existing = (name: string): Promise<Stats | undefined> =>
        statsOf(join(this.options.target, path, name));
      const others = await Promise.all(batch.map(({ name }) => existing(name)));
      for (const [index, entry] of batch.entries()) {
        const other = others[index];
        if (other) common += 1;
        if (other?.isDirectory() && entry.isDirectory()) folders.push(entry.name);
        else await this.replace(join(path, entry.name), other);
      }
    }
    return { folders, common };
  }

  private async replace(path: string, other: Stats | undefined): Promise<void> {
    const existing = join(this.options.target, path);
    if (other?.isDirectory() && !(await isEmptyFolder(existing)))
      throw new DriveError('conflict', {
        text: 'conflict_folder_in_place',
        params: { path: readablePath(existing) },
      });
    await this.move(path);
  }

  private async move(path: string): Promise<void> {
    this.moves += 1;
    await this.draft.add({ move: path } satisfies SwapStep);
  }

  private async countInTarget(path: string): Promise<number> {
    const { target, isIgnored } = this.options;
    let count = 0;
    for await (const batch of entryBatches(join(target, path)))
      count += batch.filter(({ name }) => path !== '' || !isIgnored(name)).length;
    return count;
  }

  private async attributes(path: string): Promise<FolderAttributes> {
    const { mode, mtimeMs, uid, gid } = await lstat(diskPath(join(this.options.target, path)));
    return { mode: mode & 0o7777, mtime: mtimeMs / 1_000, uid, gid };
  }
}

function otherFileSystem(path: string): DriveError {
  return new DriveError('local_file', {
    text: 'local_file_other_file_system',
    params: { path: readablePath(path) },
  });
}
