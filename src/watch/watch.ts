/**
 * Tells what happens to the files of a folder or of the whole drive, from the feed of changes. Whoever asks keeps the
 * state that comes with each page once its news are told: nothing is left out then, and nothing told twice but for the
 * page that was being told when the process was killed. After an error a new watch goes on from what was kept.
 */
import { type DriveContext, isFolder } from '../api/drive-context';
import { projectFields } from '../api/fields';
import type { CallOptions, DriveFile } from '../types';
import { recordBaseline, listDifferences, listNotEmitted, readServiceTime } from './baseline';
import { type ChangeEvent, classifyChange } from './change-events';
import {
  type Change,
  type ChangePage,
  listAllChanges,
  listChangesPage,
  isInvalidPageToken,
  getStartPageToken,
} from '../api/changes';
import { PageGuard } from '../api/page-guard';
import { EMITTED_FIELDS, WATCH_FIELDS, parentOf } from './known-files';
import { FolderScope, type WatchedFolder } from './folder-scope';
import { WatchState } from './watch-state';
import { type WatchTarget, checkFolderExists, resolveWatchTarget } from './watch-target';

export interface WatchOptions extends WatchedFolder {
  events: readonly ChangeEvent[];
  /** `all` begins with all that is there. */
  start: 'now' | 'all';
}

export interface WatchEvent {
  event: ChangeEvent;
  /** Of what was removed only the id and what was remembered. */
  file: DriveFile;
}

export interface WatchBatch {
  events: WatchEvent[];
  /** JSON to keep once the news are told. */
  state: unknown;
  /** The service no longer knew where the watch stood: it begins anew, and tells what it finds to be different. */
  resynced?: true;
}

interface Open {
  watched: WatchTarget;
  state: WatchState;
  places: FolderScope;
}

type Deciding = Pick<Open, 'state' | 'places'>;

export class Watch {
  private open: Open | undefined;
  /** The token that this look began with, where it did. */
  private given = '';

  /** @param kept the state that was kept last; undefined where there is none */
  constructor(
    private readonly drive: DriveContext,
    private readonly wanted: WatchOptions,
    private readonly kept: unknown,
  ) {}

  /** All that happened since the last time, page by page. @throws `not_found` where the folder isn't there */
  async *poll(call: CallOptions): AsyncGenerator<WatchBatch> {
    if (!this.open) {
      const place = await resolveWatchTarget(this.drive, this.wanted, call);
      const restored = WatchState.restore(this.kept, place.fingerprint);
      this.open = this.opened(place, restored ?? (await this.begun(place, call)));
      if (!restored) yield this.told([]);
    }
    yield* this.goThrough(call);
    yield* this.follow(call);
    this.given = '';
  }

  private opened(place: WatchTarget, state: WatchState): Open {
    return { watched: place, state, places: new FolderScope(this.drive, place, state.known) };
  }

  private async begun(place: WatchTarget, call: CallOptions): Promise<WatchState> {
    const state = WatchState.begin(place.fingerprint, await this.newToken(call));
    await readServiceTime({ drive: this.drive, place, state }, call);
    if (this.wanted.start === 'all') {
      state.scan = 'tell';
      return state;
    }
    await recordBaseline({ drive: this.drive, place, state }, call);
    await this.catchUp(this.opened(place, state), call);
    return state;
  }

  /** What happened while the files were listed is over when the watch begins; what came after it is not. */
  private async catchUp(open: Open, call: CallOptions): Promise<void> {
    const { state } = open;
    const token = await this.newToken(call);
    if (token === state.token) return;
    const all = (since: string): Promise<Change[]> =>
      listAllChanges(this.drive, { pageToken: since, fields: WATCH_FIELDS }, call);
    const during = await all(state.token);
    const after = new Set((await all(token)).map(({ fileId }) => fileId));
    await this.decide(
      open,
      during.filter(({ fileId }) => !after.has(fileId)),
      call,
    );
    state.token = token;
  }

  /** Goes through the files that are there, where that is to be done and was not finished. */
  private async *goThrough(call: CallOptions): AsyncGenerator<WatchBatch> {
    const { state, watched: place } = this.opening;
    if (state.scan === 'none') return;
    const context = { drive: this.drive, place, state };
    const changes = state.scan === 'tell' ? listNotEmitted(context, call) : listDifferences(context, call);
    for await (const page of changes) {
      yield* this.announced(page, call);
      const news = await this.decide(this.opening, page, call);
      if (news.length > 0) yield this.told(news);
    }
    state.finishScan();
    yield this.told([]);
  }

