/** Watches of a local drive, and the events that they emit. */
import { CHANGE_EVENTS, type Watch } from '../../../src';
import type { WatchBatch, WatchOptions } from '../../../src/watch/watch';
import { FakeClock } from '../../support/clock';
import { DriveFixture } from '../../support/client/drive-fixture';

export interface PollResult {
  /** `event name`, in order. */
  events: string[];
  /** The state to save. */
  state: unknown;
  pages: WatchBatch[];
}

export class WatchFixture extends DriveFixture {
  constructor() {
    const clock = new FakeClock();
    // The drive dates files by the real clock.
    clock.jump(Date.now() - clock.now());
    super({}, { clock });
  }

  watch(options: Partial<WatchOptions> = {}, savedState?: unknown): Watch {
    const defaults = { folderId: '', recursive: false, events: CHANGE_EVENTS, start: 'now' } as const;
    return this.client.watch({ ...defaults, ...options }, structuredClone(savedState));
  }

  /** A watch after its first poll, so that later changes are emitted. */
  async started(options?: Partial<WatchOptions>): Promise<{ watch: Watch; state: unknown }> {
    const watch = this.watch(options);
    const { state } = await poll(watch);
    return { watch, state };
  }

  change(id: string, json: object, query?: Record<string, string>): Promise<void> {
    return this.request('PATCH', id, json, query);
  }

  remove(id: string): Promise<void> {
    return this.request('DELETE', id);
  }

  private async request(method: string, id: string, json?: object, query: Record<string, string> = {}) {
    const url = `${this.drive.url}/drive/v3/files/${id}?${new URLSearchParams(query).toString()}`;
    const headers = { Authorization: 'Bearer access-token', 'Content-Type': 'application/json' };
    const response = await fetch(url, { method, headers, body: json && JSON.stringify(json) });
    if (!response.ok) throw new Error(`${method}: ${response.status}`);
  }
}

export function watchFixture(): WatchFixture {
  return new WatchFixture();
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
