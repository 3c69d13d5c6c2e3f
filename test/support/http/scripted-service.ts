import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came over the wire. */
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
  /** The line is cut after this many bytes of the body. */
  cutAfter?: number;
}

/** Either an answer, or `'reset'`: the line is cut without one, or `'handled'`: the script has answered itself. */
export type Reply = ScriptedResponse | 'reset' | 'handled';
export type Script = (
  seen: ReceivedRequest,
  wire: { request: IncomingMessage; response: ServerResponse },
) => Reply | Promise<Reply>;

/** A service whose every answer the test writes. Bodies are read before the script is asked. */
export class ScriptedService {
  readonly requests: ReceivedRequest[] = [];
  private script: Script = () => ({ status: 500 });
  private early: Script | undefined;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.serve(request, response));
  }

  static async start(): Promise<ScriptedService> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ScriptedService(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers each request with what the script returns. */
  onRequest(script: Script): void {
    this.script = script;
  }

  /** Answers in this order, the last one for ever. */
  respondInOrder(...answers: (Reply | Script)[]): void {
    let next = 0;
    this.script = (seen, wire) => {
      const answer = answers[Math.min(next++, answers.length - 1)] ?? 'reset';
      return typeof answer === 'function' ? answer(seen, wire) : answer;
    };
  }

  /** Asked before the body is read; `{}` leaves it to the script. */
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
    const address = new URL(request.url ?? '', 'http://here');
    const seen: ReceivedRequest = {
      method: request.method ?? '',
      url: request.url ?? '',
      path: address.pathname,
      query: address.searchParams,
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.alloc(0),
    };
    this.requests.push(seen);
    const wire = { request, response };
    if (this.early) {
      const reply = await this.early(seen, wire);
      if (reply === 'handled') return;
      if (reply === 'reset') return void request.socket.destroy();
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    seen.body = Buffer.concat(chunks);
    this.send(await this.script(seen, wire), wire);
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

/** An error answer of the files interface. */
export function errorResponse(status: number, reason: string): ScriptedResponse {
  return { status, body: { error: { code: status, message: 'no', errors: [{ domain: 'global', reason }] } } };
}
