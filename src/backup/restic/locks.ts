/**
 * Locks, as restic writes and respects them: any number of clients may add snapshots, but only one may remove packs. If
 * two clients create a repository at the same time, `checkConfig` in repository.ts keeps one of them.
 * https://restic.readthedocs.io/en/stable/100_references.html#locks
 */
import { DriveError, LocalTime, isDriveError } from '../../errors';
import { currentOwner, hasEnded, isOfThisProcess } from '../../fs/part-owner';
import type { Repository } from './repository';
import { isDamaged } from './json-file';
import { type Lock, lockJson, readLock } from './snapshot-file';
import type { LockHolder, SnapshotHost } from './snapshot-request';
import type { StoredFile } from './store';

/** ms */
const REFRESH_INTERVAL = 5 * 60_000;
/** ms after which a lock doesn't count any more. */
const STALE_AFTER = 30 * 60_000;
/** ms between two looks at the locks of others. */
const POLL_INTERVAL = 10_000;
/** ms for which a look at the own lock counts, when several files are stored or removed one after the other. */
const CHECK_INTERVAL = 60_000;
/** Stale locks that can't be removed before the others are left as well. */
const MAX_FAILURES = 3;
/** The host in a lock that can't be read. */
const UNKNOWN = '?';

export class RepositoryLock {
  private readonly timer: NodeJS.Timeout;
  private refreshing: Promise<void> = Promise.resolve();
  /** The service's time of the last look at the lock. */
  private checkedAt: number;
  private released: Promise<boolean> | undefined;

  private constructor(
    private readonly repository: Repository,
    private readonly isExclusive: boolean,
    private id: string,
    /** The service's time of the lock file. */
    private refreshedAt: number,
  ) {
    this.checkedAt = refreshedAt;
    this.timer = setInterval(() => {
      // A failure is noticed when the lock is checked.
      this.refreshing = this.refresh().catch(() => undefined);
    }, REFRESH_INTERVAL);
  }

  /**
   * Waits while another client's lock is in the way.
   * @param listsPacks as in {@link tryAcquire}
   * @throws `conflict` with the host and time of the other lock
   */
  static async acquire(
    repository: Repository,
    host: SnapshotHost<never>,
    listsPacks = false,
  ): Promise<RepositoryLock> {
    const { retryFor } = repository.access;
    for (let waited = 0; ; waited += POLL_INTERVAL) {
      const result = await RepositoryLock.tryAcquire(repository, false, listsPacks);
      if (result instanceof RepositoryLock) return result;
      if (waited === 0) await host.emitWaiting(holderOf(result));
      if (waited >= retryFor) throw lockedError(result);
      await repository.store.sleep(Math.min(POLL_INTERVAL, retryFor - waited));
      await repository.refresh();
    }
  }

  /**
   * Lists the repository after the lock was written.
   * @param listsPacks whether the packs are listed, too
   * @returns another client's lock if that is in the way
   */
  static async tryAcquire(
    repository: Repository,
    isExclusive: boolean,
    listsPacks = false,
  ): Promise<RepositoryLock | Lock> {
    const before = await findConflict(repository, isExclusive);
    if (before) return before;
    const { id, time } = await writeLock(repository, isExclusive);
    const lock = new RepositoryLock(repository, isExclusive, id, time);
    await repository.refresh(listsPacks);
    const conflicting = await findConflict(repository, isExclusive, id);
    if (conflicting) await lock.release();
    else await removeStale(repository, id);
    return conflicting ?? lock;
  }

  /**
   * @throws `conflict` if the lock is gone or wasn't refreshed in time: then others may have removed packs that the
   *   snapshot needs
   */
  async check(): Promise<void> {
    await this.refreshing;
    if (!(await this.isHeld())) throw lockLost();
    this.checkedAt = await this.repository.store.time();
  }

  /** As {@link check}, but a recent look is enough. */
  async confirm(): Promise<void> {
    const age = (await this.repository.store.time()) - this.checkedAt;
    if (Math.abs(age) > CHECK_INTERVAL) await this.check();
  }

  /**
   * Stores what refers to packs: without the lock, others may have removed them, and a later backup would rely on them.
   * With another config, nobody could read it.
   * @returns its ID. @throws as {@link check}, and {@link Repository.checkConfig}
   */
  async save(type: 'index' | 'snapshots', json: Buffer): Promise<string> {
    await this.confirm();
    await this.repository.checkConfig();
    const id = await this.repository.save(type, json);
    // The machine may have been suspended before it was sent, or someone has removed all locks and unused packs.
    await this.refreshing;
    if (await this.isHeld().catch(() => this.isRecent())) return id;
    // In a repository that was moved away, the lock can't be found either.
    await this.repository.store.checkPlace();
    await this.repository.store.remove(type, id).catch((error: unknown) => {
      // A contributor of a shared drive may not remove it. The lost lock is the reason that helps.
      if (!isDriveError(error, 'permission_denied')) throw error;
    });
    throw lockLost();
  }

  /**
   * Whether another client uses the repository, or has left its lock there when it stored something at this time. Any
   * lock may be that one if the service doesn't say when it was created.
   */
  async wasShared(time: number | undefined): Promise<boolean> {
    const times = [await this.repository.store.time(), time];
    return this.repository.listed.locks.some(
      ({ name, created = NaN }) =>
        name !== this.id && times.some((each = NaN) => !(Math.abs(each - created) > STALE_AFTER)),
    );
  }

