/** Where a watch stands, so that the next start goes on there. */
import { type JsonObject, isObject } from '../http/json';
import type { DriveFile } from '../types';
import { type KnownFile, KnownFiles, parentOf } from './known-files';
import { EmittedIds } from './emitted-ids';

export type Scan = 'none' | 'tell' | 'compare';

export class WatchState {
  /** Every file that is watched is known. */
  knowsAll = true;
  /** ms since 1970, of the service's clock: what was created later and isn't known is new. */
  newAfter = 0;
  /** The files that are there are still being gone through: all of them to be told, or those that differ. */
  scan: Scan = 'none';

  /** New files outside of what is watched, with the time when they were created. */
  private readonly outside = new Map<string, number>();

  /** By their id, files that are told of for the first time: after a kill it isn't known whether they were. */
  private readonly pendingEmits = new Map<string, Pick<KnownFile, 'name' | 'parent'>>();

  private constructor(
    /** Whose changes, and of what: another person's or folder's begin anew. */
    readonly fingerprint: string,
    /** Of the feed. */
    public token: string,
    readonly known = new KnownFiles(),
    /** Of the files that are gone through to be told, those that are no longer known. */
    readonly emitted = new EmittedIds(),
  ) {}

  static begin(of: string, token: string): WatchState {
    return new WatchState(of, token);
  }

  /** @param kept what {@link kept} gave before. @returns undefined where it is of something else, or nothing */
  static restore(kept: unknown, of: string): WatchState | undefined {
    if (!isObject(kept) || kept['of'] !== of) return undefined;
    const { token, since, knowsAll, pass, known, told, outside, strangers } = kept;
    if (typeof token !== 'string' || token === '' || typeof since !== 'number') return undefined;
    const state = new WatchState(of, token, new KnownFiles(known), new EmittedIds(told));
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
    if (pass === 'tell' || pass === 'compare') state.scan = pass;
    return state;
  }

  /** As JSON. */
  toJSON(): JsonObject {
    const { fingerprint, token, newAfter, knowsAll, scan } = this;
    return {
      of: fingerprint,
      token,
      since: newAfter,
      knowsAll,
      pass: scan,
      known: this.known.toJSON(),
      told: this.emitted.toJSON(),
      outside: Object.fromEntries(this.outside),
      strangers: Object.fromEntries(this.pendingEmits),
    };
  }

  /** From here on nothing is left of the place in the feed, and what is known is compared with what is there. */
  restart(token: string): void {
    this.token = token;
    this.scan = 'compare';
    this.emitted.clear();
  }

  /** All files that are there have been gone through. */
  finishScan(): void {
    this.scan = 'none';
    this.emitted.clear();
  }

  /** Remembers a file that is watched. */
  record(file: DriveFile): void {
    const forgotten = this.known.record(file);
    if (forgotten === undefined) return;
    this.knowsAll = false;
    if (this.scan === 'tell') this.emitted.add(forgotten);
  }

  /** @returns whether nobody has told of it, or only that it was removed */
  needsPendingEmit(id: string): boolean {
    return (this.known.get(id)?.state ?? 'gone') === 'gone' && !this.pendingEmits.has(id);
  }

  /** What is told of next, to be kept before. */
  addPendingEmits(files: readonly DriveFile[]): void {
    for (const file of files)
      this.pendingEmits.set(file.id, { name: file.name ?? '', parent: parentOf(file) });
  }

  /** @returns how it may have been told before a kill */
  pendingEmit(id: string): KnownFile | undefined {
    const stranger = this.pendingEmits.get(id);
    return stranger && { ...stranger, digest: '', state: 'here' };
  }

  deletePendingEmit(id: string): void {
    this.pendingEmits.delete(id);
  }

  /** All that was told before a kill has been seen again. */
  clearPendingEmits(): void {
    this.pendingEmits.clear();
  }

  /** What is outside of what is watched has not been created when it comes in. */
  recordOutside({ id, createdTime = '' }: DriveFile): void {
    const created = Date.parse(createdTime);
    this.outside.delete(id);
    if (created > this.newAfter) this.outside.set(id, created);
    const [oldest] = this.outside.keys();
    if (this.outside.size > MOST_OUTSIDE && oldest !== undefined) this.outside.delete(oldest);
  }

  /** @returns whether it can't have been there before, or have been told */
  isNew({ id, createdTime = '' }: DriveFile): boolean {
    return Date.parse(createdTime) > this.newAfter && !this.outside.has(id);
  }

  /** All is told that was created up to then, but for what the feed tells late. @param now ms since 1970 */
  emittedUpTo(created: number, now: number): void {
    this.raiseNewAfter(created - LATE, now);
    for (const [id, time] of this.outside) if (time <= this.newAfter) this.outside.delete(id);
  }

  /**
   * @param created of the newest file that was there, ms since 1970 of the service's clock
   * @param now what is dated in the future tells nothing of the time
   */
  raiseNewAfter(created: number, now: number): void {
    if (created > this.newAfter && created < now + DAY) this.newAfter = created;
  }
}

/** Files outside that are remembered: those that are new. */
const MOST_OUTSIDE = 1_000;
/** ms that the feed may be late, and a file old when it is there: it may be dated at the start of its upload. */
const LATE = 3_600_000;
const DAY = 86_400_000;
