import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOptions, DriveClient, DriveFile, HttpClient } from '../../../src/index';
import type { DiskDownload } from '../../../src/transfer/download/to-disk';
import type { MemoryDownload } from '../../../src/transfer/download/to-memory';
import { type ClientOptions, type TestClient, createTestClient } from './test-client';
import type { FakeClock } from '../clock';
import { md5, sha256 } from '../content';
import {
  type ScriptedResponse,
  type Reply,
  type ScriptedService,
  useScriptedService,
  type ReceivedRequest,
} from '../http/scripted-service';

/** A service with the one file `F`, a client for it and an empty folder, all new for each test. */
export interface DownloadFixture {
  readonly service: ScriptedService;
  readonly client: DriveClient;
  readonly clock: FakeClock;
  readonly http: HttpClient;
  readonly folder: string;
  /** The file's content; tests may change it. */
  content: Buffer;
  /** The file's metadata; size and checksums follow from the content unless they are set here. */
  file: Record<string, unknown>;
  /** Called for each request. Returns a response to send instead of the correct one. */
  fault: (request: ReceivedRequest) => Reply | undefined;
  /** Replaces {@link fault}, for requests for content only. @param index 0 for the first of them */
  onContent(respond: (request: ReceivedRequest, index: number) => Reply | undefined): void;
  /** The correct response to a request. */
  respond(request: ReceivedRequest): ScriptedResponse;
  contentRequests(): ReceivedRequest[];
  /** The `Range` header of each request for content. */
  ranges(): (string | undefined)[];
  toDisk(
    path: string,
    more?: Partial<DiskDownload>,
    call?: CallOptions,
  ): Promise<{ file: DriveFile; path: string }>;
  toMemory(more?: Partial<MemoryDownload>, call?: CallOptions): Promise<{ file: DriveFile; content: Buffer }>;
  restart(options: ClientOptions): void;
  /** Absolute path of a name in the folder. */
  path(name: string): string;
  fileNames(): Promise<string[]>;
}

export function isContentRequest({ query }: ReceivedRequest): boolean {
  return query.get('alt') === 'media';
}

export function downloadFixture(): DownloadFixture {
  const service = useScriptedService();
  let testClient: TestClient;
  let folder: string;

  const fixture: DownloadFixture = {
    content: Buffer.alloc(0),
    file: {},
    fault: () => undefined,
    get service() {
      return service;
    },
    get client() {
      return testClient.client;
    },
    get clock() {
      return testClient.clock;
    },
    get http() {
      return testClient.http;
    },
    get folder() {
      return folder;
    },
    onContent(respond) {
      let index = 0;
      fixture.fault = (request) => (isContentRequest(request) ? respond(request, index++) : undefined);
    },
    respond: (request) => correctResponse(fixture, request),
    contentRequests: () => service.requests.filter(isContentRequest),
    ranges: () => fixture.contentRequests().map(({ headers }) => headers.range),
    toDisk: (path, more = {}, call = {}) =>
      testClient.client.downloadToDisk({ ...REQUEST, path, overwrite: 'replace', ...more }, call),
    toMemory: (more = {}, call = {}) =>
      testClient.client.downloadToMemory({ ...REQUEST, maxSize: 1e9, ...more }, call),
    restart(options) {
      testClient = createTestClient(service.url, options);
    },
    path: (name) => join(folder, name),
    fileNames: () => readdir(folder),
  };

  beforeEach(async () => {
    service.onRequest((request) => fixture.fault(request) ?? fixture.respond(request));
    testClient = createTestClient(service.url);
    folder = await mkdtemp(join(tmpdir(), 'download-'));
    fixture.content = Buffer.from('hello');
    fixture.file = { id: 'F', name: 'file.bin', mimeType: 'application/octet-stream' };
    fixture.fault = () => undefined;
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });
  return fixture;
}

const REQUEST = { id: 'F', fields: 'id,name', acknowledgeAbuse: false };

function correctResponse({ content, file }: DownloadFixture, request: ReceivedRequest): ScriptedResponse {
  if (request.path !== '/drive/v3/files/F') return { status: 404 };
  const { length } = content;
  if (!isContentRequest(request)) {
    return {
      body: { size: String(length), md5Checksum: md5(content), sha256Checksum: sha256(content), ...file },
    };
  }
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? NaN);
  if (Number.isNaN(start)) return { body: content };
  if (start >= length) return { status: 416 };
  const contentRange = `bytes ${start}-${length - 1}/${length}`;
  return { status: 206, headers: { 'Content-Range': contentRange }, body: content.subarray(start) };
}
