/**
 * A file or folder as an input takes it: an id, a path, an object that has one, an array of
 * exactly one, with the Google preset also the address a browser shows.
 */
import { DriveError } from '../../../src/index';
import { summarizeValue } from './value-summary';

export type ItemKind = 'file' | 'folder';

export interface IdOrPathInput {
  /** The node's property, named in errors. */
  property: string;
  /** Where its value comes from: `msg.payload`. */
  source: string;
  kind: ItemKind;
  value: unknown;
  service: 'google' | 'custom';
}

/** @returns whether it is a path, from the root on, and no id */
export function isPath(idOrPath: string): boolean {
  return idOrPath.startsWith('/');
}

/** @returns the id or the path; `''` for a folder given as an empty text. @throws `invalid_input` */
export function parseIdOrPath(given: IdOrPathInput): string {
  const value = idIn(given.value, given.kind);
  if (typeof value !== 'string') throw invalid(given, 'missing');
  if (value.trim() === '') {
    if (given.kind === 'folder' && given.value === '') return '';
    throw invalid(given, 'empty');
  }
  const id = given.service === 'google' ? (idInAddress(value) ?? value) : value;
  if (isPath(id)) return id;
  if (id.includes('/') || hasUnsendable(id) || isRelative(id)) throw invalid(given, 'shape');
  return id;
}

function idIn(value: unknown, kind: ItemKind): unknown {
  if (Array.isArray(value))
    return value.length === 1 && !Array.isArray(value[0]) ? idIn(value[0], kind) : undefined;
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  return object[`${kind}Id`] ?? object['id'];
}

/** Addresses of Drive and of Docs, Sheets and so on; with or without `/u/N/`. */
const ADDRESS = /^https:\/\/(?:drive|docs)\.google\.com\//;
const IN_PATH = /\/(?:file|document|spreadsheets|presentation|drawings|forms)\/(?:u\/\d+\/)?d\/([\w-]+)/;
const IN_FOLDER_PATH = /\/folders\/([\w-]+)/;
const IN_QUERY = /[?&]id=([\w-]+)/;

function idInAddress(value: string): string | undefined {
  if (!ADDRESS.test(value)) return undefined;
  return (IN_PATH.exec(value) ?? IN_FOLDER_PATH.exec(value) ?? IN_QUERY.exec(value))?.[1];
}

/** Not even escaped: as the last part of an address these mean the list of all files, or what is above. */
function isRelative(id: string): boolean {
  return id === '.' || id === '..';
}

/** Control characters, and halves of characters, of which no address can be made. */
function hasUnsendable(id: string): boolean {
  return /\p{Cc}|\p{Surrogate}/u.test(id);
}

function invalid({ property, source, kind, value }: IdOrPathInput, what: string): DriveError {
  const came = summarizeValue(value);
  return new DriveError('invalid_input', {
    text: `invalid_input_${kind}_${what}`,
    params: { property, source, came },
  });
}
