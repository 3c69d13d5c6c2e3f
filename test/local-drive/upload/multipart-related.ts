import { badRequest } from '../http/api-error';

/** The headers (lower-case names) or some bytes of a part, in the order of the body. */
export type RelatedEvent = { headers: Map<string, string> } | { data: Buffer };

const LF = 0x0a;
const CR = 0x0d;
const HEADER_LIMIT = 64 * 1024;

/**
 * Parses a multipart/related stream (RFC 2046 section 5.1). Line endings may be CRLF or, as some clients send them,
 * LF; the first boundary line decides.
 */
export async function* readRelated(
  source: AsyncIterable<Buffer>,
  boundary: string,
): AsyncGenerator<RelatedEvent> {
  const parser = new MultipartParser(boundary);
  for await (const chunk of source) yield* parser.feed(chunk);
  if (!parser.isComplete) throw badRequest('Malformed multipart body.');
}

/** The boundary in a `multipart/related` content type, quoted or not. */
export function boundaryOf(contentType: string | undefined): string {
  const match = /^\s*multipart\/related\s*;(?:.*;)?\s*boundary=(?:"((?:[^"\\]|\\.)+)"|([^\s;"]+))/is.exec(
    contentType ?? '',
  );
  const boundary = match?.[1]?.replace(/\\(.)/g, '$1') ?? match?.[2];
  if (boundary === undefined) throw badRequest('Missing end boundary in multipart body.');
  return boundary;
}

class MultipartParser {
  isComplete = false;
  private state: 'preamble' | 'headers' | 'data' = 'preamble';
  /** Unprocessed bytes. It starts with a line feed, so that a boundary at the very start is found too. */
  private buffer: Buffer = Buffer.from('\n');
  /** Bytes at the start of `buffer` that are not content: that line feed, or the one that ends the headers. */
  private skip = 1;
  private hasBareLineFeeds = false;
  private readonly delimiter: Buffer;

  constructor(boundary: string) {
    this.delimiter = Buffer.from(`\n--${boundary}`);
  }

  *feed(chunk: Buffer): Generator<RelatedEvent> {
    if (this.isComplete) return; // the epilogue is ignored
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const step = this.state === 'headers' ? this.takeHeaders() : this.takeData();
      if (step === 'more') return;
      if (step) yield step;
      if (this.isComplete) return;
    }
  }

  private takeData(): RelatedEvent | 'more' | undefined {
    const found = this.buffer.indexOf(this.delimiter);
    // Bytes that could be the start of a boundary, including the CR before it, stay in the buffer.
    if (found < 0) return this.release(this.buffer.length - this.delimiter.length) ?? 'more';
    const after = found + this.delimiter.length;
    if (this.buffer.subarray(after, after + 2).toString('latin1') === '--') {
      this.isComplete = true;
      return this.release(this.contentEnd(found));
    }
    const line = this.buffer.indexOf(LF, after);
    const tail = this.buffer.subarray(after, line < 0 ? undefined : line).toString('latin1');
    const couldBeBoundary = /^-?[ \t]*\r?$/.test(tail) && tail.length < HEADER_LIMIT;
    if (!couldBeBoundary || (line >= 0 && tail.startsWith('-'))) return this.release(after);
    if (line < 0) return 'more';
    const remaining = this.buffer.subarray(line);
    const data = this.release(this.contentEnd(found));
    this.hasBareLineFeeds = !tail.endsWith('\r');
    this.state = 'headers';
    this.buffer = remaining;
    return data;
  }

  private takeHeaders(): RelatedEvent | 'more' {
    const text = this.buffer.subarray(0, HEADER_LIMIT).toString('latin1');
    const end = /\n\r?\n/.exec(text);
    if (!end) {
      if (text.length >= HEADER_LIMIT) throw badRequest('Malformed multipart body.');
      return 'more';
    }
    const headers = new Map<string, string>();
    for (const line of text.slice(0, end.index).split(/\r?\n/)) {
      const [, name, value] = /^([^:]+):\s*(.*?)\s*$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) headers.set(name.toLowerCase(), value);
    }
    // The line feed of the empty line stays in the buffer, because the next boundary may follow immediately.
    this.buffer = this.buffer.subarray(end.index + end[0].length - 1);
    this.skip = 1;
    this.state = 'data';
    return { headers };
  }

  /** Removes the bytes before `end` and returns them, unless they belong to the preamble. */
  private release(end: number): RelatedEvent | undefined {
    if (end <= this.skip) return undefined;
    const data = this.buffer.subarray(this.skip, end);
    this.buffer = this.buffer.subarray(end);
    this.skip = 0;
    return this.state === 'data' ? { data } : undefined;
  }

  /** The end of the content before a boundary, whose line break belongs to the boundary. */
  private contentEnd(found: number): number {
    return !this.hasBareLineFeeds && this.buffer[found - 1] === CR ? found - 1 : found;
  }
}
