/**
 * Watches the files of a folder or of the whole drive through the list of changes. The caller stores the state of each
 * batch after emitting its events: then no event is lost, and only those of the batch that was being emitted when the
 * process was killed are repeated. After an error, a new watch continues from the stored state.
 */
import type { DriveContext } from '../drive/drive-context';
import { isFolder } from '../drive/mime-types';
import { projectFields } from '../drive/fields';
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
} from '../drive/changes';
import { PageGuard } from '../drive/list';
import { EMITTED_FIELDS, WATCH_FIELDS, parentOf } from './known-files';
import {
  FolderScope,
  type WatchedFolder,
  type WatchTarget,
  checkFolderExists,
  resolveWatchTarget,
} from './folder-scope';
import { WatchState } from './watch-state';

export interface WatchOptions extends WatchedFolder {
  events: readonly ChangeEvent[];
  /** `all` first emits the existing files as created. */
  start: 'now' | 'all';
}

export interface WatchEvent {
  event: ChangeEvent;
  /** Of a removed file, only the id and what is known of it. */
  file: DriveFile;
}

export interface WatchBatch {
  events: WatchEvent[];
  /** JSON to store after the events were emitted. */
  state: unknown;
  /** The service no longer accepts the page token: the watch restarts and compares the files with those it knows. */
  resynced?: true;
}

interface Session {
  target: WatchTarget;
  state: WatchState;
  scope: FolderScope;
}

export class Watch {
  private current: Session | undefined;
  /** The start page token requested during this poll. */
  private freshToken = '';

  /** @param saved the state stored last; undefined for a new watch */
  constructor(
    private readonly drive: DriveContext,
    private readonly options: WatchOptions,
    private readonly saved: unknown,
  ) {}

  /**
   * Yields everything that happened since the last poll.
   * @throws `not_found` if the folder is missing or in the trash
   */
  async *poll(call: CallOptions): AsyncGenerator<WatchBatch> {
    if (!this.current) {
      const target = await resolveWatchTarget(this.drive, this.options, call);
      const restored = WatchState.restore(this.saved, target.fingerprint);
      this.current = this.createSession(target, restored ?? (await this.createState(target, call)));
      if (!restored) yield this.batch([]);
    }
    yield* this.scanFiles(call);
    yield* this.readChanges(call);
    this.freshToken = '';
  }

  private createSession(target: WatchTarget, state: WatchState): Session {
    return { target, state, scope: new FolderScope(this.drive, target, state.known) };
  }

  private async createState(target: WatchTarget, call: CallOptions): Promise<WatchState> {
    const state = new WatchState(target.fingerprint, await this.startPageToken(call));
    await readServiceTime({ drive: this.drive, folder: target, state }, call);
    if (this.options.start === 'all') {
      state.scan = 'emit';
      return state;
    }
    await recordBaseline({ drive: this.drive, folder: target, state }, call);
    await this.skipChangesDuringBaseline(this.createSession(target, state), call);
    return state;
  }

  /**
   * Records the changes made while the files were listed, without emitting them. Files that changed again afterwards
   * are left to the first poll, which emits their latest change.
   */
  private async skipChangesDuringBaseline(session: Session, call: CallOptions): Promise<void> {
    const { state } = session;
    const token = await this.startPageToken(call);
    if (token === state.token) return;
    const changesFrom = (pageToken: string): Promise<Change[]> =>
      listAllChanges(this.drive, { pageToken, fields: WATCH_FIELDS }, call);
    const during = await changesFrom(state.token);
    const after = new Set((await changesFrom(token)).map(({ fileId }) => fileId));
    await this.process(
      session,
      during.filter(({ fileId }) => !after.has(fileId)),
      call,
    );
    state.token = token;
  }

  /** Continues an unfinished scan of the existing files. */
  private async *scanFiles(call: CallOptions): AsyncGenerator<WatchBatch> {
    const { state, target } = this.session;
    if (state.scan === 'none') return;
    const context = { drive: this.drive, folder: target, state };
    const changes = state.scan === 'emit' ? listNotEmitted(context, call) : listDifferences(context, call);
    for await (const page of changes) {
      yield* this.savePendingEmits(page, call);
      const events = await this.process(this.session, page, call);
      if (events.length > 0) yield this.batch(events);
    }
    state.finishScan();
    yield this.batch([]);
  }

