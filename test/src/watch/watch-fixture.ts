/** Watches of a local drive, and the events that they emit. */
import { CHANGE_EVENTS, type Watch } from '../../../src';
import type { WatchBatch, WatchOptions } from '../../../src/watch/watch';
import { type LocalDrive } from '../../local-drive';
import { FakeClock } from '../../support/clock';
import { type DriveFixture, driveFixture } from '../../support/client/drive-fixture';

export interface PollResult {
  /** `event name`, in order. */
  events: string[];
  /** The state to save. */
  state: unknown;
  pages: WatchBatch[];
}

export interface WatchFixture extends DriveFixture {
  watch(options?: Partial<WatchOptions>, savedState?: unknown): Watch;
  /** A watch after its first poll, so that later changes are emitted. */
  started(options?: Partial<WatchOptions>): Promise<{ watch: Watch; state: unknown }>;
  change(id: string, json: object, query?: Record<string, string>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function watchFixture(): WatchFixture {
  const clock = new FakeClock();
  // The drive dates files by the real clock.
  clock.jump(Date.now() - clock.now());
  const fixture = driveFixture({}, { clock });
  const request = async (method: string, id: string, json?: object, query: Record<string, string> = {}) => {
    const url = `${fixture.drive.url}/drive/v3/files/${id}?${new URLSearchParams(query).toString()}`;
    const headers = { Authorization: 'Bearer access-token', 'Content-Type': 'application/json' };
    const response = await fetch(url, { method, headers, body: json && JSON.stringify(json) });
    if (!response.ok) throw new Error(`${method}: ${response.status}`);
  };
  const watch = (options: Partial<WatchOptions> = {}, savedState?: unknown): Watch => {
    const all: WatchOptions = {
      folderId: '',
      recursive: false,
      events: CHANGE_EVENTS,
      start: 'now',
      ...options,
    };
    return fixture.client.watch(all, structuredClone(savedState));
  };
  return {
    get drive(): LocalDrive {
      return fixture.drive;
    },
    get client() {
      return fixture.client;
    },
    clock,
    get http() {
      return fixture.http;
    },
    watch,
    async started(options) {
      const started = watch(options);
      const { state } = await poll(started);
      return { watch: started, state };
    },
    change: (id, json, query) => request('PATCH', id, json, query),
    remove: (id) => request('DELETE', id),
  };
}

/** Polls once. @param maxPages stops after so many pages, as if the process was killed */
export async function poll(watch: Watch, maxPages = Infinity): Promise<PollResult> {
  const pages: WatchBatch[] = [];
  for await (const page of watch.poll({})) {
    pages.push(structuredClone(page));
    if (pages.length === maxPages) break;
  }
  const events = pages.flatMap((page) =>
    page.events.map(({ event, file }) => `${event} ${file.name ?? file.id}`),
  );
  return { events, state: pages.at(-1)?.state, pages };
}
