/** A local drive for each describe block, and helpers for its requests. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'mocha';
import { startLocalDrive, type LocalDrive, type LocalDriveOptions } from '../index';

export const TOKEN = 'test-access-token';

/** A complete response. */
export interface TestResponse {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  /** The body parsed as JSON. */
  json: ResponseJson;
}

/** All fields that tests read from responses. */
export interface ResponseJson {
  id: string;
  name: string;
  kind: string;
  mimeType: string;
  size: string;
  version: string;
  md5Checksum: string;
  modifiedTime: string;
  parents: string[];
  owners: object[];
  exportLinks: Record<string, string>;
  shortcutDetails: object;
  files: { name: string }[];
  incompleteSearch: boolean;
  nextPageToken: string;
  changes: ResponseJson[];
  newStartPageToken: string;
  startPageToken: string;
  fileId: string;
  removed: boolean;
  file: { name: string };
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
  access_token: string;
  refresh_token: string;
  scope: string;
  ids: string[];
  user: object;
  storageQuota: Record<string, string>;
  error: { code: number; message: string; errors: { reason: string; location?: string }[] };
}

export interface CallOptions {
  query?: Record<string, string | number | boolean>;
  json?: unknown;
  form?: Record<string, string>;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** Another access token; empty for none. */
  token?: string;
}

const folders: string[] = [];

/** A folder that is removed when the process exits. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'local-drive-spec-'));
  folders.push(folder);
  return folder;
}

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Starts a drive for the tests of a `describe` block. */
export function useDrive(options: LocalDriveOptions = {}) {
  const state: { drive?: LocalDrive } = {};
  before(async () => {
    state.drive = await startLocalDrive({ token: TOKEN, ...options });
  });
  after(async () => {
    await state.drive?.close();
  });
  const drive = () => {
    if (!state.drive) throw new Error('the drive is not running');
    return state.drive;
  };
  return {
    get drive() {
      return drive();
    },
    call: (method: string, path: string, options?: CallOptions) => call(drive().url, method, path, options),
  };
}

/** Sends a request; `path` may be a whole URL. Redirects are not followed. */
export async function call(
  origin: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<TestResponse> {
  const url = new URL(path, origin);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    url.searchParams.set(name, String(value));
  }
  const { token = TOKEN } = options;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...bodyType(options), ...options.headers },
    body: bodyOf(options),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    get json(): ResponseJson {
      return JSON.parse(text) as ResponseJson;
    },
  };
}

function bodyType({ json, form }: CallOptions): Record<string, string> {
  if (json !== undefined) return { 'Content-Type': 'application/json' };
  return form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {};
}

function bodyOf({ json, form, body }: CallOptions): string | Uint8Array<ArrayBuffer> | undefined {
  if (json !== undefined) return JSON.stringify(json);
  return form ? new URLSearchParams(form).toString() : typeof body === 'object' ? new Uint8Array(body) : body;
}

/** Checks the status and body of a Drive API error. */
export function shouldBeError(response: TestResponse, status: number, reason: string): void {
  response.status.should.equal(status, response.text);
  const { error } = response.json;
  error.code.should.equal(status);
  error.message.should.be.a.String().and.not.be.empty();
  error.errors.should.have.length(1);
  const [first = {}] = error.errors;
  first.should.have.properties({ domain: 'global', reason, message: error.message });
}
