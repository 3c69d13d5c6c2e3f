/**
 * Identifies the process that writes a part file or a work folder. A PID alone is not enough: two containers that share
 * a volume often use the same PIDs.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../errors';

export interface PartOwner {
  /** Hash of the boot and the PID namespace in which `pid` is valid. */
  pidNamespace: string;
  pid: number;
  /** Distinguishes the process from later ones with the same PID. */
  startTime: string;
  /** Random, of this copy of the module: each worker thread has its own. */
  token: string;
}

/** An owner in a name, and a number that makes the name unique. */
export const OWNER = /([0-9a-f]{8})-(\d{1,10})-([0-9a-z]{1,10})-([0-9a-f]{8})-\d{1,6}/;

let current: PartOwner | undefined;
let nameCount = 0;

/** @returns a text as {@link OWNER}, for a name that this process owns */
export function newOwnerName(): string {
  const { pidNamespace, pid, startTime, token } = currentOwner();
  return [pidNamespace, pid, startTime, token, nameCount++ % 1_000_000].join('-');
}

/** @param groups of {@link OWNER} */
export function parseOwner([pidNamespace, pid, startTime, token]: readonly string[]): PartOwner | undefined {
  return pidNamespace && startTime && token
    ? { pidNamespace, pid: Number(pid), startTime, token }
    : undefined;
}

/** @returns true if this process owns it, which knows what it has open, or if its owner has certainly ended */
export function isOwnOrEnded(owner: PartOwner): boolean {
  return owner.token === currentOwner().token || hasEnded(owner);
}

/** Whether any thread of this process owns it. */
export function isOfThisProcess({ pidNamespace, pid, startTime }: PartOwner): boolean {
  const own = currentOwner();
  return pidNamespace === own.pidNamespace && pid === own.pid && startTime === own.startTime;
}

export function currentOwner(): PartOwner {
  current ??= {
    pidNamespace: pidNamespace(),
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? Math.round(performance.timeOrigin).toString(36),
    token: randomBytes(4).toString('hex'),
  };
  return current;
}

/**
 * @returns true if the process has certainly ended; false if it is running, or if this process can't see, as with an
 *   owner in another container
 */
export function hasEnded({ pidNamespace, pid, startTime }: PartOwner): boolean {
  const own = currentOwner();
  if (pidNamespace !== own.pidNamespace) return false;
  if (!isRunning(pid)) return true;
  const runningSince = pid === own.pid ? own.startTime : startTimeOf(pid);
  return runningSince !== undefined && runningSince !== startTime;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** PIDs are compared within one PID namespace of one boot of Linux; other systems have one namespace per host. */
function pidNamespace(): string {
  const bootId = fromProc(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const namespace = fromProc(() => readlinkSync('/proc/self/ns/pid'));
  const parts = bootId && namespace ? [bootId, namespace] : [hostname()];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}

/**
 * Field 22 of /proc/<pid>/stat, clock ticks since boot, in base 36; undefined on other systems than Linux.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function startTimeOf(pid: number): string | undefined {
  const stat = fromProc(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The second field, the name in parentheses, may contain spaces and parentheses.
  const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return ticks && /^\d+$/.test(ticks) ? Number(ticks).toString(36) : undefined;
}

function fromProc(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
