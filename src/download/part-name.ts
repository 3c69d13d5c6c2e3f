/**
 * What a part file is called. The name says all that has to be known of one after a restart: whose target it is, what
 * content it is a part of, and which process writes it. So nothing else has to be kept anywhere.
 */
import { createHash, randomBytes } from 'node:crypto';
import { checksumOf } from '../api/checksums';
import type { RemoteFile } from './remote-file';
import { fitted } from './safe-name';

/** Bytes of the target's name that still fit beside what is added to it. */
const LONGEST_NAME = 200;

const PATTERN = /^\.(.+)\.([0-9a-f]{16})\.(\d{1,10})-[0-9a-f]{8}\.part$/s;

export interface PartName {
  /** Of the file that it will become, shortened where it is long. */
  target: string;
  /** Of the content; see {@link contentKey}. */
  key: string;
  /** Of the process that writes it. */
  pid: number;
}

/**
 * @returns the same for the same content of the same file on its way to the same name; undefined where the service
 *   doesn't say enough to know it again
 */
export function contentKey(name: string, { file, size, algorithm }: RemoteFile): string | undefined {
  if (size === undefined || algorithm === undefined) return undefined;
  const content = [name, file.id, size, algorithm, checksumOf(file, algorithm)];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}

/** @param key undefined for a part that nobody can go on with. @returns a name that nobody else has */
export function newPartName(name: string, key: string | undefined): string {
  const content = key ?? randomBytes(8).toString('hex');
  return `.${targetIn(name)}.${content}.${process.pid}-${randomBytes(4).toString('hex')}.part`;
}

/** @returns undefined for what is no part file */
export function readPartName(fileName: string): PartName | undefined {
  const found = PATTERN.exec(fileName);
  return found ? { target: String(found[1]), key: String(found[2]), pid: Number(found[3]) } : undefined;
}

/** How a target's name stands in the names of its part files. */
export function targetIn(name: string): string {
  return fitted(name, LONGEST_NAME);
}
