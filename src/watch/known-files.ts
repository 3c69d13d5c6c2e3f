/**
 * What a watch remembers of files: the feed says how a file is now, and only who knows how it was can say what happened
 * to it. Of the many files of a drive only the latest are remembered.
 */
import { createHash } from 'node:crypto';
import { withFields } from '../api/fields';
import type { DriveFile } from '../types';

/** `gone`: removed for good, remembered because what was in a folder may be told of after the folder. */
export type FileState = 'here' | 'trashed' | 'gone';

export interface KnownFile {
  /** `''` where it has none. */
  parent: string;
  name: string;
  /** Differs when anything of it does that a person can change, but for its place and the trash. */
  digest: string;
  state: FileState;
}

/** About 110 bytes each of a file that is written whole. */
export const MAX_KNOWN_FILES = 10_000;
/** Characters; a name may have any number. */
const LONGEST_NAME = 255;

/** Fields of a file that are told. */
export const EMITTED_FIELDS = 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents,trashed';

/** Those that {@link digestOf} looks at. */
const MARK_FIELDS = [
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

/** All that a watch asks for. */
export const WATCH_FIELDS = withFields(EMITTED_FIELDS, MARK_FIELDS);

type Kept = [id: string, parent: string, name: string, mark: string, state: FileState];

export class KnownFiles {
  /** By their id, those that were touched last at the end. */
  private readonly files = new Map<string, KnownFile>();

  /** @param kept what {@link kept} gave; anything else in it is left out */
  constructor(kept: unknown = []) {
    for (const each of Array.isArray(kept) ? (kept as unknown[]) : []) {
      if (!isKept(each)) continue;
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

  /** Remembers a file as it is now. @returns the id of another that had to be forgotten for that */
  record(file: DriveFile): string | undefined {
    return this.set(file.id, {
      parent: parentOf(file),
      name: (file.name ?? '').slice(0, LONGEST_NAME),
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

  /** The ids of all that weren't removed. */
  ids(): string[] {
    return [...this.files].filter(([, { state }]) => state !== 'gone').map(([id]) => id);
  }

  /** As JSON, for the next start. */
  toJSON(): Kept[] {
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
  const values = MARK_FIELDS.map((field) => file[field] ?? null);
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 11);
}

function isKept(value: unknown): value is Kept {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [, , , , state] = value as unknown[];
  return (
    value.every((each) => typeof each === 'string') &&
    (state === 'here' || state === 'trashed' || state === 'gone')
  );
}
