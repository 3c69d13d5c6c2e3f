/** Folders to back up: one half compresses like text, the other not at all, as with photos. */
import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { Random } from '../../test/support/random';

const CHUNK = 4 * 1024 * 1024;
/** Bytes of the files in a tree of mixed sizes, in turn. */
const MIXED = [4_000, 50_000, 800_000, 6_000_000, 30_000_000];
const FOLDERS = 200;

/** @param size bytes of all files */
export function writeMixedTree(folder: string, size: number): void {
  const contents = new Contents();
  for (let written = 0, index = 0; written < size; index++) {
    const length = Math.min(size - written, MIXED[index % MIXED.length]!);
    contents.write(fileIn(folder, index), length, index % 2 === 0);
    written += length;
  }
}

/** Files of 0.5 to 40 KB, most of them small. */
export function writeSmallFiles(folder: string, count: number): void {
  const contents = new Contents();
  const random = new Random(1);
  for (let index = 0; index < count; index++) {
    const length = 500 + Math.floor(random.fraction() ** 3 * 40_000);
    contents.write(fileIn(folder, index), length, index % 2 === 0);
  }
}

function fileIn(folder: string, index: number): string {
  const inside = path.join(folder, `folder-${index % FOLDERS}`);
  mkdirSync(inside, { recursive: true });
  return path.join(inside, `file-${index}`);
}

class Contents {
  private readonly text = textOf(CHUNK);
  private readonly noise = Buffer.alloc(CHUNK);
  private readonly random = new Random(2);

  write(file: string, length: number, isText: boolean): void {
    const target = openSync(file, 'w');
    for (let written = 0; written < length;) {
      const size = Math.min(CHUNK, length - written);
      const start = isText ? this.random.between(0, CHUNK - size) : 0;
      const chunk = isText ? this.text.subarray(start, start + size) : randomFillSync(this.noise, 0, size);
      written += writeSync(target, chunk, 0, size);
    }
    closeSync(target);
  }
}

/** Words and numbers, which gzip shrinks to about 40 %. */
function textOf(length: number): Buffer {
  const random = new Random(3);
  const letters = 'etaoinshrdlucmfwypvbgkjqxz';
  const word = (): string =>
    Array.from({ length: random.between(2, 9) }, () => letters[Math.floor(random.fraction() ** 2 * 26)]).join(
      '',
    );
  const words = Array.from({ length: 3_000 }, word);
  const parts: string[] = [];
  for (let size = 0; size < length;) {
    const part = `${words[Math.floor(random.fraction() ** 2 * words.length)]} ${random.between(0, 999)}\n`;
    parts.push(part);
    size += part.length;
  }
  return Buffer.from(parts.join('')).subarray(0, length);
}
