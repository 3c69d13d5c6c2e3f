/** Reserves a part file for the download that writes it: its name in this process, and with a heartbeat for others. */
import type { FileHandle } from 'node:fs/promises';
import { startHeartbeat } from '../../fs/heartbeat';

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
    this.heartbeat = startHeartbeat((atime, mtime) => handle.utimes(atime, mtime));
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
