/** Google's MIME types. */
export const FOLDER = 'application/vnd.google-apps.folder';
export const SHORTCUT = 'application/vnd.google-apps.shortcut';
const WORKSPACE_PREFIX = 'application/vnd.google-apps.';

/** The user's roles in a shared drive, from least to most access. */
export const ROLES = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer'] as const;
export type Role = (typeof ROLES)[number];

/** A permission directly on an item, or the membership of a shared drive. */
export interface PermissionRecord {
  id: string;
  type: 'user' | 'group' | 'domain' | 'anyone';
  role: Role;
  emailAddress?: string;
  domain?: string;
  allowFileDiscovery?: boolean;
  expirationTime?: number;
}

/** The content of a file. Blobs are immutable: new content gets a new blob. */
export interface Content {
  /** Name of the file below `content/`; absent if the content is empty. */
  blob?: string;
  size: number;
  md5?: string;
  sha1?: string;
  sha256?: string;
}

/** An earlier content of a file; its bytes are not kept. */
export interface Revision {
  id: string;
  modifiedTime: number;
  mimeType: string;
  keepForever?: boolean;
  originalFilename?: string;
  size: number;
  md5?: string;
}

export interface Comment {
  id: string;
  content: string;
  createdTime: number;
}

/** The stored metadata of a file or folder. Times are milliseconds since 1970. */
export interface FileRecord {
  readonly id: string;
  /** Number in the order of creation, which is the default order of lists. */
  readonly order: number;
  /** Number of its latest change in the changes feed. */
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
  /** The target's MIME type when the shortcut was created. */
  shortcutTargetMimeType?: string;
  content?: Content;
  revision?: string;
  keepRevisionForever?: boolean;
  /** Oldest first, without the current content. */
  earlierRevisions?: Revision[];
  comments?: Comment[];
  /** Flagged as malware or spam: a download needs `acknowledgeAbuse=true`. */
  abusive?: boolean;
  /** Set on the top folder of a shared drive: the user's role in the drive. */
  sharedDrive?: Role;
  /** Permissions directly on it, in addition to those of its folders. */
  permissions?: PermissionRecord[];
  /** Set on an item that another user owns and shared with this user. */
  sharedWithMe?: { owner: string; role: Role; time: number };
  writersCanShare?: boolean;
  copyRequiresWriterPermission?: boolean;
  /** Set on the top folder of a service account's My Drive: its address. */
  account?: string;
  /** Ids of the shared drives it was moved out of, `''` for My Drive; their changes feeds report it as removed. */
  formerDrives?: string[];
}

export function isFolder(record: { mimeType: string }): boolean {
  return record.mimeType === FOLDER;
}

/** Whether it is the MIME type of a Workspace document, folder or shortcut, which have no content to download. */
export function isWorkspaceType(mimeType: string): boolean {
  return mimeType.startsWith(WORKSPACE_PREFIX);
}

/** Whether `alt=media` returns its content. */
export function hasDownloadableContent(record: FileRecord): record is FileRecord & { content: Content } {
  return record.content !== undefined && !isWorkspaceType(record.mimeType);
}
