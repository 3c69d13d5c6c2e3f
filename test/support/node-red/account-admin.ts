/** A client of the admin API of accounts, for the test helper's Node-RED or a Node-RED process. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import helper from 'node-red-node-test-helper';
import { CLIENT, customAccount } from './account';

export interface AdminResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined if it is empty or not JSON. */
  body: Record<string, unknown> | undefined;
}

type Send = (path: string, init: RequestInit) => Promise<Response>;

/** Maximum number of status requests until a sign-in ends. */
const MAX_POLLS = 400;

export class AdminCalls {
  /** The text of all responses. */
  readonly responses: string[] = [];

  constructor(private readonly send: Send) {}

  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<AdminResponse> {
    return this.callNode('account', method, path, body, headers, signal);
  }

  /** @param type of the node whose route it is, without `cloud-drive-` */
  async callNode(
    type: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<AdminResponse> {
    const contentType: Record<string, string> =
      body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await this.send(`/cloud-drive-${type}${path}`, {
      method,
      headers: { ...contentType, ...headers },
      ...(signal && { signal }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    this.responses.push(text);
    return { status: response.status, headers: response.headers, text, body: parseJson(text) };
  }

  /** Starts a sign-in like the form of the account does. */
  start(id: string, url: string, form: Record<string, unknown> = {}): Promise<AdminResponse> {
    const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    return this.call('POST', `/${id}/sign-in`, { flow: 'device', ...customAccount(url), ...client, ...form });
  }

  /** Polls a sign-in until it has ended, like the editor does. */
  async waitForEnd(session: unknown): Promise<Record<string, unknown>> {
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      const { body } = await this.call('GET', `/sign-in/${String(session)}`);
      if (body?.['state'] !== 'pending') return body ?? {};
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('the sign-in did not end');
  }

  /** The status of an account without its random topic. */
  async status(id: string): Promise<Record<string, unknown>> {
    const { topic: _topic, ...status } = (await this.call('GET', `/${id}`)).body ?? {};
    return status;
  }
}

/** Starts the admin server of the test helper. */
export async function helperAdmin(): Promise<{ admin: AdminCalls; close: () => void }> {
  const server = http.createServer(helper._httpAdmin);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const admin = new AdminCalls((path, init) => fetch(`${url}${path}`, init));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { admin, close };
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
