import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Enough for JSON, forms and small multipart bodies. */
const MAX_RECORDED_BODY = 64 * 1024;

/** A request as received. */
export class RecordedRequest {
  readonly method: string;
  /** The raw request target, e.g. `/drive/v3/files?q=name+contains+%27a%27`. */
  readonly url: string;
  readonly path: string;
  /** The raw query without `?`, so that tests can check how spaces are encoded. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's port, which identifies the connection. */
  readonly clientPort: number;
  /** Status of the response; undefined if none was sent. */
  status?: number;
  /** Bytes of the request body received so far. */
  bytes = 0;
  private readonly recordedChunks: Buffer[] = [];
  private recordedBytes = 0;

  constructor(
    request: IncomingMessage,
    /** Milliseconds since 1970, by the drive's clock. */
    readonly receivedAt: number,
  ) {
    this.method = request.method ?? '';
    this.url = request.url ?? '';
    const mark = this.url.indexOf('?');
    this.path = mark < 0 ? this.url : this.url.slice(0, mark);
    this.query = mark < 0 ? '' : this.url.slice(mark + 1);
    this.headers = request.headers;
    this.clientPort = request.socket.remotePort ?? 0;
  }

  /** Query parameters, decoded. */
  get params(): URLSearchParams {
    return new URLSearchParams(this.query);
  }

  /** The first 64 KiB of the body. */
  get body(): Buffer {
    return Buffer.concat(this.recordedChunks);
  }

  /** The body as a form. */
  get form(): URLSearchParams {
    return new URLSearchParams(this.body.toString());
  }

  recordChunk(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.recordedBytes >= MAX_RECORDED_BODY) return;
    // Copied, because a slice would keep the whole network buffer in memory.
    const copy = Buffer.from(chunk.subarray(0, MAX_RECORDED_BODY - this.recordedBytes));
    this.recordedChunks.push(copy);
    this.recordedBytes += copy.length;
  }
}

/** All received requests, oldest first. */
export class RequestLog {
  readonly all: RecordedRequest[] = [];

  /** @param limit maximum number of requests; the oldest are dropped first */
  constructor(private readonly limit = 20_000) {}

  add(request: RecordedRequest): void {
    if (this.limit === 0) return;
    if (this.all.length >= this.limit) this.all.splice(0, Math.ceil(this.limit / 10));
    this.all.push(request);
  }

  /** Requests with this method (any if empty) and a matching path. */
  to(method: string, path: RegExp | string = ''): RecordedRequest[] {
    const matches = (text: string) => (typeof path === 'string' ? text.includes(path) : path.test(text));
    return this.all.filter((each) => (!method || each.method === method) && matches(each.path));
  }

  get last(): RecordedRequest | undefined {
    return this.all.at(-1);
  }

  clear(): void {
    this.all.length = 0;
  }
}
