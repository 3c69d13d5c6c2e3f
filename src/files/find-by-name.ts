/**
 * What a folder holds under a name. Names are compared here, in NFC: the service's own comparison knows no
 * normalization, and a custom service only has `name contains` (docs/signing-in.md).
 */
import { DriveError } from '../errors';
import {
  allOf,
  anyOf,
  inParents,
  isTrashed,
  mimeTypeEquals,
  mimeTypeNotEquals,
  nameContains,
  nameEquals,
  notTrashed,
} from '../api/query';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, folderMimeType, isFolder, rootId } from '../api/drive-context';
import { validateFile, withFields } from '../api/fields';
import { listPages } from '../api/list';

export interface NameQuery {
  /** Any of these. */
  names: readonly string[];
  /** `''`: the root. */
  folderId: string;
  kind: 'files' | 'folders' | 'any';
  fields: string;
  /** What is in the trash, and nothing else. */
  trashed?: boolean;
}

/** A list that may lack entries is mostly whole when it is asked for again. */
const MOST_LOOKS = 3;

/**
 * @returns what is there, not trashed unless that is wanted, with the asked-for fields, `id`, `name` and some more
 * @throws `bad_response` where the list may lack files: what isn't seen would be made a second time, and the one that is
 * seen need not be the only one
 */
export function findByName(drive: DriveContext, wanted: NameQuery, call: CallOptions): Promise<DriveFile[]> {
  let looks = 0;
  return drive.engine.retry(async (budgeted) => {
    const { found, isWhole } = await look(drive, wanted, budgeted);
    if (isWhole) return found;
    const params = { name: wanted.names[0] ?? '' };
    const retryable = ++looks < MOST_LOOKS;
    throw new DriveError('bad_response', { text: 'bad_response_incomplete_names', params, retryable });
  }, call);
}

async function look(
  drive: DriveContext,
  wanted: NameQuery,
  call: CallOptions,
): Promise<{ found: DriveFile[]; isWhole: boolean }> {
  const { service } = drive;
  const names = new Set(wanted.names.map(toNFC));
  const request = {
    q: allOf(terms(service, wanted)),
    fields: withFields(wanted.fields, ['id', 'name', 'mimeType', 'trashed']),
  };
  const found: DriveFile[] = [];
  let isWhole = true;
  for await (const { files, incompleteSearch } of listPages(drive, request, call)) {
    if (incompleteSearch) isWhole = false;
    for (const file of files) {
      if (file.name === undefined || !names.has(toNFC(file.name))) continue;
      if ((file.trashed === true) !== (wanted.trashed === true)) continue;
      if (wanted.kind === 'files' && isFolder(service, file.mimeType)) continue;
      found.push(validateFile(file));
    }
  }
  return { found, isWhole };
}

/** The error of a name that should be one file's and is several's. */
export function ambiguousName(name: string, found: readonly DriveFile[]): DriveError {
  return new DriveError('conflict', { text: 'conflict_names', params: { name, ids: formatIds(found) } });
}

/** More would make a message that nobody reads. */
const MOST_IDS = 10;

/** @returns the ids, of many only the first and how many more there are: `a, b, +5` */
export function formatIds(files: readonly DriveFile[]): string {
  const ids = files.slice(0, MOST_IDS).map(({ id }) => id);
  const more = files.length - ids.length;
  return [...ids, ...(more > 0 ? [`+${more}`] : [])].join(', ');
}

export function toNFC(name: string): string {
  return name.normalize('NFC');
}

function terms(service: Service, { names, folderId, kind, trashed }: NameQuery): string[] {
  const place = inParents(folderId || rootId(service));
  if (service.kind === 'google') {
    const asked = new Set(names.flatMap(unicodeForms));
    const types = {
      folders: [mimeTypeEquals(folderMimeType(service))],
      files: [mimeTypeNotEquals(folderMimeType(service))],
      any: [],
    };
    return [place, ...types[kind], anyOf([...asked].map(nameEquals)), trashed ? isTrashed : notTrashed];
  }
  return [
    place,
    ...(kind === 'folders' ? [mimeTypeEquals(folderMimeType(service))] : []),
    ...commonPart(names).map(nameContains),
  ];
}

/**
 * Bytes that the spellings of names may have in an address. Servers take no more than 8 kB of it with all the headers,
 * some of them; a letter that isn't ASCII has six bytes or nine there.
 */
const LONGEST_NAMES = 4_000;

/** @returns how many of the names, from the first on, can be asked for at once; at least one */
export function countNamesInOneQuery({ kind }: Service, names: readonly string[]): number {
  if (kind === 'custom') return names.length;
  let length = 0;
  const tooMany = names.findIndex((name) => {
    const q = unicodeForms(name).map(nameEquals).join(' or ');
    length += new URLSearchParams({ q }).toString().length;
    return length > LONGEST_NAMES;
  });
  return tooMany < 0 ? names.length : Math.max(1, tooMany);
}

/** @returns the name, and what else it may be written as */
export function unicodeForms(name: string): string[] {
  return [...new Set([name, toNFC(name), name.normalize('NFD')])];
}

/** What all the names have at their beginning, in every normalization: a custom service has no `or`. */
function commonPart(names: readonly string[]): string[] {
  const [first = '', ...others] = names;
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length -= 1;
  }
  const part = first.slice(0, length);
  const hasOneSpelling = part.normalize('NFC') === part.normalize('NFD');
  return part !== '' && hasOneSpelling ? [part] : [];
}
