/** The ids and paths that a node has read for one message, so that an error can name what wasn't found. */
import { DriveError, type TextKey } from '../../../src/index';
import { isIdLike } from './value-summary';

/** Longer texts are no ids. */
const MAX_SHOWN = 100;
/** Errors whose texts don't name what wasn't found. */
const UNNAMED = new Set<TextKey>([
  'not_found',
  'not_found_address',
  'not_found_request',
  'not_found_watched',
]);

export class ReceivedIds {
  /** By property: a node may read a property several times. */
  private readonly shown = new Map<string, { source: string; idOrPath: string }>();

  /** @param source where the value comes from: `msg.payload`. @param idOrPath `''` for the root */
  add(property: string, source: string, idOrPath: string): void {
    const isShown = idOrPath.length <= MAX_SHOWN && isIdLike(idOrPath);
    if (isShown) this.shown.set(property, { source, idOrPath });
    else this.shown.delete(property);
  }

  /**
   * Adds them to an error about a file or folder that wasn't found.
   * @param nameOf the name of a property for users, with its source
   * @returns the error, to be thrown
   */
  addTo(error: unknown, nameOf: (property: string, source: string) => string): unknown {
    if (error instanceof DriveError && UNNAMED.has(error.text) && this.shown.size > 0)
      error.received ??= Array.from(
        this.shown,
        ([property, { source, idOrPath }]) => `${nameOf(property, source)} '${idOrPath}'`,
      ).join(', ');
    return error;
  }
}
