/** Responses of the backup node's admin routes. */

/** What a backup of the source would include. */
export interface BackupTestResponse {
  entries: number;
  /** Before compression. */
  bytes: number;
  /** Paths of the first entries, as in the archive. */
  first: string[];
  /** How many files can't be included, such as sockets. */
  skipped: number;
  firstSkipped: string[];
  /** True if reading the source took too long. */
  isStopped?: true;
}

/** A new key pair of the age format. */
export interface KeyPair {
  /** The private key. It is stored nowhere. */
  identity: string;
  /** The public key, `age1…`. */
  recipient: string;
}