  /** @returns false if this account can't remove it */
  release(): Promise<boolean> {
    clearInterval(this.timer);
    this.released ??= this.refreshing.then(() => removeLock(this.repository, this.id));
    return this.released;
  }

  /** The time counts after the request: a machine that was suspended learns it from the answer. */
  private async isHeld(): Promise<boolean> {
    const { id } = this;
    const isThere = (await this.repository.store.stat('locks', id)) > 0;
    // A newer one has replaced it meanwhile.
    if (!isThere && id !== this.id) return this.isHeld();
    return isThere && (await this.isRecent());
  }

  private async isRecent(): Promise<boolean> {
    return (await this.repository.store.time()) - this.refreshedAt <= STALE_AFTER;
  }

  private async refresh(): Promise<void> {
    // Another client has removed it, or could have: what it protected may be gone.
    if (!(await this.isHeld())) return;
    const { id, time } = await writeLock(this.repository, this.isExclusive);
    const earlier = this.id;
    this.id = id;
    this.refreshedAt = time;
    await removeLock(this.repository, earlier);
  }
}

/** Locks that are stale would keep restic out until somebody removes them with `restic unlock`. */
async function removeStale(repository: Repository, own: string): Promise<void> {
  let failures = 0;
  for await (const { file, lock } of otherLocks(repository, own)) {
    // In My Drive, only its owner may delete a file.
    if (file.isOthers || !(await isStale(repository, lock, file))) continue;
    if (!(await removeLock(repository, file.name, true)) && ++failures === MAX_FAILURES) return;
  }
}

/**
 * One that is left becomes stale by itself.
 * @param isOnce whether one attempt is enough
 * @returns false if it couldn't be removed
 */
async function removeLock({ store }: Repository, name: string, isOnce = false): Promise<boolean> {
  try {
    await store.remove('locks', name, isOnce);
    return true;
  } catch (error) {
    if (!isDriveError(error) || error.code === 'cancelled') throw error;
    return false;
  }
}

async function writeLock(repository: Repository, exclusive: boolean): Promise<{ id: string; time: number }> {
  const { host, username } = repository.access;
  // Of a lock with this machine's name, “restic unlock” sends SIGHUP to the process, which ends Node-RED.
  const hostname = `${host} (Node-RED)`;
  const time = await repository.store.time();
  const lock = { time, exclusive, hostname, username, pid: process.pid, owner: currentOwner() };
  return { id: await repository.save('locks', lockJson(lock)), time };
}

/** @param own ID of the own lock. @returns a lock of those listed that is in the way */
async function findConflict(
  repository: Repository,
  isExclusive: boolean,
  own?: string,
): Promise<Lock | undefined> {
  for await (const { file, lock } of otherLocks(repository, own)) {
    if ((isExclusive || lock.exclusive) && !(await isStale(repository, lock, file))) return lock;
  }
  return undefined;
}

/** Newest first: old ones may be those that nobody could remove. */
async function* otherLocks(
  repository: Repository,
  own?: string,
): AsyncGenerator<{ file: StoredFile; lock: Lock }> {
  for (const file of [...repository.listed.locks].reverse()) {
    const lock = file.name === own ? undefined : await loadLock(repository, file);
    // Otherwise it was removed meanwhile.
    if (lock) yield { file, lock };
  }
}

/** One that can't be read may be exclusive. An old one isn't read: there are many where nobody may remove them. */
async function loadLock(repository: Repository, { name, created }: StoredFile): Promise<Lock | undefined> {
  const now = await repository.store.time();
  const unread = { time: created ?? now, exclusive: true, hostname: UNKNOWN, username: '', pid: 0 };
  if (now - unread.time > STALE_AFTER) return unread;
  try {
    const json = await repository.load('locks', name);
    return json && readLock(json, `locks/${name}`);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return unread;
  }
}

/**
 * A lock of restic only by its age: another container may have the same host name, and its process may be running
 * although its PID isn't found here.
 */
async function isStale(
  { store }: Repository,
  { time, owner }: Lock,
  { isOwn, created = Infinity }: StoredFile,
): Promise<boolean> {
  // The clock of another machine may be ahead by any time.
  if ((await store.time()) - Math.min(time, created) > STALE_AFTER) return true;
  // A lock of this process that isn't in use any more couldn't be removed.
  return !isOwn && owner !== undefined && (hasEnded(owner) || isOfThisProcess(owner));
}

function lockLost(): DriveError {
  return new DriveError('conflict', { text: 'conflict_repository_lock_lost' });
}

function holderOf({ hostname, time }: Lock): LockHolder {
  return { host: hostname === UNKNOWN ? undefined : hostname, time };
}

function lockedError(lock: Lock): DriveError {
  const { host } = holderOf(lock);
  const time = new LocalTime(lock.time);
  return host === undefined
    ? new DriveError('conflict', { text: 'conflict_repository_lock_unreadable', params: { time } })
    : new DriveError('conflict', { text: 'conflict_repository_locked', params: { host, time } });
}
