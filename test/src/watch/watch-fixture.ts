/** A watch of a local drive, and what it tells. */
import { CHANGE_EVENTS, type Watch } from '../../../src';
import type { WatchBatch, WatchOptions } from '../../../src/watch/watch';
import { type LocalDrive } from '../../local-drive';
import { FakeClock } from '../../support/clock';
import { type DriveFixture, driveFixture } from '../../support/client/drive-fixture';

export interface Heard {
  /** `event name`, in order. */
  news: string[];
  /** To be kept. */
  state: unknown;
  pages: WatchBatch[];
}

export interface WatchFixture extends DriveFixture {
  watch(wanted?: Partial<WatchOptions>, kept?: unknown): Watch;
  /** A watch that has begun: what happens from now on is told. */
  begun(wanted?: Partial<WatchOptions>): Promise<{ watch: Watch; state: unknown }>;
  change(id: string, json: object, query?: Record<string, string>): Promise<void>;
  remove(id: string): Promise<void>;
}

export function watchFixture(): WatchFixture {
  const clock = new FakeClock();
  // Files are dated by the drive, which lives by the real clock.
  clock.jump(Date.now() - clock.now());
  const at = driveFixture({}, { clock });
  const request = async (method: string, id: string, json?: object, query: Record<string, string> = {}) => {
    const address = `${at.drive.url}/drive/v3/files/${id}?${new URLSearchParams(query).toString()}`;
    const headers = { Authorization: 'Bearer access-token', 'Content-Type': 'application/json' };
    const answer = await fetch(address, { method, headers, ...(json ? { body: JSON.stringify(json) } : {}) });
    if (!answer.ok) throw new Error(`${method}: ${answer.status}`);
  };
  const watch = (wanted: Partial<WatchOptions> = {}, kept?: unknown): Watch => {
    const all = { folderId: '', recursive: false, events: CHANGE_EVENTS, start: 'now', ...wanted } as const;
    return at.client.watch(all, structuredClone(kept));
  };
  return {
    get drive(): LocalDrive {
      return at.drive;
    },
    get client() {
      return at.client;
    },
    clock,
    get http() {
      return at.http;
    },
    watch,
    async begun(wanted) {
      const begun = watch(wanted);
      const { state } = await heard(begun);
      return { watch: begun, state };
    },
    change: (id, json, query) => request('PATCH', id, json, query),
    remove: (id) => request('DELETE', id),
  };
}

/** One look. @param pages how many of its pages are taken before the process is gone, so to speak */
export async function heard(watch: Watch, pages = Infinity): Promise<Heard> {
  const told: WatchBatch[] = [];
  for await (const page of watch.poll({})) {
    told.push(structuredClone(page));
    if (told.length === pages) break;
  }
  const news = told.flatMap((page) =>
    page.events.map(({ event, file }) => `${event} ${file.name ?? file.id}`),
  );
  return { news, state: told.at(-1)?.state, pages: told };
}
