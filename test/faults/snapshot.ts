/** What there is in a folder of the drive, all the way down and with the trash. */
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

/** By their ids. */
export type Snapshot = ReadonlyMap<string, Entry>;

const FOLDER = 'application/vnd.google-apps.folder';

/** The names and places are those of one instant: what was sent last may still be on its way into the drive. */
export async function snapshot(drive: LocalDrive, folder: string): Promise<Snapshot> {
  const entries = new Map<string, Entry>();
  for (const entry of entriesIn(drive, folder)) {
    const content = await drive.files.contentOf(entry.id);
    // It may have been deleted meanwhile.
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

/** Whether it is there for whoever looks for it. */
export function isLive(entries: Snapshot, id: string): boolean {
  return entries.get(id)?.isTrashed === false;
}

/** What is found directly in a folder. */
export function liveChildren(entries: Snapshot, folder: string): [id: string, entry: Entry][] {
  return [...entries].filter(([, { parent, isTrashed }]) => parent === folder && !isTrashed);
}

/** Files of that name, of which one may be in the way of another. */
export function filesNamed(entries: Snapshot, folder: string, name: string): string[] {
  const files = liveChildren(entries, folder).filter(([, entry]) => !entry.isFolder && entry.name === name);
  return files.map(([id]) => id);
}
