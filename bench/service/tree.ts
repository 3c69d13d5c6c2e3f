/** Folders to back up or to synchronize: of backups, one half compresses like text, the other not at all, as with photos. */
import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync, utimesSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Random } from '../../test/support/random';

const CHUNK = 4 * 1024 * 1024;
/** Bytes of the files in a tree of mixed sizes, in turn. */
const MIXED = [4_000, 50_000, 800_000, 6_000_000, 30_000_000];
const FOLDERS = 200;
/** In a folder to synchronize. */
const FILES_PER_FOLDER = 100;
/** Seconds since 1970. */
const TIME = 1_700_000_000;

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

/** Files of 10 to 59 bytes, or of more that don't compress. 100 are in each folder. */
export function writeManyFiles(folder: string, count: number, noise = 0): void {
  const contents = new Contents();
  const folders = Math.ceil(count / FILES_PER_FOLDER);
  for (let index = 0; index < count; index++)
    contents.write(fileIn(folder, index, folders), noise + 10 + (index % 50), noise === 0);
}

function fileIn(folder: string, index: number, folders = FOLDERS): string {
  const inside = path.join(folder, `folder-${index % folders}`);
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

/** A folder to synchronize. */
export interface SyncTree {
  folder: string;
  /** Of all files, relative to the folder, the large ones last. */
  paths: string[];
  /** Bytes of all files. */
  readonly size: number;
  /** Bytes of the same files in another folder. @throws if one is missing */
  sizeOf(folder: string): Promise<number>;
}

/** Writes files of 4 to 200 KiB and some large ones, which don't compress, with modification times in whole seconds. */
export function writeSyncTree(
  folder: string,
  { small, large, largeSize }: { small: number; large: number; largeSize: number },
): SyncTree {
  const contents = new Contents();
  const random = new Random(4);
  const paths: string[] = [];
  const folders = Math.ceil(small / FILES_PER_FOLDER);
  const add = (index: number, length: number): void => {
    const file = fileIn(folder, index, folders);
    contents.write(file, length, false);
    utimesSync(file, TIME + index, TIME + index);
    paths.push(path.relative(folder, file));
  };
  for (let index = 0; index < small; index++) add(index, random.between(4 * 1024, 200 * 1024));
  for (let index = small; index < small + large; index++) add(index, largeSize);
  const sizeOf = async (other: string): Promise<number> => {
    let sum = 0;
    for (const each of paths) sum += (await stat(path.join(other, each))).size;
    return sum;
  };
  const size = (): number => paths.reduce((sum, each) => sum + statSync(path.join(folder, each)).size, 0);
  return {
    folder,
    paths,
    sizeOf,
    get size() {
      return size();
    },
  };
}
