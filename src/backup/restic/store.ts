/**
 * The place where the files of a repository are. The main thread implements it with the drive, and the worker
 * thread calls it from there: see core/threads/call-thread.ts.
 * https://restic.readthedocs.io/en/stable/100_references.html#repository-layout
 */
import { type DriveError, isDriveError } from '../../errors';
import { idOf } from './crypto';
import { damagedFile, isDamaged } from './json-file';

/** Files with the same name of which an intact one is looked for. */
export const MAX_COPIES = 32;
/** Codes of errors of one file, which another one with the same name needn't have. */
const UNREADABLE: readonly string[] = ['not_found', 'bad_response', 'permission_denied', 'not_downloadable'];

/** A folder of the repository; `config` is a single file. */
export type FileType = 'config' | 'keys' | 'locks' | 'snapshots' | 'index' | 'data';

export interface StoredFile {
  type: FileType;
  /** The SHA-256 of the content in hexadecimal; `config` for that one. */
  name: string;
  /** Bytes; undefined if the service doesn't tell. */
  size: number | undefined;
  /** If several files have that name, the sizes of all of them. */
  sizes?: readonly (number | undefined)[];
  /** Of a lock: whether this process uses it. */
  isOwn?: boolean;
  /** Of a lock: the service's time at which it was created, in ms since 1970, if the service returns it. */
  created?: number | undefined;
  /** Except of a lock: ms since 1970, by the service's clock: see retention/timestamp.ts. Undefined if unknown. */
  storedAt?: number | undefined;
  /** Whether it is another account's file in My Drive, which only that may remove. */
  isOthers?: boolean;
}

/** Bytes from `start` up to, without, `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface RepositoryStore {
  /**
   * The files of these types, listed now. A list of snapshots must not be newer than the index that they are read with,
   * so both are listed together or the index later. `data` takes several requests, the other types one together.
   * @throws `bad_response` if a list stays incomplete
   */
  list(types: readonly FileType[]): Promise<StoredFile[]>;
  /**
   * Neither the content nor its length is checked against the name.
   * @param range of the content; the answer is shorter if the file is
   * @param attempt reads another file of that name, if there is one
   * @throws `not_found`
   */
  load(type: FileType, name: string, range?: ByteRange, attempt?: number): Promise<Buffer>;
  /**
   * Resolves when the service has proved to have the content. Nothing is written a second time if a reply is lost.
   * @param length of the content, at the start of the memory
   * @returns the memory, to be used again
   */
  save(type: FileType, name: string, memory: ArrayBuffer, length: number): Promise<ArrayBuffer>;
  /** @returns how many files have that name, as listed; of one that this store has written, how many are still there */
  stat(type: FileType, name: string): Promise<number>;
  /**
   * Looks whether the folders of the repository, and the snapshots that this store has written, are still in their place.
   * @throws `conflict` if one of them is in the trash, or was moved elsewhere
   */
  checkPlace(): Promise<void>;
  /**
   * For files that are missing.
   * @throws `conflict` if one of them is in another folder of the drive, or a pack is in the trash
   */
  checkMoved(type: 'snapshots' | 'data', names: readonly string[]): Promise<void>;
  /** Discards the config that this store has written if there is an older one. @returns whether it stays */
  keepOldestConfig(): Promise<boolean>;
  /** Discards everything that this store has written. A folder stays if another machine uses it. */
  discardWritten(): Promise<void>;
  /**
   * Removes what nobody needs, or gives it a name that doesn't count. All of them stay listed until the next list.
   * @param attempt which of the files with that name, as in {@link load}
   */
  discard(type: FileType, name: string, attempt: number): Promise<void>;
  /** Removes all files of that name, without an error if there is none. @param isOnce whether one attempt is enough */
  remove(type: FileType, name: string, isOnce?: boolean): Promise<void>;
  /** The service's time, or this machine's if it is unknown, in ms since 1970. */
  time(): Promise<number>;
  /** @param ms @throws `cancelled` */
  sleep(ms: number): Promise<void>;
}

/** @returns sizes on the drive by ID */
export function packSizes(files: readonly StoredFile[]): Map<string, number | undefined> {
  return new Map(files.flatMap(({ type, name, size }) => (type === 'data' ? [[name, size]] : [])));
}

export function isForeign({ isOthers }: StoredFile): boolean {
  return isOthers === true;
}

export function namesOf(files: readonly StoredFile[], wanted: FileType): string[] {
  return files.flatMap(({ type, name }) => (type === wanted ? [name] : []));
}

/** Whether another copy of what couldn't be read may be readable: this one is missing or damaged, or nobody may read it. */
export function isUnreadable(error: unknown): error is DriveError {
  return (
    isDamaged(error) ||
    (isDriveError(error) && (UNREADABLE.includes(error.code) || error.text === 'conflict_repository_trashed'))
  );
}

/**
 * Reads all files with a name until one is what it should be, and the first one once more: its bytes may have changed on
 * the way.
 * @param open returns undefined for what is damaged
 * @returns what was opened, and which file it is; undefined if all are damaged or missing
 * @throws the first other reason why one can't be read, such as that nobody may
 */
export async function readIntact<T>(
  store: RepositoryStore,
  { type, name, range }: { type: FileType; name: string; range?: ByteRange },
  open: (content: Buffer) => T | undefined,
): Promise<{ opened: T; attempt: number } | undefined> {
  let copies = 1;
  let failure: DriveError | undefined;
  for (let attempt = 0; attempt <= copies; attempt++) {
    try {
      const opened = open(await store.load(type, name, range, attempt));
      if (opened !== undefined) return { opened, attempt };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (error.code !== 'not_found') failure ??= error;
    }
    if (attempt === 0) copies = Math.min(await store.stat(type, name), MAX_COPIES);
  }
  if (failure) throw failure;
  return undefined;
}

/** What this machine remembers of the files. */
interface FileCache {
  read(type: FileType, name: string): Buffer | undefined;
  write(type: FileType, name: string, content: Uint8Array): void;
}

/** @returns the file as it is stored; undefined if there is none. @throws `bad_response` if none has the right hash */
export async function loadFile(
  { store, cache }: { store: RepositoryStore; cache?: FileCache },
  type: FileType,
  id: string,
): Promise<Buffer | undefined> {
  const cached = type === 'locks' ? undefined : cache?.read(type, id);
  if (cached && idOf(cached) === id) return cached;
  // A list may still have what was removed.
  let isThere = false;
  const found = await readIntact(store, { type, name: id }, (each) => {
    isThere = true;
    return idOf(each) === id ? each : undefined;
  });
  if (found) {
    if (type !== 'locks') cache?.write(type, id, found.opened);
    return found.opened;
  }
  if (!isThere) return undefined;
  throw damagedFile(`${type}/${id}`, 'hash');
}

export async function saveFile(
  store: RepositoryStore,
  type: FileType,
  name: string,
  content: Buffer,
): Promise<void> {
  const memory = new ArrayBuffer(content.length);
  content.copy(Buffer.from(memory));
  await store.save(type, name, memory, content.length);
}
