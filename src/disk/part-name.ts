/**
 * Names of part files: `.<target>.<content key>.<owner>.part`. The name contains everything that a later run has to know
 * about the part, so that nothing is stored elsewhere.
 */
import { randomBytes } from 'node:crypto';
import { type PartOwner, currentOwner } from './part-owner';
import { truncateName } from './safe-name';

/** Bytes of the target's name, so that the part's name has at most 255. */
const MAX_TARGET_NAME = 180;

const OWNER = /([0-9a-f]{8})-(\d{1,10})-([0-9a-z]{1,10})-([0-9a-f]{8})-\d{1,6}/;
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

let partCount = 0;

/** @param key undefined for a part that can't be resumed. @returns a unique name, owned by this process */
export function newPartName(name: string, key: string | undefined): string {
  const { pidNamespace, pid, startTime, token } = currentOwner();
  const number = partCount++ % 1_000_000;
  const owner = [pidNamespace, pid, startTime, token, number].join('-');
  return `.${targetInPartName(name)}.${key ?? randomBytes(8).toString('hex')}.${owner}.part`;
}

/** @returns undefined if the file isn't a part file */
export function parsePartName(fileName: string): PartName | undefined {
  const [, target, contentKey, pidNamespace, pid, startTime, token] = PATTERN.exec(fileName) ?? [];
  if (target === undefined || contentKey === undefined) return undefined;
  const owner =
    pidNamespace && startTime && token ? { pidNamespace, pid: Number(pid), startTime, token } : undefined;
  return { target: targetInPartName(target), contentKey, owner };
}

export function targetInPartName(name: string): string {
  return truncateName(name, MAX_TARGET_NAME);
}
