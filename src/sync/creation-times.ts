/**
 * When the drive has created the files and folders of a run. Only what was created at about the same time can be a
 * duplicate of them, so the search for duplicates doesn't list everything that has been in the folders for long.
 */
import type { DriveContext } from '../drive/drive-context';

/** ms. Covers the time between the listing and the first creation, which can't be known by the drive's clock. */
const MARGIN = 24 * 3_600_000;

/** Fields of a new file or folder. A custom service may not know `createdTime`. */
export function creationFields({ service }: DriveContext): string {
  return service.can.creationTimes ? 'id,trashed,createdTime' : 'id';
}

export class CreationTimes {
  private first = Infinity;
  private hasUnknown = false;

  /** @param time as the drive reports it */
  add(time: string | undefined): void {
    const parsed = Date.parse(time ?? '');
    if (Number.isNaN(parsed)) this.hasUnknown = true;
    else this.first = Math.min(this.first, parsed);
  }

  /** ms since 1970: what was created before can't be a duplicate. Undefined if that is unknown. */
  get earliest(): number | undefined {
    return this.hasUnknown || this.first === Infinity ? undefined : this.first - MARGIN;
  }
}
