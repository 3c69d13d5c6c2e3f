/**
 * Names of part files: `.<target>.<content key>.<owner>.part`. The name contains everything that a later run has to
 * know about the part, so that nothing is stored elsewhere.
 */
import { createHash, randomBytes } from 'node:crypto';
import { OWNER, type PartOwner, newOwnerName, parseOwner } from './part-owner';
import { truncateName } from './safe-name';

/** Bytes of the target's name, so that the part's name has at most 143: the limit of eCryptfs, as on many NAS. */
const MAX_TARGET_NAME = 72;
/** Digits of the hash that tells long names apart. */
const HASH_LENGTH = 8;

/** Of earlier versions: the PID and a random number. */
const OLD_OWNER = /\d{1,10}-[0-9a-f]{8}/;
const PATTERN = new RegExp(
  `^\\.(.+)\\.([0-9a-f]{16})\\.(?:${OWNER.source}|${OLD_OWNER.source})\\.part$`,
  's',
);

export interface PartName {
  /** Name of the target file, truncated; see {@link targetInPartName}. */
  target: string;
  /** From `contentKey` in same-content.ts. */
  contentKey: string;
  /** Undefined in names of earlier versions, which have only a PID. */
  owner: PartOwner | undefined;
}

/** @param key undefined for a part that can't be resumed. @returns a unique name, owned by this process */
export function newPartName(name: string, key: string | undefined): string {
  return `.${targetInPartName(name)}.${key ?? randomBytes(8).toString('hex')}.${newOwnerName()}.part`;
}

/** @returns undefined if the file isn't a part file */
export function parsePartName(fileName: string): PartName | undefined {
  const [, target, contentKey, ...owner] = PATTERN.exec(fileName) ?? [];
  if (target === undefined || contentKey === undefined) return undefined;
  return { target: targetInPartName(target), contentKey, owner: parseOwner(owner) };
}

/** @returns the name itself, or the beginning of a long one with a hash */
export function targetInPartName(name: string): string {
  if (Buffer.byteLength(name) <= MAX_TARGET_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${truncateName(name, MAX_TARGET_NAME - HASH_LENGTH - 1)}~${hash}`;
}
