/** An entry of an archive or snapshot, and how users see it. */
import { readablePath } from '../../fs/path-bytes';
import { relativePath } from '../../fs/safe-name';

export interface StoredEntry {
  /** As in the archive: not safe as a path. Written as in path-bytes.ts, as is `linkName`. */
  name: string;
  /** `unsupported` for sparse files and the rest of a file in archives. `device` also for FIFOs and sockets. */
  type: 'file' | 'folder' | 'symlink' | 'link' | 'device' | 'unsupported';
  /** Of links; otherwise `''`. */
  linkName: string;
  /** Bytes of content. */
  size: number;
  mode: number;
  /** Seconds since 1970, with a fraction. */
  mtime: number;
  /** {@link NO_ID} for none. */
  uid: number;
  gid: number;
  /** Of a device or FIFO in a snapshot. Those in archives aren't created, and only programs create sockets. */
  device?: Device | undefined;
  /** The rest of a file that begins in another volume of a GNU tar archive. */
  isContinued?: boolean | undefined;
  /** Of an entry in an archive: where its content starts in the tar. */
  position?: number | undefined;
  /** Of a file in a snapshot: its content in order, by hashes. Long runs of zeros are written as holes. */
  parts?: readonly ContentPart[] | undefined;
}

/** As for the `mknod` program. */
export interface Device {
  kind: 'b' | 'c' | 'p';
  major: number;
  minor: number;
}

export interface ContentPart {
  /** SHA-256 in hexadecimal. */
  id: string;
  /** Bytes. */
  length: number;
}

/**
 * @param content has to be read, or ignored, before the returned promise resolves. The memory of a chunk is freed after
 *   the next call. What is read here counts toward the limit.
 * @returns bytes that the entry takes on disk, as far as this is known; 0 if it wasn't written
 */
export type EntryVisitor = (entry: StoredEntry, content: AsyncIterable<Buffer>) => Promise<number>;

/** Means "no change" for chown(2), so that no file can have such an owner. */
export const NO_ID = 2 ** 32 - 1;

/** As users see it. */
export interface ListedEntry {
  /** As patterns for entries match it. */
  path: string;
  type: StoredEntry['type'];
  /** Bytes of content. */
  size: number;
  /** RFC 3339 */
  modifiedTime: string;
  mode: number;
  /** Of links. */
  target?: string;
}

/** What an archive contains. */
export interface ArchiveTotals {
  entries: number;
  /** With hard links. */
  files: number;
  folders: number;
  /** Of the contents. */
  bytes: number;
}

export function newTotals(): ArchiveTotals {
  return { entries: 0, files: 0, folders: 0, bytes: 0 };
}

export function addToTotals(totals: ArchiveTotals, { type, size }: Pick<StoredEntry, 'type' | 'size'>): void {
  totals.entries += 1;
  if (type === 'file' || type === 'link') totals.files += 1;
  if (type === 'folder') totals.folders += 1;
  if (type === 'file') totals.bytes += size;
}

export function toListed({ name, type, linkName, size, mode, mtime }: StoredEntry): ListedEntry {
  return {
    path: readablePath(relativePath(name) ?? name),
    type,
    size: type === 'file' ? size : 0,
    modifiedTime: new Date(Math.floor(mtime * 1_000)).toISOString(),
    mode,
    ...(linkName !== '' && { target: readablePath(linkName) }),
  };
}