  private async *readChanges(call: CallOptions): AsyncGenerator<WatchBatch> {
    const { state } = this.session;
    let guard = new PageGuard();
    let latest = 0;
    for (;;) {
      const page = await this.readPage(state.token, guard, call);
      if (page === 'invalid token') {
        guard = new PageGuard();
        state.restart(await this.startPageToken(call));
        yield { ...this.batch([]), resynced: true };
        yield* this.scanFiles(call);
        continue;
      }
      yield* this.savePendingEmits(page.changes, call);
      const events = await this.process(this.session, page.changes, call);
      for (const change of page.changes) latest = Math.max(latest, createdTime(change));
      const isLast = page.nextPageToken === undefined;
      if (isLast) {
        state.emittedUpTo(latest, this.drive.engine.serviceTime() ?? this.drive.clock.now());
        state.clearPendingEmits();
      }
      const hasMoved = page.pageToken !== state.token;
      state.token = page.pageToken;
      if (hasMoved || events.length > 0) yield this.batch(events);
      checkFolderExists(this.session.target, page.changes);
      if (isLast) return;
    }
  }

  private async startPageToken(call: CallOptions): Promise<string> {
    this.freshToken = await getStartPageToken(this.drive, call);
    return this.freshToken;
  }

  private async readPage(
    token: string,
    guard: PageGuard,
    call: CallOptions,
  ): Promise<ChangePage | 'invalid token'> {
    try {
      const page = await listChangesPage(this.drive, { pageToken: token, fields: WATCH_FIELDS }, call);
      const { changes, nextPageToken } = page;
      guard.check({ pageToken: token, nextPageToken, itemCount: changes.length });
      return page;
    } catch (error) {
      // A token that the service has just issued can't be stale.
      if (token !== this.freshToken && isInvalidPageToken(error)) return 'invalid token';
      throw error;
    }
  }

  /**
   * Yields a state with the files that are about to be emitted for the first time. If the process crashes after
   * emitting a file and the file is then moved out of the folder, the next watch can still emit its removal. A watch of
   * the whole drive doesn't need this, because it emits every removal.
   */
  private async *savePendingEmits(changes: Change[], call: CallOptions): AsyncGenerator<WatchBatch> {
    const { state, scope, target } = this.session;
    if (target.folderId === '') return;
    await this.loadFolders(this.session, changes, call);
    const isPending = (file: DriveFile): boolean =>
      file.trashed !== true && scope.contains(parentOf(file)) && state.isFirstEmit(file.id);
    const pending = changes.flatMap(({ file }) => (file && isPending(file) ? file : []));
    if (pending.length === 0) return;
    state.addPendingEmits(pending);
    yield this.batch([]);
  }

  /** Sends all requests before it changes the state, so that the page can be processed again after an error. */
  private async process(session: Session, changes: Change[], call: CallOptions): Promise<WatchEvent[]> {
    await this.loadFolders(session, changes, call);
    return changes.flatMap((change) => this.processChange(session, change) ?? []);
  }

  private async loadFolders({ state, scope }: Session, changes: Change[], call: CallOptions): Promise<void> {
    scope.evict();
    scope.updateParents(changes.flatMap(({ file }) => file ?? []));
    for (const { fileId, file } of changes) {
      if (file) await scope.loadAncestors(parentOf(file), call);
      const { parent = '' } = state.known.get(fileId) ?? state.pendingEmit(fileId) ?? {};
      await scope.loadAncestors(parent, call);
    }
  }

  private processChange({ state, scope }: Session, change: Change): WatchEvent | undefined {
    const { fileId, file } = change;
    const isInside = file !== undefined && scope.contains(parentOf(file));
    const before = state.known.get(fileId) ?? (isInside ? undefined : state.pendingEmit(fileId));
    const events = classifyChange(change, {
      before,
      wasInside: before !== undefined && scope.contains(before.parent),
      isInside,
      hasFolder: this.options.folderId !== '',
      knowsAll: state.knowsAll,
      emitsExisting: state.scan === 'emit',
      isNew: file !== undefined && state.isNew(file),
    });
    const removed = before ? { id: fileId, name: before.name, parents: [before.parent] } : { id: fileId };
    this.record(state, change, { isInside, isNew: events.includes('created') });
    const event = events.find((each) => this.options.events.includes(each));
    return event && { event, file: file ? projectFields(file, EMITTED_FIELDS) : removed };
  }

  private record(
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
    // A folder that was moved in contains files that the watch doesn't know.
    const isMovedFolder = !isNew && !state.known.get(fileId) && isFolder(this.drive.service, file.mimeType);
    if (isMovedFolder) state.knowsAll = false;
    state.record(file);
  }

  private batch(events: WatchEvent[]): WatchBatch {
    return { events, state: this.session.state.toJSON() };
  }

  private get session(): Session {
    if (!this.current) throw new Error('no session');
    return this.current;
  }
}

/** ms since 1970, 0 if unknown */
function createdTime({ file }: Change): number {
  return Date.parse(file?.createdTime ?? '') || 0;
}
