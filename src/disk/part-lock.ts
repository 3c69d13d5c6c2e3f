/**
 * Reserves a part file for the download that writes it. Within this process the name is reserved; other processes, which
 * may run in other containers or on other hosts, see a heartbeat: the modification time of the file.
 */
import type { FileHandle } from 'node:fs/promises';

/** ms between two updates of the modification time. */
export const HEARTBEAT_INTERVAL = 5_000;

const lockedNames = new Set<string>();
/** Parts that are being closed: a slow disk may take many seconds. */
const closingNames = new Map<string, Promise<void>>();

export function isLocked(fileName: string): boolean {
  return lockedNames.has(fileName);
}

/** Resolves when the parts that are being closed are unlocked. @param includes selects them by name */
export async function closingParts(includes: (fileName: string) => boolean): Promise<void> {
  await Promise.all([...closingNames].filter(([name]) => includes(name)).map(([, closed]) => closed));
}

export class PartLock {
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(readonly fileName: string) {
    lockedNames.add(fileName);
  }

  /** Until the part is unlocked or closed. */
  startHeartbeat(handle: FileHandle): void {
    const beat = (): void => {
      const now = new Date();
      handle.utimes(now, now).catch(() => undefined);
    };
    this.heartbeat = setInterval(beat, HEARTBEAT_INTERVAL).unref();
  }

  stopHeartbeat(): void {
    clearInterval(this.heartbeat);
  }

  unlock(): void {
    this.stopHeartbeat();
    lockedNames.delete(this.fileName);
  }

  /** @param closed must not reject */
  unlockAfter(closed: Promise<void>): void {
    this.stopHeartbeat();
    const unlocked = closed.then(() => {
      closingNames.delete(this.fileName);
      this.unlock();
    });
    closingNames.set(this.fileName, unlocked);
  }
}
