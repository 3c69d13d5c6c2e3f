/** Recognizes a file that was replaced. */
import { type BigIntStats, statSync } from 'node:fs';

/** @returns a text that changes whenever the file is replaced, `''` without a file */
export function fileVersion(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? versionOf(stats) : '';
}

export function versionOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino} ${mtimeNs} ${size}`;
}
