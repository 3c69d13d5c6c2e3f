/** The vendor's media types; a client learns the folder's from its settings. */
export const FOLDER = 'application/vnd.google-apps.folder';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';
const WORKSPACE_PREFIX = 'application/vnd.google-apps.';

/** What a person may do in a shared drive, the least first. */
export const ROLES = ['reader', 'writer', 'fileOrganizer', 'organizer'] as const;
export type Role = (typeof ROLES)[number];

/** Bytes of a file. Content never changes: new content is a new blob. */
export interface Content {
  /** Name of the file under `content/`; absent for no bytes at all. */
  blob?: string;
  size: number;
  md5?: string;
  sha1?: string;
  sha256?: string;
}

/** What is stored of a file or folder. Times are milliseconds since 1970. */
export interface FileRecord {
  readonly id: string;
  /** Place in the order of creation: the order of a list that asks for none. */
  readonly order: number;
  /** Number of its latest change in the feed of changes. */
  change: number;
  changeTime: number;
  version: number;
  name: string;
  mimeType: string;
  parent?: string;
  createdTime: number;
  modifiedTime: number;
  viewedByMeTime?: number;
  trashed: boolean;
  starred: boolean;
  description?: string;
  folderColorRgb?: string;
  originalFilename?: string;
  properties: Record<string, string>;
  appProperties: Record<string, string>;
  shortcutTarget?: string;
  content?: Content;
  revision?: string;
  /** Flagged as harmful: a download needs `acknowledgeAbuse=true`. */
  abusive?: boolean;
  /** The top folder of a shared drive: the person's role in it. */
  sharedDrive?: Role;
  /** Shared drives that it was in, `''` for My Drive: there it is gone. */
  formerDrives?: string[];
}

export function isFolder(record: { mimeType: string }): boolean {
  return record.mimeType === FOLDER;
}

/** Native documents, folders and shortcuts: they have no content that could be downloaded. */
export function isWorkspaceType(mimeType: string): boolean {
  return mimeType.startsWith(WORKSPACE_PREFIX);
}

/** Whether alt=media gives its bytes. */
export function hasDownloadableContent(record: FileRecord): record is FileRecord & { content: Content } {
  return record.content !== undefined && !isWorkspaceType(record.mimeType);
}
