import { badRequest } from '../http/api-error';

/** What a multipart body is made of, in order: a part's headers (lower-case names), then its bytes. */
export type RelatedEvent = { headers: Map<string, string> } | { data: Buffer };

const LF = 0x0a;
const CR = 0x0d;
const HEADER_LIMIT = 64 * 1024;

/**
 * Reads multipart/related (RFC 2046 5.1) as it arrives, whatever the size. Line ends may be CRLF or, as some
 * clients send them, bare LF: the first boundary line decides.
 */
export async function* readRelated(
  source: AsyncIterable<Buffer>,
  boundary: string,
): AsyncGenerator<RelatedEvent> {
  const splitter = new RelatedSplitter(boundary);
  for await (const chunk of source) yield* splitter.feed(chunk);
  if (!splitter.complete) throw badRequest('Malformed multipart body.');
}

/** The boundary of a `multipart/related` content type, quoted or not. */
export function boundaryOf(contentType: string | undefined): string {
  const match = /^\s*multipart\/related\s*;(?:.*;)?\s*boundary=(?:"((?:[^"\\]|\\.)+)"|([^\s;"]+))/is.exec(
    contentType ?? '',
  );
  const boundary = match?.[1]?.replace(/\\(.)/g, '$1') ?? match?.[2];
  if (boundary === undefined) throw badRequest('Missing end boundary in multipart body.');
  return boundary;
}

class RelatedSplitter {
  complete = false;
  private state: 'preamble' | 'headers' | 'data' = 'preamble';
  /** What is not handed on yet. A line feed in front lets a boundary at the very start be found like any other. */
  private rest: Buffer = Buffer.from('\n');
  /** Bytes at the start of `rest` that are not content: the line feed above, or the one that ends the headers. */
  private skip = 1;
  private bareLineFeeds = false;
  private readonly delimiter: Buffer;

  constructor(boundary: string) {
    this.delimiter = Buffer.from(`\n--${boundary}`);
  }

  *feed(chunk: Buffer): Generator<RelatedEvent> {
    if (this.complete) return; // what follows the last boundary means nothing
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const step = this.state === 'headers' ? this.takeHeaders() : this.takeData();
      if (step === 'more') return;
      if (step) yield step;
      if (this.complete) return;
    }
  }

  private takeData(): RelatedEvent | 'more' | undefined {
    const found = this.rest.indexOf(this.delimiter);
    // What could be the beginning of a boundary, with the CR before it, is held back.
    if (found < 0) return this.release(this.rest.length - this.delimiter.length) ?? 'more';
    const after = found + this.delimiter.length;
    if (this.rest.subarray(after, after + 2).toString('latin1') === '--') {
      this.complete = true;
      return this.release(this.contentEnd(found));
    }
    const line = this.rest.indexOf(LF, after);
    const tail = this.rest.subarray(after, line < 0 ? undefined : line).toString('latin1');
    const couldBeBoundary = /^-?[ \t]*\r?$/.test(tail) && tail.length < HEADER_LIMIT;
    if (!couldBeBoundary || (line >= 0 && tail.startsWith('-'))) return this.release(after);
    if (line < 0) return 'more';
    const behind = this.rest.subarray(line);
    const data = this.release(this.contentEnd(found));
    this.bareLineFeeds = !tail.endsWith('\r');
    this.state = 'headers';
    this.rest = behind;
    return data;
  }

  private takeHeaders(): RelatedEvent | 'more' {
    const text = this.rest.subarray(0, HEADER_LIMIT).toString('latin1');
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
    // The blank line's line feed stays in front: the next boundary may follow at once.
    this.rest = this.rest.subarray(end.index + end[0].length - 1);
    this.skip = 1;
    this.state = 'data';
    return { headers };
  }

  /** Hands on what lies before `end`; nothing of a preamble. */
  private release(end: number): RelatedEvent | undefined {
    if (end <= this.skip) return undefined;
    const data = this.rest.subarray(this.skip, end);
    this.rest = this.rest.subarray(end);
    this.skip = 0;
    return this.state === 'data' ? { data } : undefined;
  }

  /** Where the content before a boundary ends: at its line end, which belongs to the boundary. */
  private contentEnd(found: number): number {
    return !this.bareLineFeeds && this.rest[found - 1] === CR ? found - 1 : found;
  }
}
