/**
 * The place where the files of a repository are. The main thread implements it with the drive, and the worker
 * thread calls it from there: see core/threads/call-thread.ts.
 * https://restic.readthedocs.io/en/stable/100_references.html#repository-layout
 */

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
  /** Of a snapshot: ms since 1970, by the service's clock: see retention/timestamp.ts. Undefined if unknown. */
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
  read(type: FileType, name: string, range?: ByteRange, attempt?: number): Promise<Buffer>;
  /** How many files have that name, as listed. */
  copies(type: FileType, name: string): Promise<number>;
  /**
   * Resolves when the service has proved to have the content. Nothing is written a second time if a reply is lost.
   * @param length of the content, at the start of the memory
   * @returns the memory, to be used again
   */
  write(type: FileType, name: string, memory: ArrayBuffer, length: number): Promise<ArrayBuffer>;
  /** Whether a file that this store has written is still there, and not in the trash. */
  stillHas(type: FileType, name: string): Promise<boolean>;
  /**
   * Looks whether the folders of the repository, and the snapshots that this store has written, are still in their place.
   * @throws `conflict` if one of them is in the trash, or was moved elsewhere
   */
  checkPlace(): Promise<void>;
  /**
   * For packs that are missing.
   * @throws `conflict` if one of them is in the trash, from where it can be restored, or as {@link checkElsewhere}
   */
  checkTrash(packs: readonly string[]): Promise<void>;
  /**
   * For files that are missing.
   * @param names which are unique. @throws `conflict` if one of them is in another folder of the drive
   */
  checkElsewhere(names: readonly string[]): Promise<void>;
  /** Discards the config that this store has written if there is an older one. @returns whether it stays */
  keepOldestConfig(): Promise<boolean>;
  /** Discards everything that this store has written. A folder stays if another machine uses it. */
  discardWritten(): Promise<void>;
  /**
   * Removes what nobody needs, or gives it a name that doesn't count. All of them stay listed until the next list.
   * @param attempt which of the files with that name, as in {@link read}
   */
  discard(type: FileType, name: string, attempt: number): Promise<void>;
  /** Removes all files of that name, without an error if there is none. */
  remove(type: FileType, name: string): Promise<void>;
  /**
   * A lock that is left becomes stale by itself.
   * @param isStale whether one attempt is enough
   * @returns false if it couldn't be removed
   */
  removeLock(name: string, isStale: boolean): Promise<boolean>;
  /** The service's time, or this machine's if it is unknown, in ms since 1970. */
  time(): Promise<number>;
  /** @param ms @throws `cancelled` */
  sleep(ms: number): Promise<void>;
}
