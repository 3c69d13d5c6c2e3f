/** The state of a watch, saved so that the next start continues from there. */
import { BoundedMap } from '../core/bounded-map';
import { type JsonObject, isObject } from '../core/validator';
import type { DriveFile } from '../types';
import { type KnownFile, KnownFiles, parentOf } from './known-files';
import { DAY } from '../core/clock';
import { createHash } from 'node:crypto';

/** What to do with the existing files: nothing, emit them as created, or compare them with the known files. */
export type Scan = 'none' | 'emit' | 'compare';

export class WatchState {
  /** Whether all watched files are known. */
  knowsAll = true;
  /** ms since 1970, by the service's clock: unknown files that were created later are new. */
  newAfter = 0;
  /** The unfinished scan of the existing files. */
  scan: Scan = 'none';

  /** Creation times of new files outside the watched folder, by id. Moved into it, they aren't emitted as `created`. */
  private readonly outside = new BoundedMap<string, number>(MAX_OUTSIDE);

  /** Files about to be emitted for the first time, by id. After a crash, they may or may not have been emitted. */
  private readonly pendingEmits = new Map<string, Pick<KnownFile, 'name' | 'parent'>>();

  constructor(
    /** Of the {@link WatchTarget}. */
    readonly fingerprint: string,
    /** The page token of the list of changes. */
    public token: string,
    readonly known = new KnownFiles(),
    /** Files emitted by the scan that are no longer known. */
    readonly emitted = new EmittedIds(),
  ) {}

  /** @param saved the result of {@link toJSON}. @returns undefined if it is invalid or for another target */
  static restore(saved: unknown, fingerprint: string): WatchState | undefined {
    if (!isObject(saved) || saved['of'] !== fingerprint) return undefined;
    // For the names see `toJSON`.
    const { token, since, knowsAll, pass, known, told, outside, strangers } = saved;
    if (typeof token !== 'string' || token === '' || typeof since !== 'number') return undefined;
    const state = new WatchState(fingerprint, token, new KnownFiles(known), new EmittedIds(told));
    state.newAfter = since;
    state.knowsAll = knowsAll === true;
    for (const [id, created] of Object.entries(isObject(outside) ? outside : {})) {
      if (typeof created === 'number') state.outside.set(id, created);
    }
    for (const [id, stranger] of Object.entries(isObject(strangers) ? strangers : {})) {
      if (!isObject(stranger)) continue;
      const { name, parent } = stranger;
      if (typeof name === 'string' && typeof parent === 'string')
        state.pendingEmits.set(id, { name, parent });
    }
    if (pass === 'tell') state.scan = 'emit';
    if (pass === 'compare') state.scan = 'compare';
    return state;
  }

  /** The member names are those of the first release, so that its state files stay readable. */
  toJSON(): JsonObject {
    const { fingerprint, token, newAfter, knowsAll, scan } = this;
    return {
      of: fingerprint,
      token,
      since: newAfter,
      knowsAll,
      pass: scan === 'emit' ? 'tell' : scan,
      known: this.known.toJSON(),
      told: this.emitted.toJSON(),
      outside: Object.fromEntries(this.outside),
      strangers: Object.fromEntries(this.pendingEmits),
    };
  }

  /** Continues with a new page token, after comparing the existing files with the known ones. */
  restart(token: string): void {
    this.token = token;
    this.scan = 'compare';
    this.emitted.clear();
  }

  finishScan(): void {
    this.scan = 'none';
    this.emitted.clear();
  }

  /** Records a watched file. */
  record(file: DriveFile): void {
    const dropped = this.known.record(file);
    if (dropped === undefined) return;
    this.knowsAll = false;
    if (this.scan === 'emit') this.emitted.add(dropped);
  }

  /**
   * @returns whether the file would be emitted for the first time, or again after its removal, and isn't in
   *   `pendingEmits`
   */
  isFirstEmit(id: string): boolean {
    return (this.known.get(id)?.state ?? 'gone') === 'gone' && !this.pendingEmits.has(id);
  }

  addPendingEmits(files: readonly DriveFile[]): void {
    for (const file of files)
      this.pendingEmits.set(file.id, { name: file.name ?? '', parent: parentOf(file) });
  }

  /** @returns the file as it may have been emitted before a kill */
  pendingEmit(id: string): KnownFile | undefined {
    const pending = this.pendingEmits.get(id);
    return pending && { ...pending, digest: '', state: 'here' };
  }

  deletePendingEmit(id: string): void {
    this.pendingEmits.delete(id);
  }

  /** Called at the end of the list of changes: everything emitted before a kill was listed again. */
  clearPendingEmits(): void {
    this.pendingEmits.clear();
  }

  recordOutside({ id, createdTime = '' }: DriveFile): void {
    const created = Date.parse(createdTime);
    this.outside.delete(id);
    if (created > this.newAfter) this.outside.set(id, created);
  }

  /** @returns whether the file was created after the watch started and not outside the watched folder */
  isNew({ id, createdTime = '' }: DriveFile): boolean {
    return Date.parse(createdTime) > this.newAfter && !this.outside.has(id);
  }

  /** Called after emitting all files created up to `created`. @param created @param now ms since 1970 */
  emittedUpTo(created: number, now: number): void {
    this.raiseNewAfter(created - MAX_LISTING_DELAY, now);
    for (const [id, time] of this.outside) if (time <= this.newAfter) this.outside.delete(id);
  }

  /**
   * @param created time of the newest existing file, ms since 1970 by the service's clock
   * @param now by the service's clock, ms since 1970. Creation times far in the future are ignored
   */
  raiseNewAfter(created: number, now: number): void {
    if (created > this.newAfter && created < now + DAY) this.newAfter = created;
  }
}

const MAX_OUTSIDE = 1_000;
/** How late a new file may be listed, in ms: its creation time may be the start of a long upload. */
const MAX_LISTING_DELAY = 3_600_000;

/** Base64url characters per digest: 66 bits make a collision among a million files improbable. */
const DIGEST_LENGTH = 11;
/** Limits the size of the state, which is saved with every batch. Files beyond the limit may be emitted twice. */
const MAX_EMITTED = 100_000;

class EmittedIds {
  private readonly digests: Set<string>;

  /** @param saved the result of {@link toJSON}; other values are ignored */
  constructor(saved?: unknown) {
    this.digests = new Set(typeof saved === 'string' ? saved.match(DIGESTS) : []);
  }

  has(id: string): boolean {
    return this.digests.size > 0 && this.digests.has(idDigest(id));
  }

  add(id: string): void {
    if (this.digests.size < MAX_EMITTED) this.digests.add(idDigest(id));
  }

  clear(): void {
    this.digests.clear();
  }

  toJSON(): string {
    return [...this.digests].join('');
  }
}

const DIGESTS = new RegExp(`[\\w-]{${DIGEST_LENGTH}}`, 'g');

function idDigest(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, DIGEST_LENGTH);
}
