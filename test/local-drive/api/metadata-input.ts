import { ApiError, invalidValue } from '../http/api-error';
import { parseTimestamp } from './timestamp';
import type { FileRecord } from '../storage/file-record';

/** The validated metadata of a request body. */
export interface MetadataInput {
  id?: string;
  parents?: string[];
  name?: string;
  mimeType?: string;
  description?: string;
  folderColorRgb?: string;
  originalFilename?: string;
  starred?: boolean;
  trashed?: boolean;
  createdTime?: number;
  modifiedTime?: number;
  viewedByMeTime?: number;
  properties?: Record<string, string | null>;
  appProperties?: Record<string, string | null>;
  shortcutTarget?: string;
  writersCanShare?: boolean;
  copyRequiresWriterPermission?: boolean;
}

type Reader = (value: unknown, name: string) => unknown;

const string: Reader = (value, name) => {
  if (typeof value !== 'string') throw invalidValue(name);
  return value;
};

const boolean: Reader = (value, name) => {
  if (typeof value !== 'boolean') throw invalidValue(name);
  return value;
};

const timestamp: Reader = (value, name) => {
  const milliseconds = parseTimestamp(string(value, name) as string);
  if (milliseconds === undefined) throw invalidValue(name);
  return milliseconds;
};

const stringArray: Reader = (value, name) => {
  if (!Array.isArray(value)) throw invalidValue(name);
  return value.map((each) => string(each, name));
};

/** A map of strings; null removes a key. */
const stringMap: Reader = (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidValue(name);
  for (const each of Object.values(value)) if (each !== null) string(each, name);
  return value;
};

const READERS: Record<string, Reader> = {
  id: string,
  parents: stringArray,
  name: string,
  mimeType: string,
  description: string,
  folderColorRgb: string,
  originalFilename: string,
  starred: boolean,
  trashed: boolean,
  writersCanShare: boolean,
  copyRequiresWriterPermission: boolean,
  createdTime: timestamp,
  modifiedTime: timestamp,
  viewedByMeTime: timestamp,
  properties: stringMap,
  appProperties: stringMap,
};

const NOT_WRITABLE = new Set([
  'size',
  'md5Checksum',
  'sha1Checksum',
  'sha256Checksum',
  'version',
  'kind',
  'owners',
]);

/**
 * Validates the metadata of a create, copy or update. As in Google Drive, unknown fields are ignored, wrong types are
 * 400, and fields that only the service sets are 403.
 */
export function readMetadata(body: Record<string, unknown>): MetadataInput {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (NOT_WRITABLE.has(name)) {
      throw new ApiError(
        403,
        'fieldNotWritable',
        'The resource body includes fields which are not directly writable.',
      );
    }
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (reader && value !== null) input[name] = reader(value, name);
  }
  const shortcut = body.shortcutDetails as { targetId?: unknown } | null | undefined;
  if (shortcut?.targetId !== undefined) input.shortcutTarget = string(shortcut.targetId, 'shortcutDetails');
  return input;
}

/** The record fields that an input sets. */
export function toRecordFields(input: MetadataInput, before?: FileRecord): Partial<FileRecord> {
  const { id: _id, parents: _parents, properties, appProperties, ...plain } = input;
  return {
    ...plain,
    ...(properties && { properties: mergeMap(before?.properties, properties) }),
    ...(appProperties && { appProperties: mergeMap(before?.appProperties, appProperties) }),
  };
}

function mergeMap(before: Record<string, string> = {}, changes: Record<string, string | null>) {
  const merged = Object.entries({ ...before, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return Object.fromEntries(merged);
}
