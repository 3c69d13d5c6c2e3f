/** Random changes of a folder on disk, as they happen between two backups. */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { bytes } from '../content';
import type { Random } from '../random';

const NAMES = ['a', 'b', 'c', 'B', 'a.txt', 'é', 'quote"', 'back\\slash', ' space', 'new\nline'];
const MAX_DEPTH = 3;

/** Makes one to five changes. @param generation is written to a file, so that the folder never becomes empty */
export function editRandomly(folder: string, random: Random, generation: number): void {
  for (let count = random.between(1, 5); count > 0; count--) editOnce(folder, random);
  writeFileSync(join(folder, 'generation'), String(generation));
  roundTimes(folder);
}

/** To ms: Node.js can't set a time to the nanosecond. */
export function roundTimes(path: string): void {
  const stats = lstatSync(path);
  if (stats.isDirectory()) for (const name of readdirSync(path)) roundTimes(join(path, name));
  const seconds = Math.round(stats.mtimeMs) / 1_000;
  if (!Number.isInteger(stats.mtimeMs)) lutimesSync(path, seconds, seconds);
}

function editOnce(folder: string, random: Random): void {
  const path = pickPath(folder, random);
  const existing = lstatSync(path, { throwIfNoEntry: false });
  const kind = random.fraction();
  if (existing?.isFile() && kind < 0.3) return appendFileSync(path, contentOf(random));
  if (existing && kind < 0.4 && !existing.isSymbolicLink())
    return chmodSync(path, existing.isDirectory() ? 0o750 : 0o640);
  if (existing && kind < 0.55) {
    const target = pickPath(folder, random);
    if (!lstatSync(target, { throwIfNoEntry: false }) && !target.startsWith(path)) renameSync(path, target);
    return;
  }
  rmSync(path, { recursive: true, force: true });
  if (kind < 0.7) return;
  if (kind < 0.75) return symlinkSync(random.pick(NAMES), path);
  if (kind < 0.8) return mkdirSync(path);
  const files = readdirSync(dirname(path)).map((name) => join(dirname(path), name));
  const file = files.find((each) => lstatSync(each).isFile());
  if (kind < 0.84 && file !== undefined) return linkSync(file, path);
  writeFileSync(path, contentOf(random));
}

/** @returns a path in an existing folder, which may exist */
function pickPath(folder: string, random: Random): string {
  let parent = folder;
  for (let depth = 0; depth < MAX_DEPTH && random.chance(0.6); depth++) {
    const folders = readdirSync(parent, { withFileTypes: true }).filter((each) => each.isDirectory());
    if (folders.length === 0) break;
    parent = join(parent, random.pick(folders).name);
  }
  return join(parent, random.pick(NAMES));
}

function contentOf(random: Random): Buffer {
  const size = random.chance(0.15) ? random.between(500_000, 4_000_000) : random.between(0, 2_000);
  // Few seeds, so that contents come again.
  return bytes(size, random.between(1, 20));
}
