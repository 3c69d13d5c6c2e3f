/** Bodies of `multipart/related`: RFC 2387, with the boundaries of RFC 2046 section 5.1. */
import fc from 'fast-check';
import 'should';
import { ApiError } from '../http/api-error';
import { decodeBase64 } from '../upload/base64';
import { boundaryOf, readRelated } from '../upload/multipart-related';

/** Yields the bytes in chunks of these sizes, then the rest. */
async function* chunks(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  let position = 0;
  for (const size of sizes) {
    await Promise.resolve();
    yield bytes.subarray(position, (position += size));
  }
  yield bytes.subarray(position);
}

async function read(bytes: Buffer, boundary: string, sizes: number[] = []) {
  const parts: { headers: Record<string, string>; body: Buffer }[] = [];
  for await (const event of readRelated(chunks(bytes, sizes), boundary)) {
    if ('headers' in event) parts.push({ headers: Object.fromEntries(event.headers), body: Buffer.alloc(0) });
    else {
      const part = parts.at(-1);
      if (part) part.body = Buffer.concat([part.body, event.data]);
    }
  }
  return parts;
}

function compose(line: string, contents: Buffer[], boundary: string): Buffer {
  const parts = contents.map((content) =>
    Buffer.concat([
      Buffer.from(`--${boundary}${line}Content-Type: a/b${line}${line}`),
      content,
      Buffer.from(line),
    ]),
  );
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--${line}`)]);
}

describe('local drive: multipart/related', () => {
  const tricky = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
        fc
          .constantFrom('\r\n', '\n', '\r', '--', '--b', '\r\n--', '\n--B', '\r\n--bb')
          .map((text) => Buffer.from(text)),
      ),
      { maxLength: 8 },
    )
    .map((list) => Buffer.concat(list));

  for (const [name, line] of [
    ['CRLF', '\r\n'],
    ['bare LF', '\n'],
  ] as const) {
    it(`multipart bodies with ${name} line endings are parsed however they are chunked`, async () => {
      const boundary = 'bXYZ';
      await fc.assert(
        fc.asyncProperty(
          tricky,
          tricky,
          fc.array(fc.integer({ min: 0, max: 7 })),
          async (one, two, sizes) => {
            const found = await read(compose(line, [one, two], boundary), boundary, sizes);
            found
              .map(({ body }) => body.toString('hex'))
              .should.deepEqual([one, two].map((each) => each.toString('hex')));
            found.map(({ headers }) => headers).should.deepEqual(Array(2).fill({ 'content-type': 'a/b' }));
          },
        ),
        { numRuns: 300 },
      );
    });
  }

  it('multipart bodies may have a preamble, spaces after the boundary, parts without headers and an epilogue', async () => {
    const body = 'ignored\r\n--b  \r\n\r\none\r\n--b\t\r\nX: y \r\n\r\ntwo\r\n--b--\r\nignored';
    const found = await read(Buffer.from(body), 'b');
    found.map(({ body: bytes }) => bytes.toString()).should.deepEqual(['one', 'two']);
    (found[1]?.headers ?? {}).should.deepEqual({ x: 'y' });
  });

  it('a multipart body without its last boundary is rejected', async () => {
    await read(Buffer.from('--b\r\n\r\none\r\n--b\r\n\r\ntw'), 'b').should.be.rejectedWith(
      'Malformed multipart body.',
    );
  });

  it('the boundary is found in the header, quoted or not, among other parameters', () => {
    boundaryOf('multipart/related; boundary=abc').should.equal('abc');
    boundaryOf('multipart/related; type="a/b"; boundary="a b=c"; x=y').should.equal('a b=c');
    boundaryOf('Multipart/Related;BOUNDARY=abc').should.equal('abc');
    (() => boundaryOf('multipart/form-data; boundary=a')).should.throw(ApiError);
    (() => boundaryOf(undefined)).should.throw(ApiError);
  });

  it('base64 is decoded with line breaks anywhere, however it is chunked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.array(fc.integer({ min: 1, max: 9 })), async (bytes, sizes) => {
        const text = Buffer.from(bytes).toString('base64').replace(/.{5}/g, '$&\r\n');
        const decoded: Buffer[] = [];
        for await (const chunk of decodeBase64(chunks(Buffer.from(text), sizes))) decoded.push(chunk);
        Buffer.concat(decoded).equals(bytes).should.be.true();
      }),
    );
  });
});
