/**
 * What a watch knows of files. The list of changes contains only the current state of a file, so what happened to it
 * follows from a comparison. The number of known files is limited; the least recently changed ones are dropped.
 */
import { createHash } from 'node:crypto';
import { withFields } from '../drive/fields';
import type { DriveFile } from '../types';

/** `gone`: permanently removed, and still known because the files of a folder may be listed after the folder. */
type FileState = 'here' | 'trashed' | 'gone';

export interface KnownFile {
  /** `''` for none. */
  parent: string;
  name: string;
  /** Differs if anything that a user can change differs, except the folder and the trash state. */
  digest: string;
  state: FileState;
}

/** Each takes about 110 bytes of the state file. */
export const MAX_KNOWN_FILES = 10_000;
/** Longer names are truncated. */
const MAX_NAME_LENGTH = 255;

/** The fields of emitted files. */
export const EMITTED_FIELDS =
  'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents,webViewLink,trashed';

/** The fields that {@link digestOf} includes. */
const DIGEST_FIELDS = [
  'name',
  'mimeType',
  'size',
  'modifiedTime',
  'md5Checksum',
  'description',
  'starred',
  'properties',
  'appProperties',
] as const;

/** The fields that a watch requests. */
export const WATCH_FIELDS = withFields(EMITTED_FIELDS, DIGEST_FIELDS);

type SavedFile = [id: string, parent: string, name: string, digest: string, state: FileState];

export class KnownFiles {
  /** By id, the most recently recorded last. */
  private readonly files = new Map<string, KnownFile>();

  /** @param saved the result of {@link toJSON}; invalid entries are ignored */
  constructor(saved: unknown = []) {
    for (const each of Array.isArray(saved) ? (saved as unknown[]) : []) {
      if (!isSavedFile(each)) continue;
      const [id, parent, name, digest, state] = each;
      this.files.set(id, { parent, name, digest, state });
    }
  }

  get size(): number {
    return this.files.size;
  }

  get(id: string): KnownFile | undefined {
    return this.files.get(id);
  }

  /** Records the current state of a file. @returns the id of the file dropped for it, if any */
  record(file: DriveFile): string | undefined {
    return this.set(file.id, {
      parent: parentOf(file),
      name: (file.name ?? '').slice(0, MAX_NAME_LENGTH),
      digest: digestOf(file),
      state: file.trashed === true ? 'trashed' : 'here',
    });
  }

  markRemoved(id: string): void {
    const file = this.files.get(id);
    if (file) this.set(id, { ...file, state: 'gone' });
  }

  delete(id: string): void {
    this.files.delete(id);
  }

  /** The ids of all files that weren't removed. */
  ids(): string[] {
    return [...this.files].filter(([, { state }]) => state !== 'gone').map(([id]) => id);
  }

  toJSON(): SavedFile[] {
    return [...this.files].map(([id, { parent, name, digest, state }]) => [id, parent, name, digest, state]);
  }

  private set(id: string, file: KnownFile): string | undefined {
    this.files.delete(id);
    this.files.set(id, file);
    if (this.files.size <= MAX_KNOWN_FILES) return undefined;
    const [oldest] = this.files.keys();
    if (oldest !== undefined) this.files.delete(oldest);
    return oldest;
  }
}

export function parentOf({ parents = [] }: DriveFile): string {
  return parents[0] ?? '';
}

export function digestOf(file: DriveFile): string {
  const values = DIGEST_FIELDS.map((field) => file[field] ?? null);
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 11);
}

function isSavedFile(value: unknown): value is SavedFile {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [, , , , state] = value as unknown[];
  return (
    value.every((each) => typeof each === 'string') &&
    (state === 'here' || state === 'trashed' || state === 'gone')
  );
}
