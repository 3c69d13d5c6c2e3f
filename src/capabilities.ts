/**
 * How services differ, and what a custom service can't do. Nothing else in `src` tells Google Drive from a custom
 * service: it asks for the capability that it needs. An account chooses by its setting `service`, when its settings are
 * read.
 */

/** Google Drive: all of Drive v3. A custom service is expected to support only the requests in docs/signing-in.md. */
const GOOGLE = {
  // Requests that every service gets. Without the capability, a refusal means that the service lacks them.

  /** `about` identifies the user. Otherwise, a watch can't notice another user. */
  about: true,
  /** Metadata of a file can be read and changed. Otherwise, only its id is known. */
  metadata: true,
  /** Fields that only serve users, such as links. Otherwise, they are left out. */
  optionalFields: true,
  trash: true,
  permissions: true,
  /** Creating folders. */
  folders: true,
  /** Moving and copying. */
  moves: true,
  /** Otherwise, uploads are multipart. */
  resumableUploads: true,
  /** IDs for new files. Otherwise, creating a file isn't repeated. */
  generateIds: true,
  /** The list of changes, which a watch needs. */
  changes: true,
  /** The export formats of documents. Otherwise, each document is tried. */
  exports: true,

  // Parameters and answers. Without the capability, they aren't used, and the client does without them.

  /**
   * `q` with `or`, `!=`, `trashed`, times … Otherwise: `in parents`, `mimeType =` and `name contains`, joined by `and`.
   */
  queries: true,
  /** `name contains` matches only the beginnings of words: 42 doesn't find backup-2042.tar. */
  containsMatchesWords: true,
  orderBy: true,
  /** `pageSize`. Otherwise, it is sent only after the service has returned a page token. */
  pageSize: true,
  /** `fields` of an upload, for its size and checksum. Otherwise, they are requested afterwards. */
  uploadFields: true,
  /** An upload without an ID creates a new file, even if the folder contains one of that name. */
  duplicateNames: true,
  /** Every file has `createdTime`. Otherwise, it is requested only where it matters. */
  creationTimes: true,
  /** Every file has `parents`, as far as the user has access to them. */
  parents: true,
  shortcuts: true,
  /** Shared drives, with their parameters, and lists of what others have shared. */
  sharedDrives: true,
  /** A missing file is reported with a reason. Otherwise, the URL may be wrong. */
  errorReasons: true,
  /** Messages in responses contain no secrets, so that users may see them. */
  safeMessages: true,
  /** A permission can't last longer than a year. */
  limitedExpiration: true,
  /** The URLs are part of this package. Otherwise, errors name the setting. */
  presetUrls: true,
  /** Files have URLs in a browser, which can be given instead of an ID. */
  browserUrls: true,
  /** A sign-in in the browser asks for a refresh token (`access_type=offline`). */
  offlineAccess: true,
};

export type Capabilities = Readonly<Record<keyof typeof GOOGLE, boolean>>;

const CUSTOM = Object.fromEntries(Object.keys(GOOGLE).map((name) => [name, false])) as Capabilities;

export const CAPABILITIES: Readonly<Record<'google' | 'custom', Capabilities>> = {
  google: GOOGLE,
  custom: CUSTOM,
};
