/** Responses of the admin API with which the editor browses a drive. */

export interface ListedFile {
  id: string;
  name: string;
  mimeType: string;
  isFolder: boolean;
  /** Bytes; absent for files without content. */
  size?: number;
  /** RFC 3339. */
  modifiedTime?: string;
  /** Whether its time of day is shown, too. */
  showsMinute?: boolean;
  /** In which its time is shown; by default the one of the browser. */
  timeZone?: string | undefined;
  /** Classes of Font Awesome, instead of the icon of its kind. */
  icon?: string;
  /** Shown behind the name. */
  mark?: string;
}

export interface FilePage {
  files: ListedFile[];
  /** Page token of the next page; absent on the last one. */
  nextPage?: string;
  /** The id of the drive's root folder. */
  rootId: string;
  /** The name of the account's shared drive, with its first page only. */
  rootName?: string;
  /** Where else the account can look, with the first page of its root only. */
  places?: Place[];
}

/** Besides the account's own drive: lists of Google Drive, and the shared drives. */
export type Place = List | 'sharedDrives';

/** As `where` of a search. */
export type List = 'sharedWithMe' | 'starred';

/** Its id is also the id of its root folder. */
export interface ListedDrive {
  id: string;
  name: string;
}

export interface DrivePage {
  drives: ListedDrive[];
  /** Page token of the next page; absent on the last one. */
  nextPage?: string;
}

/** The first matches of a search-files node. */
export interface SearchTestResult {
  files: ListedFile[];
  /** True if there are more matches than these. */
  more: boolean;
  /** True if matches may be missing: the service says so, or the search timed out. */
  incomplete: boolean;
}

/**
 * The path of a file, for display: `/Backups/2026`, or `Team/2026` on a shared drive that isn't the account's own. It
 * starts with `…/` if folders above can't be read, and is `''` if even the file's name is unknown.
 */
export interface FilePath {
  path: string;
}

export interface NewFolderResponse {
  folder: ListedFile;
  /** False if the folder existed already. */
  created: boolean;
}
