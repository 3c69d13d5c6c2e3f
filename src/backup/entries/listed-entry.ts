/** An entry of an archive as users see it. */
import { readablePath } from '../../fs/path-bytes';
import { relativePath } from '../../fs/safe-name';
import type { TarEntry } from '../archive/read-archive';

export interface ListedEntry {
  /** As patterns for entries match it. */
  path: string;
  type: TarEntry['type'];
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

export function addToTotals(totals: ArchiveTotals, { type, size }: Pick<TarEntry, 'type' | 'size'>): void {
  totals.entries += 1;
  if (type === 'file' || type === 'link') totals.files += 1;
  if (type === 'folder') totals.folders += 1;
  if (type === 'file') totals.bytes += size;
}

export function toListed({ name, type, linkName, size, mode, mtime }: TarEntry): ListedEntry {
  return {
    path: readablePath(relativePath(name) ?? name),
    type,
    size: type === 'file' ? size : 0,
    modifiedTime: new Date(Math.floor(mtime * 1_000)).toISOString(),
    mode,
    ...(linkName !== '' && { target: readablePath(linkName) }),
  };
}
