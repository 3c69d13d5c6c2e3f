/** Where a watch stands, so that the next start goes on there. */
import { type JsonObject, isObject } from '../http/json';
import type { DriveFile } from '../types';
import { KnownFiles } from './known-files';

export type Pass = 'none' | 'tell' | 'compare';

export class WatchState {
  /** Every file that is watched is known. */
  knowsAll = true;
  /** ms since 1970, of the service's clock: what was created later is new. */
  since = 0;
  /** The files that are there are still being gone through: all of them to be told, or those that differ. */
  pass: Pass = 'none';
  /** The service has taken the token. */
  isTried = false;

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
    const { token, since, knowsAll, pass, isTried, known } = kept;
    if (typeof token !== 'string' || token === '' || typeof since !== 'number') return undefined;
    const state = new WatchState(of, token, new KnownFiles(known));
    state.since = since;
    state.knowsAll = knowsAll === true;
    state.isTried = isTried === true;
    if (pass === 'tell' || pass === 'compare') state.pass = pass;
    return state;
  }

  /** As JSON. */
  kept(): JsonObject {
    const { of, token, since, knowsAll, pass, isTried } = this;
    return { of, token, since, knowsAll, pass, isTried, known: this.known.kept() };
  }

  /** From here on nothing is left of the place in the feed, and what is known is compared with what is there. */
  beginAnew(token: string): void {
    this.token = token;
    this.pass = 'compare';
    this.isTried = false;
  }

  /** Remembers a file that is watched. */
  note(file: DriveFile): void {
    if (!this.known.note(file)) this.knowsAll = false;
  }

  /** @param now ms since 1970: what is dated in the future tells nothing of the service's time */
  sawFile({ createdTime = '' }: DriveFile, now: number): void {
    this.saw(Date.parse(createdTime), now);
  }

  /** All is told up to a change. What was created shortly before it may still come, and is known where it was told. */
  sawChange(time: number, now: number): void {
    this.saw(time - LATE, now);
  }

  /** @param time ms since 1970, of the service's clock */
  saw(time: number, now = time): void {
    if (time > this.since && time < now + DAY) this.since = time;
  }
}

/** ms in which the feed may still tell of something. */
const LATE = 3_600_000;
const DAY = 86_400_000;
