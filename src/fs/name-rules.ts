/**
 * What a disk does with names. Neither the type of the file system nor inodes show it: a disk may be mounted with other
 * rules, and through FUSE, each spelling of a name can have an inode of its own.
 */
import { lstat, mkdtemp, opendir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exists } from './durable';
import { isOwn } from './part-owner';
import { diskPath } from './path-bytes';
import { SYNC_PROBE_PREFIX } from './reserved-names';

export interface NameRules {
  /** Names that differ only in case are the same file. */
  ignoresCase: boolean;
  /** Some names that Windows doesn't allow can't be created, or get another name. Undefined if that is unknown. */
  refusesCharacters: boolean | undefined;
}

/** In a probe. The second one has what some disks refuse or replace, with a dot that others leave out. */
const [PROBE_NAME, ODD_NAME] = ['case', '"*:<>?\\|.'];
/** ms. Finding out takes much less. */
const MAX_PROBE_AGE = 60_000;

/**
 * Looks an entry of the folder up by another spelling, or the folder itself if there is none.
 * @param folder absolute; it exists
 * @param guess the result if nothing shows it
 */
export async function lookUpNameRules(
  folder: string,
  guess: boolean,
): Promise<NameRules & { isGuess: boolean }> {
  const refusesCharacters = undefined;
  const ignoresCase = await findSpellings(folder).catch(() => undefined);
  if (ignoresCase !== undefined) return { ignoresCase, refusesCharacters, isGuess: false };
  const own = await findOwnSpelling(folder).catch(() => undefined);
  return { ignoresCase: own ?? guess, refusesCharacters, isGuess: true };
}

/** @returns undefined if no entry shows it */
async function findSpellings(folder: string): Promise<boolean | undefined> {
  for await (const { name } of await opendir(folder)) {
    const result = await findSpelling(folder, name);
    if (result !== undefined) return result;
  }
  return undefined;
}

async function findSpelling(folder: string, name: string): Promise<boolean | undefined> {
  const other = swapCase(name);
  if (other === name) return undefined;
  if (await exists(path.join(folder, other))) {
    // It may be another file.
    return (await readdir(folder)).includes(other) ? undefined : true;
  }
  return (await exists(path.join(folder, name))) ? false : undefined;
}

/** Only for a folder that isn't a mount point: its parent may follow other rules. */
async function findOwnSpelling(folder: string): Promise<boolean | undefined> {
  const parent = path.dirname(folder);
  const [own, above] = await Promise.all([stat(folder), stat(parent)]);
  if (parent === folder || own.dev !== above.dev) return undefined;
  return (await findSpelling(parent, path.basename(folder))) ?? findOwnSpelling(parent);
}

function swapCase(name: string): string {
  return name.replace(/[a-z]/gi, (char) => {
    const upper = char.toUpperCase();
    return upper === char ? char.toLowerCase() : upper;
  });
}

/**
 * Creates files under the names in question, in a hidden folder that exists for a moment.
 * @returns nothing for a folder that can't be written to
 */
export async function probeNameRules(folder: string): Promise<Partial<NameRules>> {
  const probe = await mkdtemp(path.join(folder, SYNC_PROBE_PREFIX)).catch(() => undefined);
  if (probe === undefined) return {};
  try {
    await writeFile(path.join(probe, PROBE_NAME), '', { flag: 'wx' });
    const ignoresCase = await exists(path.join(probe, swapCase(PROBE_NAME)));
    await writeFile(path.join(probe, ODD_NAME), '', { flag: 'wx' }).catch(() => undefined);
    // Some disks accept a name, but change it.
    return { ignoresCase, refusesCharacters: !(await readdir(probe)).includes(ODD_NAME) };
  } catch {
    return {};
  } finally {
    await removeProbe(probe);
  }
}

/** Whether a folder contains no more than {@link probeNameRules} creates. Some disks change the names of the files. */
export async function isEmptyProbe(probe: string): Promise<boolean> {
  for (const name of await readdir(diskPath(probe))) {
    const stats = await lstat(diskPath(path.join(probe, name)));
    if (!stats.isFile() || stats.size > 0) return false;
  }
  return true;
}

/** Removes a probe that a killed run has left. Another folder may have been renamed to such a name. */
export async function removeOldProbe(folder: string, name: string): Promise<void> {
  const probe = path.join(folder, name);
  const stats = await lstat(probe).catch(() => undefined);
  if (!stats?.isDirectory() || Date.now() - stats.mtimeMs <= MAX_PROBE_AGE) return;
  if ((await isOwn(stats, folder)) && (await isEmptyProbe(probe))) await removeProbe(probe);
}

/** Only what {@link probeNameRules} creates. */
async function removeProbe(probe: string): Promise<void> {
  for (const name of [PROBE_NAME, ODD_NAME])
    await rm(path.join(probe, name), { force: true }).catch(() => undefined);
  await rmdir(probe).catch(() => undefined);
}