  private async *follow(call: CallOptions): AsyncGenerator<WatchBatch> {
    const { state } = this.opening;
    let guard = new PageGuard();
    let latest = 0;
    for (;;) {
      const page = await this.next(state.token, guard, call);
      if (page === 'refused') {
        guard = new PageGuard();
        state.restart(await this.newToken(call));
        yield { ...this.told([]), resynced: true };
        yield* this.goThrough(call);
        continue;
      }
      yield* this.announced(page.changes, call);
      const news = await this.decide(this.opening, page.changes, call);
      latest = Math.max(latest, ...page.changes.map(created));
      if (page.isLast) {
        state.emittedUpTo(latest, this.drive.clock.now());
        state.clearPendingEmits();
      }
      const hasMoved = page.pageToken !== state.token;
      state.token = page.pageToken;
      if (hasMoved || news.length > 0) yield this.told(news);
      checkFolderExists(this.opening.watched, page.changes);
      if (page.isLast) return;
    }
  }

  private async newToken(call: CallOptions): Promise<string> {
    this.given = await getStartPageToken(this.drive, call);
    return this.given;
  }

  private async next(token: string, guard: PageGuard, call: CallOptions): Promise<ChangePage | 'refused'> {
    try {
      return await listChangesPage(this.drive, { pageToken: token, fields: WATCH_FIELDS, guard }, call);
    } catch (error) {
      // One that was just given has not become old.
      if (token !== this.given && isInvalidPageToken(error)) return 'refused';
      throw error;
    }
  }

  /**
   * Kept before it is told, of a folder: which files nobody has told of. Without that, one that is told, and gone before
   * the start after a kill, would be one that nobody knew; of the whole drive such are told anyway.
   */
  private async *announced(changes: Change[], call: CallOptions): AsyncGenerator<WatchBatch> {
    const { state, places, watched: place } = this.opening;
    if (place.folderId === '') return;
    await this.locate(this.opening, changes, call);
    const isStranger = (file: DriveFile): boolean =>
      file.trashed !== true && places.contains(parentOf(file)) && state.needsPendingEmit(file.id);
    const strangers = changes.flatMap(({ file }) => (file && isStranger(file) ? file : []));
    if (strangers.length === 0) return;
    state.addPendingEmits(strangers);
    yield this.told([]);
  }

  /** Nothing is remembered before all is known that is needed, so that after an error the page is new again. */
  private async decide(
    { state, places }: Deciding,
    changes: Change[],
    call: CallOptions,
  ): Promise<WatchEvent[]> {
    await this.locate({ state, places }, changes, call);
    return changes.flatMap((change) => this.newsOf({ state, places }, change) ?? []);
  }

  private async locate({ state, places }: Deciding, changes: Change[], call: CallOptions): Promise<void> {
    places.evict();
    places.updateParents(changes.flatMap(({ file }) => file ?? []));
    for (const { fileId, file } of changes) {
      if (file) await places.loadAncestors(parentOf(file), call);
      const { parent = '' } = state.known.get(fileId) ?? state.pendingEmit(fileId) ?? {};
      await places.loadAncestors(parent, call);
    }
  }

  private newsOf({ state, places }: Deciding, change: Change): WatchEvent | undefined {
    const { fileId, file } = change;
    const isInside = file !== undefined && places.contains(parentOf(file));
    const before = state.known.get(fileId) ?? (isInside ? undefined : state.pendingEmit(fileId));
    const events = classifyChange(change, {
      before,
      wasInside: before !== undefined && places.contains(before.parent),
      isInside,
      hasFolder: this.wanted.folderId !== '',
      knowsAll: state.knowsAll,
      isTelling: state.scan === 'tell',
      isNew: file !== undefined && state.isNew(file),
    });
    const told = before ? { id: fileId, name: before.name, parents: [before.parent] } : { id: fileId };
    this.remember(state, change, { isInside, isNew: events.includes('created') });
    const event = events.find((each) => this.wanted.events.includes(each));
    return event && { event, file: file ? projectFields(file, EMITTED_FIELDS) : told };
  }

  private remember(
    state: WatchState,
    { fileId, file }: Change,
    { isInside, isNew }: { isInside: boolean; isNew: boolean },
  ): void {
    state.deletePendingEmit(fileId);
    if (!file) return state.known.markRemoved(fileId);
    if (!isInside) {
      state.known.delete(fileId);
      return state.recordOutside(file);
    }
    // A folder that comes from elsewhere brings files that nobody has told of.
    const isStrange = !isNew && !state.known.get(fileId) && isFolder(this.drive.service, file.mimeType);
    if (isStrange) state.knowsAll = false;
    state.record(file);
  }

  private told(events: WatchEvent[]): WatchBatch {
    return { events, state: this.opening.state.toJSON() };
  }

  private get opening(): Open {
    if (!this.open) throw new Error('not open');
    return this.open;
  }
}

function created({ file }: Change): number {
  return Date.parse(file?.createdTime ?? '') || 0;
}
