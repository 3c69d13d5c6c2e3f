/** Where a watch stands, so that the next start goes on there. */
import { type JsonObject, isObject } from '../http/json';
import type { DriveFile } from '../types';
import { KnownFiles } from './known-files';

export type Pass = 'none' | 'tell' | 'compare';

export class WatchState {
  /** Every file that is watched is known. */
  knowsAll = true;
  /** ms since 1970, of the service's clock: what was created later and isn't known is new. */
  since = 0;
  /** The files that are there are still being gone through: all of them to be told, or those that differ. */
  pass: Pass = 'none';

  /** New files outside of what is watched, with the time when they were created. */
  private readonly outside = new Map<string, number>();

  private constructor(
    /** Whose changes, and of what: another person's or folder's begin anew. */
    readonly of: string,
    /** Of the feed. */
    public token: string,
    readonly known = new KnownFiles(),
  ) {}

  static begin(of: string, token: string): WatchState {
    return new WatchState(of, token);
  }

  /** @param kept what {@link kept} gave before. @returns undefined where it is of something else, or nothing */
  static restore(kept: unknown, of: string): WatchState | undefined {
    if (!isObject(kept) || kept['of'] !== of) return undefined;
    const { token, since, knowsAll, pass, known, outside } = kept;
    if (typeof token !== 'string' || token === '' || typeof since !== 'number') return undefined;
    const state = new WatchState(of, token, new KnownFiles(known));
    state.since = since;
    state.knowsAll = knowsAll === true;
    for (const [id, created] of Object.entries(isObject(outside) ? outside : {})) {
      if (typeof created === 'number') state.outside.set(id, created);
    }
    if (pass === 'tell' || pass === 'compare') state.pass = pass;
    return state;
  }

  /** As JSON. */
  kept(): JsonObject {
    const { of, token, since, knowsAll, pass } = this;
    return {
      of,
      token,
      since,
      knowsAll,
      pass,
      known: this.known.kept(),
      outside: Object.fromEntries(this.outside),
    };
  }

  /** From here on nothing is left of the place in the feed, and what is known is compared with what is there. */
  beginAnew(token: string): void {
    this.token = token;
    this.pass = 'compare';
  }

  /** Remembers a file that is watched. */
  note(file: DriveFile): void {
    if (!this.known.note(file)) this.knowsAll = false;
  }

  /** What is outside of what is watched has not been created when it comes in. */
  noteOutside({ id, createdTime = '' }: DriveFile): void {
    const created = Date.parse(createdTime);
    this.outside.delete(id);
    if (created > this.since) this.outside.set(id, created);
    const [oldest] = this.outside.keys();
    if (this.outside.size > MOST_OUTSIDE && oldest !== undefined) this.outside.delete(oldest);
  }

  /** @returns whether it can't have been there before, or have been told */
  isNew({ id, createdTime = '' }: DriveFile): boolean {
    return Date.parse(createdTime) > this.since && !this.outside.has(id);
  }

  /** All is told that was created up to then, but for what the feed tells late. @param now ms since 1970 */
  toldUpTo(created: number, now: number): void {
    this.began(created - LATE, now);
    for (const [id, time] of this.outside) if (time <= this.since) this.outside.delete(id);
  }

  /**
   * @param created of the newest file that was there, ms since 1970 of the service's clock
   * @param now what is dated in the future tells nothing of the time
   */
  began(created: number, now: number): void {
    if (created > this.since && created < now + DAY) this.since = created;
  }
}

/** Files outside that are remembered: those that are new. */
const MOST_OUTSIDE = 1_000;
/** ms that the feed may be late, and a file old when it is there: it may be dated at the start of its upload. */
const LATE = 3_600_000;
const DAY = 86_400_000;
