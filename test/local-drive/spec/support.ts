import { after, before } from 'mocha';
import { startLocalDrive, type LocalDrive, type LocalDriveOptions } from '../index';

export const TOKEN = 'test-access-token';

/** An answer, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  /** The body as JSON; a test reads members that it then checks. */
  json: Json;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the very shape of these answers is under test
export type Json = any;

export interface CallOptions {
  query?: Record<string, string | number | boolean>;
  json?: unknown;
  form?: Record<string, string>;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** Another token; empty for none. */
  token?: string;
}

/** Starts a drive for the tests of a `describe` and gives short ways to talk to it. */
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

/** One request; `path` may be a whole address. Redirects are answers, not followed. */
export async function call(
  origin: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const address = new URL(path, origin);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    address.searchParams.set(name, String(value));
  }
  const { token = TOKEN } = options;
  const response = await fetch(address, {
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
    get json(): Json {
      return JSON.parse(text) as Json;
    },
  };
}

function bodyType({ json, form }: CallOptions): Record<string, string> {
  if (json !== undefined) return { 'Content-Type': 'application/json' };
  return form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {};
}

function bodyOf({ json, form, body }: CallOptions): string | Buffer | undefined {
  if (json !== undefined) return JSON.stringify(json);
  return form ? new URLSearchParams(form).toString() : body;
}

/** Checks an error of the files interface, down to its place. */
export function shouldBeError(answer: Answer, status: number, reason: string): void {
  answer.status.should.equal(status, answer.text);
  const { error } = answer.json as { error: { code: number; message: string; errors: Json[] } };
  error.code.should.equal(status);
  error.message.should.be.a.String().and.not.be.empty();
  error.errors.should.have.length(1);
  (error.errors[0] as object).should.have.properties({ domain: 'global', reason, message: error.message });
}
