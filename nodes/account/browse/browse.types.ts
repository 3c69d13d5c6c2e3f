/** What the editor gets to see of a drive. Shared by the editor and the runtime; types only. */

export interface ListedFile {
  id: string;
  name: string;
  mimeType: string;
  isFolder: boolean;
  /** Bytes; absent where there is no content. */
  size?: number;
  /** RFC 3339. */
  modifiedTime?: string;
}

export interface ListedPage {
  files: ListedFile[];
  /** Asks for what comes after; absent at the end. */
  nextPage?: string;
  /** The id of the folder in which the drive begins. */
  rootId: string;
}

/** A test of search-files: what it would find first. */
export interface FoundFiles {
  files: ListedFile[];
  /** There are more than these. */
  more: boolean;
  /** Some may be missing: the service says so, or there was no time to look through everything. */
  incomplete: boolean;
}

/**
 * Where a file lies, for show: `/Backups/2026`; it begins with `…/` where the folders above are not to be seen, and is
 * `''` where the service can't be asked.
 */
export interface FilePlace {
  path: string;
}

export interface NewFolderAnswer {
  folder: ListedFile;
  /** False where it was there already. */
  created: boolean;
}
