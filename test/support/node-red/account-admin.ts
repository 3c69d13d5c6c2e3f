/** The account's admin API as a test calls it, at the test helper's Node-RED or at a real one. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import helper from 'node-red-node-test-helper';
import { CLIENT, customAccount } from './account';

export interface AdminAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed answer; undefined where it is empty or no JSON. */
  body: Record<string, unknown> | undefined;
}

type Send = (where: string, init: RequestInit) => Promise<Response>;

/** How long a sign-in may take to end, in looks at its state. */
const LOOKS = 400;

export class AdminCalls {
  /** Everything that was answered. */
  readonly answers: string[] = [];

  constructor(private readonly send: Send) {}

  async call(
    method: string,
    where: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<AdminAnswer> {
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await this.send(`/cloud-drive-account${where}`, {
      method,
      headers: { ...type, ...headers },
      ...(signal ? { signal } : {}),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    this.answers.push(text);
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  /** Starts a sign-in as the form of an account of the drive does. */
  start(id: string, url: string, form: Record<string, unknown> = {}): Promise<AdminAnswer> {
    const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    return this.call('POST', `/${id}/sign-in`, { flow: 'device', ...customAccount(url), ...client, ...form });
  }

  /** Looks at a sign-in until it has ended, as the editor does: there is no event to wait for. */
  async ended(session: unknown): Promise<Record<string, unknown>> {
    for (let look = 0; look < LOOKS; look++) {
      const { body } = await this.call('GET', `/sign-in/${String(session)}`);
      if (body?.['state'] !== 'pending') return body ?? {};
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('the sign-in does not end');
  }

  /** The state of an account, without the random topic under which its changes are told. */
  async view(id: string): Promise<Record<string, unknown>> {
    const { topic: _topic, ...view } = (await this.call('GET', `/${id}`)).body ?? {};
    return view;
  }
}

/** The admin server of the flow that is loaded in the test helper. */
export async function helperAdmin(): Promise<{ admin: AdminCalls; close: () => void }> {
  const server = http.createServer(helper._httpAdmin);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const admin = new AdminCalls((where, init) => fetch(`${url}${where}`, init));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { admin, close };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
