/** All files below a folder of the drive, including trashed ones. */
import type { LocalDrive } from '../local-drive';

export interface Entry {
  name: string;
  content: Buffer;
  isFolder: boolean;
  isTrashed: boolean;
  /** Folder id. */
  parent: string;
  /** ms since 1970. */
  modifiedTime: number;
}

/** Files by id. */
export type Snapshot = ReadonlyMap<string, Entry>;

const FOLDER = 'application/vnd.google-apps.folder';

/** Names and parents are read synchronously, because the drive may still process a request. */
export async function snapshot(drive: LocalDrive, folder: string): Promise<Snapshot> {
  const entries = new Map<string, Entry>();
  for (const entry of entriesIn(drive, folder)) {
    const content = await drive.files.contentOf(entry.id);
    // The file may have been deleted meanwhile.
    if (drive.files.find(entry.id)) entries.set(entry.id, { ...entry, content });
  }
  return entries;
}

function entriesIn(drive: LocalDrive, parent: string): (Omit<Entry, 'content'> & { id: string })[] {
  return drive.files.in(parent).flatMap(({ id, name, mimeType, trashed: isTrashed, modifiedTime }) => {
    const isFolder = mimeType === FOLDER;
    const entry = { id, name, isFolder, isTrashed, parent, modifiedTime };
    return [entry, ...(isFolder ? entriesIn(drive, id) : [])];
  });
}

/** Whether the file exists and isn't trashed. */
export function isLive(entries: Snapshot, id: string): boolean {
  return entries.get(id)?.isTrashed === false;
}

/** Direct children of a folder that aren't trashed. */
export function liveChildren(entries: Snapshot, folder: string): [id: string, entry: Entry][] {
  return [...entries].filter(([, { parent, isTrashed }]) => parent === folder && !isTrashed);
}

/** Ids of the files with this name in a folder. */
export function filesNamed(entries: Snapshot, folder: string, name: string): string[] {
  const files = liveChildren(entries, folder).filter(([, entry]) => !entry.isFolder && entry.name === name);
  return files.map(([id]) => id);
}
