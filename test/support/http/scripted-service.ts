import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface ReceivedRequest {
  method: string;
  /** Target as sent, with its query. */
  url: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: Buffer;
}

export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  /** Objects are sent as JSON. */
  body?: Buffer | string | object;
  /** The connection is closed after this many bytes of the body. */
  cutAfter?: number;
}

/** A response to send; `reset` closes the connection without one; `handled` if the script has responded itself. */
export type Reply = ScriptedResponse | 'reset' | 'handled';
export type Script = (
  received: ReceivedRequest,
  exchange: { request: IncomingMessage; response: ServerResponse },
) => Reply | Promise<Reply>;

/** A service whose responses are returned by a script of the test, which is called after the request body was read. */
export class ScriptedService {
  readonly requests: ReceivedRequest[] = [];
  private script: Script = () => ({ status: 500 });
  private early: Script | undefined;
  private server!: Server;

  static async start(): Promise<ScriptedService> {
    const service = new ScriptedService();
    await service.listen();
    return service;
  }

  /** Listens without requests and scripts of earlier tests. */
  async listen(): Promise<void> {
    this.requests.length = 0;
    this.script = () => ({ status: 500 });
    this.early = undefined;
    this.server = createServer((request, response) => void this.serve(request, response));
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Calls the script for each request. */
  onRequest(script: Script): void {
    this.script = script;
  }

  /** Sends these responses in order, and then repeats the last one. */
  respondInOrder(...responses: (Reply | Script)[]): void {
    let next = 0;
    this.script = (received, exchange) => {
      const reply = responses[Math.min(next++, responses.length - 1)] ?? 'reset';
      return typeof reply === 'function' ? reply(received, exchange) : reply;
    };
  }

  /** Called before the request body is read. A response is ignored and the script called, as usual. */
  onHeaders(early: Script | undefined): void {
    this.early = early;
  }

  get connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://here');
    const received: ReceivedRequest = {
      method: request.method ?? '',
      url: request.url ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.alloc(0),
    };
    this.requests.push(received);
    const exchange = { request, response };
    if (this.early) {
      const reply = await this.early(received, exchange);
      if (reply === 'handled') return;
      if (reply === 'reset') return void request.socket.destroy();
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    received.body = Buffer.concat(chunks);
    this.send(await this.script(received, exchange), exchange);
  }

  private send(
    reply: Reply,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): void {
    if (reply === 'handled') return;
    if (reply === 'reset') return void request.socket.destroy();
    const { status = 200, headers = {}, body = '', cutAfter } = reply;
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
    response.writeHead(status, {
      ...(isRaw ? {} : { 'Content-Type': 'application/json' }),
      ...(status === 204 ? {} : { 'Content-Length': String(bytes.length) }),
      ...headers,
    });
    if (cutAfter === undefined) return void response.end(bytes);
    response.write(bytes.subarray(0, cutAfter), () => setImmediate(() => request.socket.destroy()));
  }
}

/** @returns a service that listens during each test. Its end also ends the connections of its clients. */
export function useScriptedService(): ScriptedService {
  const service = new ScriptedService();
  beforeEach(() => service.listen());
  afterEach(() => service.close());
  return service;
}

/** An error response of the Drive API. */
export function errorResponse(status: number, reason: string): ScriptedResponse {
  return { status, body: { error: { code: status, message: 'no', errors: [{ domain: 'global', reason }] } } };
}
