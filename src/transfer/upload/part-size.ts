/**
 * How much of a resumable upload goes into one request: everything that remains, which costs no round trips, until
 * something on the way turns out to cut off long requests so that nothing of them is stored. Then parts in multiples of
 * 256 KiB: https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */

/** Bytes. Every request of a session but the last sends a multiple of this. */
const UNIT = 256 * 1024;
/** Interruptions in a row without progress before parts are used. A single one may be an unplugged cable. */
const MAX_INTERRUPTIONS = 2;
/** Bytes of a part after a 413; the limits of most proxies are below this. */
const SIZE_AFTER_REFUSAL = 8 * 1024 * 1024;
/** ms that the first part should take, well within the time limits of proxies. */
const FIRST_PART_DURATION = 4_000;
/** Number of successful parts before a size that failed is retried. */
const PARTS_BEFORE_GROWTH = 16;

/** A request that was cut off. */
export interface Interruption {
  bytesSent: number;
  /** ms */
  elapsed: number;
}

export class AdaptivePartSize {
  private interruptions = 0;
  private size = Infinity;
  /** The smallest size that failed; parts stay below it. */
  private failedSize = Infinity;
  private successes = 0;

  /** @param total Infinity if unknown. @returns the end of the request that starts at `start` */
  end(start: number, total: number): number {
    return Math.min(total, start + this.size);
  }

  /** A request was cut off and the service has stored nothing of it. */
  interrupted({ bytesSent, elapsed }: Interruption): void {
    this.successes = 0;
    if (this.size !== Infinity) {
      this.failedSize = this.size;
      this.size = wholeUnits(this.size / 2);
    } else if (++this.interruptions >= MAX_INTERRUPTIONS) {
      const sizeInTime = elapsed > 0 ? (bytesSent * FIRST_PART_DURATION) / elapsed : bytesSent;
      this.size = wholeUnits(Math.min(sizeInTime, bytesSent / 2));
    }
  }

  /** A request was refused because of its length. @returns false if it can't be shorter */
  tooLarge(length: number): boolean {
    if (length <= UNIT) return false;
    this.successes = 0;
    this.failedSize = length;
    this.size = wholeUnits(Math.min(SIZE_AFTER_REFUSAL, length / 2));
    return true;
  }

  /** The service has stored the last request, or part of it. */
  stored(isComplete: boolean): void {
    this.interruptions = 0;
    if (!isComplete) return;
    if (++this.successes >= PARTS_BEFORE_GROWTH) this.failedSize = Infinity;
    if (this.size * 2 < this.failedSize) this.size *= 2;
  }
}

export function wholeUnits(bytes: number): number {
  return Math.max(UNIT, Math.floor(bytes / UNIT) * UNIT);
}
