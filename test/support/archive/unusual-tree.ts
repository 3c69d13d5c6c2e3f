/** A folder with names that are special somewhere. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bytes } from '../content';
import { Random } from '../random';
import { varyAttributes } from './tree';

/** Pieces of names that are special somewhere, long, or not ASCII. */
const PIECES = [
  'a',
  ' ',
  '.',
  '..',
  '-',
  '\\',
  '"',
  "'",
  '\n',
  '*',
  '?',
  '[',
  '{',
  '$',
  '%41',
  '=',
  '#',
  ':',
  '\t',
  '~',
].concat([
  'ü',
  'u\u0308',
  '深い',
  '😀',
  '👩‍👩‍👧',
  '‏עברית‎',
  '\u202e',
  'x'.repeat(60),
  'ß'.repeat(20),
  'CON',
  '\ud7ff',
]);

function unusualName(random: Random, index: number): string {
  const pieces = Array.from({ length: random.between(1, 5) }, () => random.pick(PIECES));
  // The number makes it unique. Names have at most 255 bytes.
  const prefix = Buffer.from(pieces.join(''))
    .subarray(0, 240)
    .toString()
    .replace(/\ufffd+$/, '');
  return `${prefix}${index}`;
}

/** Files, folders and links with unusual names, modes and times, below a new folder. */
export async function writeUnusualTree(root: string, files: number): Promise<void> {
  const random = new Random(1);
  const folders = [root];
  await mkdir(root);
  for (let index = 0; index < files; index++) {
    const target = path.join(random.pick(folders.slice(-200)), unusualName(random, index));
    if (Buffer.byteLength(target) > 3_000) continue;
    const kind = random.fraction();
    if (kind < 0.03) (folders.push(target), await mkdir(target));
    else if (kind < 0.06) await symlink(unusualName(random, index).repeat(random.between(1, 3)), target);
    else await writeFile(target, bytes(Math.floor(random.fraction() ** 4 * 30_000), index));
  }
  await varyAttributes(root);
}
