import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Bodies are kept up to here; enough for every JSON, form and small multipart body. */
const MAX_RECORDED_BODY = 64 * 1024;

/** One request as it came over the wire. */
export class RecordedRequest {
  readonly method: string;
  /** The raw request target, e.g. `/drive/v3/files?q=name+contains+%27a%27`. */
  readonly url: string;
  readonly path: string;
  /** The raw query without `?`, so that tests can see how blanks were encoded. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's port: which connection it came by. */
  readonly clientPort: number;
  /** Status of the answer; undefined while there is none, or when none ever left. */
  status?: number;
  /** Bytes of the request body that arrived. */
  bytes = 0;
  private readonly recordedChunks: Buffer[] = [];
  private recordedBytes = 0;

  constructor(
    request: IncomingMessage,
    /** Milliseconds on the drive's clock. */
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

  /** Called for every piece of the body that arrives. */
  recordChunk(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.recordedBytes >= MAX_RECORDED_BODY) return;
    // A copy: a slice would keep the whole network buffer alive.
    const piece = Buffer.from(chunk.subarray(0, MAX_RECORDED_BODY - this.recordedBytes));
    this.recordedChunks.push(piece);
    this.recordedBytes += piece.length;
  }
}

/** What was received so far, oldest first. */
export class RequestLog {
  readonly all: RecordedRequest[] = [];

  /** `limit` bounds the memory of a long run; the oldest requests go first. */
  constructor(private readonly limit = 20_000) {}

  add(request: RecordedRequest): void {
    if (this.limit === 0) return;
    if (this.all.length >= this.limit) this.all.splice(0, Math.ceil(this.limit / 10));
    this.all.push(request);
  }

  /** Those of a method (any if empty) whose path matches. */
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
