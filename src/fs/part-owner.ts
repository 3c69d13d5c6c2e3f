/**
 * Whose a file or folder is: the process that writes a part file or a work folder, and the user who has made it. Names
 * contain the process. A PID alone is not enough: two containers that share a volume often use the same PIDs.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../errors';
import { lstat, mkdtemp, rmdir, lutimes, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../types';

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

/** The beginning of the name of an empty folder that shows which user a disk stores as the owner. See reserved-names.ts. */
export const PROBE_PREFIX = '.restore-probe-';
/** The access of the group and of all users. */
const OTHERS = 0o077;

/**
 * Whether this user has made a file or folder: where others may write to a folder, a name doesn't say that.
 * A network share may store another owner than the process's user, and a disk without permissions has the same ones for
 * everything. There, the entry has to be like a new folder that was created for this user only.
 * @param entry its owner; the mode only of a folder that was created for this user only
 * @param folder that contains it
 */
export async function isOwn(entry: { uid: number; mode?: number }, folder: string): Promise<boolean> {
  if (!process.geteuid) return true;
  const access = (entry.mode ?? 0) & OTHERS;
  if (entry.uid === process.geteuid() && access === 0) return true;
  const probe = await mkdtemp(join(folder, PROBE_PREFIX)).catch(() => undefined);
  if (probe === undefined) return false;
  const usual = await lstat(probe);
  await rmdir(probe);
  return entry.uid === usual.uid && (access & ~usual.mode) === 0;
}

/** Only root may set owners, and passes permissions. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** ms between two updates of the modification time. */
const INTERVAL = 5_000;
/** ms for which something is watched for a heartbeat. */
export const HEARTBEAT_TIMEOUT = 3 * INTERVAL;
const POLL_INTERVAL = 1_000;

export interface WaitOptions {
  clock: Clock;
  signal: AbortSignal | undefined;
}

/**
 * Shows other processes, which may be in other containers, that a file or folder is in use.
 * @param setTimes as `utimes` of a file or folder. Stop it with `clearInterval`.
 */
export function startHeartbeat(setTimes: (atime: Date, mtime: Date) => Promise<void>): NodeJS.Timeout {
  const beat = (): void => {
    const now = new Date();
    setTimes(now, now).catch(() => undefined);
  };
  return setInterval(beat, INTERVAL).unref();
}

/** Watches files and folders that were found. @returns those that are still there, unchanged. @throws `cancelled` */
export async function withoutHeartbeat<T extends { size: number; mtimeMs: number }>(
  found: readonly T[],
  pathOf: (each: T) => string,
  { clock, signal }: WaitOptions,
): Promise<T[]> {
  let silent = [...found];
  for (let waited = 0; waited < HEARTBEAT_TIMEOUT && silent.length > 0; waited += POLL_INTERVAL) {
    await clock.sleep(POLL_INTERVAL, signal);
    const stats = await Promise.all(silent.map((each) => lstat(pathOf(each)).catch(() => undefined)));
    silent = silent.filter(({ size, mtimeMs }, index) => {
      const now = stats[index];
      return now?.size === size && now.mtimeMs === mtimeMs;
    });
  }
  return silent;
}

/**
 * Gives it a recent heartbeat first, so that nobody sees the new name without one.
 * @throws if another process was faster
 */
export async function claimByRename(from: string, to: string): Promise<void> {
  const now = new Date();
  await lutimes(from, now, now).catch(() => undefined);
  await rename(from, to);
}
