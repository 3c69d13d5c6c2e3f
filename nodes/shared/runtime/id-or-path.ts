/**
 * A file or folder given as input: an id, a path, an object that contains one, an array of exactly one, and with the
 * Google preset a browser URL.
 */
import { type Capabilities, DriveError, type TextKey } from '../../../src/index';
import { parseDriveUrl } from '../contract/values';
import { isIdLike, isPromise, summarizePublicValue, summarizeUrl, summarizeValue } from './value-summary';

export type FileOrFolder = 'file' | 'folder';

export interface IdOrPathInput {
  /** The node's property, named in errors. */
  property: string;
  /** Where its value comes from: `msg.payload`. */
  source: string;
  kind: FileOrFolder;
  value: unknown;
  can: Pick<Capabilities, 'browserUrls'>;
}

/** @returns whether it is a path from the root folder, not an id */
export function isPath(idOrPath: string): boolean {
  return idOrPath.startsWith('/');
}

/** @returns the id or path; `''` for a folder given as an empty string. @throws `invalid_input` */
export function parseIdOrPath(input: IdOrPathInput): string {
  const value = unwrap(input.value, input.kind);
  if (typeof value !== 'string') throw invalid(input, 'missing');
  if (value.trim() === '') {
    if (input.kind === 'folder' && input.value === '') return '';
    throw invalid(input, 'empty');
  }
  const idOrPath = input.can.browserUrls ? idFromUrl(input, value) : value;
  if (isPath(idOrPath)) return idOrPath;
  if (idOrPath.includes('/') || isUnencodable(idOrPath) || isDotSegment(idOrPath))
    throw invalid(input, 'shape');
  return idOrPath;
}

function unwrap(value: unknown, kind: FileOrFolder): unknown {
  if (Array.isArray(value))
    return value.length === 1 && !Array.isArray(value[0]) ? unwrap(value[0], kind) : undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (isPromise(value)) return value;
  const object = value as Record<string, unknown>;
  return object[`${kind}Id`] ?? object['id'];
}

function idFromUrl({ property, source }: IdOrPathInput, value: string): string {
  const url = parseDriveUrl(value);
  if (url === undefined) return value;
  if ('id' in url) return url.id;
  if (url.problem === 'no_id') return value;
  throw new DriveError('invalid_input', {
    text: 'invalid_input_published_url',
    params: { property, source },
  });
}

/** URL parsers remove these segments even if they are escaped. RFC 3986 section 5.2.4 */
function isDotSegment(id: string): boolean {
  return id === '.' || id === '..';
}

/** Control characters, and lone surrogates, which can't be percent-encoded. */
function isUnencodable(id: string): boolean {
  return /\p{Cc}|\p{Surrogate}/u.test(id);
}

type Problem = 'missing' | 'empty' | 'shape';

function invalid({ property, source, kind, value }: IdOrPathInput, problem: Problem): DriveError {
  if (Array.isArray(value) && value.length === 0)
    return new DriveError('invalid_input', {
      text: 'invalid_input_empty_list',
      params: { property, source },
    });
  const text = unwrap(value, kind);
  const came =
    (typeof text === 'string' && (isIdLike(text) ? summarizePublicValue(text) : summarizeUrl(text))) ||
    summarizeValue(value);
  return new DriveError('invalid_input', {
    text: isPromise(text ?? value) ? 'invalid_input_promise' : `invalid_input_${kind}_${problem}`,
    params: { property, source, came },
  });
}

/** Longer texts are no ids. */
const MAX_SHOWN = 100;
/** Errors whose texts don't name what wasn't found. */
const UNNAMED = new Set<TextKey>([
  'not_found',
  'not_found_address',
  'not_found_request',
  'not_found_watched',
]);

/** The ids and paths that a node has read for one message, so that an error can name what wasn't found. */
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
