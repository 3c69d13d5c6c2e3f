/** What the worker thread is to do with a repository: see snapshot-thread.ts. */
import type { LockHolder, RepositoryAccess } from './snapshot-request';
import type { RepositoryStore } from './store';

/** How a repository is opened. */
export interface Access extends Pick<RepositoryAccess, 'passphrase' | 'cacheFolder' | 'host' | 'username'> {
  /** ms to wait for other clients that lock the repository. */
  retryFor: number;
}

/** What the thread reports besides its result. Await it where it is a list, so that the thread waits for its reader. */
export interface SnapshotHost<Event> extends RepositoryStore {
  emit(event: Event): Promise<void>;
  /** The repository is locked by another client. */
  emitWaiting(holder: LockHolder): Promise<void>;
}

export interface BackupJob {
  work: 'backup';
  access: Access;
}

export type SnapshotJob = BackupJob;
