/**
 * How much of a resumable upload goes into one request: all that is left, which costs no round trips, until something
 * on the way shows that it cuts long requests and keeps nothing of them. Then parts, of multiples of 256 KiB:
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */

const UNIT = 256 * 1024;
/** Requests in a row that were cut with nothing gained. One cut may be a pulled cable. */
const ENOUGH_CUTS = 2;
/** Bytes of a part after a request that was refused for its length: what proxies permit is mostly less than this. */
const FIRST_REFUSED = 8 * 1024 * 1024;
/** ms that a first part should take: short of the time limits of proxies. */
const FIRST_TAKES = 4_000;
/** Parts that went well after which a size that was cut once is tried again. */
const PATIENCE = 16;

/** A request that was cut. */
export interface Cut {
  /** Bytes that went out before. */
  sent: number;
  /** In so many ms. */
  took: number;
}

export class PartSize {
  private cuts = 0;
  private size = Infinity;
  /** The smallest that was cut; parts stay below it. */
  private tooLarge = Infinity;
  private wentWell = 0;

  /** @returns where the next request ends that begins at a byte */
  end(start: number, total: number): number {
    return Math.min(total, start + this.size);
  }

  /** A request was cut, and the service has kept nothing of it. */
  cut({ sent, took }: Cut): void {
    this.wentWell = 0;
    if (this.size !== Infinity) {
      this.tooLarge = this.size;
      this.size = units(this.size / 2);
    } else if (++this.cuts >= ENOUGH_CUTS) {
      const inTime = took > 0 ? (sent * FIRST_TAKES) / took : sent;
      this.size = units(Math.min(inTime, sent / 2));
    }
  }

  /** A request was refused because of its length. @returns false where it can't be any shorter */
  refused(length: number): boolean {
    if (length <= UNIT) return false;
    this.wentWell = 0;
    this.tooLarge = length;
    this.size = units(Math.min(FIRST_REFUSED, length / 2));
    return true;
  }

  /** The service has kept something, and perhaps the whole of what it was sent. */
  moved(whole: boolean): void {
    this.cuts = 0;
    if (!whole) return;
    if (++this.wentWell >= PATIENCE) this.tooLarge = Infinity;
    if (this.size * 2 < this.tooLarge) this.size *= 2;
  }
}

function units(bytes: number): number {
  return Math.max(UNIT, Math.floor(bytes / UNIT) * UNIT);
}
