import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOptions, DriveFile } from '../../../src/index';
import type { ToDisk } from '../../../src/download/to-disk';
import type { ToMemory } from '../../../src/download/to-memory';
import { type ClientOptions, type TestClient, createTestClient } from './test-client';
import { md5, sha256 } from '../content';
import { type Answer, type Reply, ScriptedService, type Seen } from '../http/scripted-service';

/** For each test a service with the one file `F`, a client of it and an empty folder. */
export interface DownloadFixture {
  readonly wire: ScriptedService;
  readonly under: TestClient;
  readonly folder: string;
  /** The file's content; may be changed. */
  content: Buffer;
  /** Its metadata, but for what follows from the content. */
  file: Record<string, unknown>;
  /** Returns an answer to give instead, asked for each request. */
  fault: (seen: Seen) => Reply | undefined;
  /** The right answer to a request. */
  answer(seen: Seen): Answer;
  /** Requests for content. */
  fetches(): Seen[];
  toDisk(
    path: string,
    more?: Partial<ToDisk>,
    call?: CallOptions,
  ): Promise<{ file: DriveFile; path: string }>;
  toMemory(more?: Partial<ToMemory>, call?: CallOptions): Promise<{ file: DriveFile; content: Buffer }>;
  restart(options: ClientOptions): void;
  /** All names in the folder. */
  names(): Promise<string[]>;
}

export function downloadFixture(): DownloadFixture {
  let wire: ScriptedService;
  let under: TestClient;
  let folder: string;

  const fixture: DownloadFixture = {
    content: Buffer.alloc(0),
    file: {},
    fault: () => undefined,
    get wire() {
      return wire;
    },
    get under() {
      return under;
    },
    get folder() {
      return folder;
    },
    answer: (seen) => answer(fixture, seen),
    fetches: () => wire.seen.filter(({ query }) => query.get('alt') === 'media'),
    toDisk: (path, more = {}, call = {}) =>
      under.client.downloadToDisk({ ...PLAIN, path, overwrite: 'replace', ...more }, call),
    toMemory: (more = {}, call = {}) =>
      under.client.downloadToMemory({ ...PLAIN, maxSize: 1e9, ...more }, call),
    restart(options) {
      under.close();
      under = createTestClient(wire.url, options);
    },
    names: () => readdir(folder),
  };

  beforeEach(async () => {
    wire = await ScriptedService.start();
    wire.on((seen) => fixture.fault(seen) ?? fixture.answer(seen));
    under = createTestClient(wire.url);
    folder = await mkdtemp(join(tmpdir(), 'download-'));
    fixture.content = Buffer.from('hello');
    fixture.file = { id: 'F', name: 'file.bin', mimeType: 'application/octet-stream' };
    fixture.fault = () => undefined;
  });
  afterEach(async () => {
    under.close();
    await wire.close();
    await rm(folder, { recursive: true });
  });
  return fixture;
}

const PLAIN = { id: 'F', fields: 'id,name', acknowledgeAbuse: false };

function answer({ content, file }: DownloadFixture, { path, query, headers }: Seen): Answer {
  if (path !== '/drive/v3/files/F') return { status: 404 };
  const { length } = content;
  if (query.get('alt') !== 'media') {
    return {
      body: { size: String(length), md5Checksum: md5(content), sha256Checksum: sha256(content), ...file },
    };
  }
  const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? NaN);
  if (Number.isNaN(start)) return { body: content };
  if (start >= length) return { status: 416 };
  const contentRange = `bytes ${start}-${length - 1}/${length}`;
  return { status: 206, headers: { 'Content-Range': contentRange }, body: content.subarray(start) };
}
