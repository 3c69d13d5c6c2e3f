/** Invalid responses: each yields a coded error in bounded time and memory. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import should from 'should';
import type { ErrorCode } from '../../../src/errors';
import { MAX_JSON_BYTES } from '../../../src/http/json';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { type ScriptedResponse, useScriptedService } from '../../support/http/scripted-service';

const json = (body: string | Buffer, headers: Record<string, string> = {}): ScriptedResponse => ({
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});
const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);

describe('invalid responses', () => {
  const service = useScriptedService();
  let testClient: TestClient;

  beforeEach(() => (testClient = createTestClient(service.url, { retryFor: 0, timeout: 2_000 })));

  const list = async (): Promise<unknown[]> => {
    const request = { text: '', kind: 'any' as const, includeTrashed: true, fields: 'id' };
    const found: unknown[] = [];
    for await (const page of testClient.client.search(request)) found.push(...page.files);
    return found;
  };

  const CASES: [string, ScriptedResponse, string][] = [
    ['an empty body', json(''), 'bad_response_no_json'],
    ['HTML', json('<html>Sign in</html>'), 'bad_response_no_json'],
    ['truncated JSON', json('{"files":[{"id":"a"'), 'bad_response_no_json'],
    ['invalid UTF-8', json(Buffer.from('{"files":[],"x":"\xff\xfe"}', 'latin1')), 'bad_response_no_json'],
    ['a million nested arrays', json(nested(1e6, '[', ']')), 'bad_response_no_json'],
    ['a million open brackets', json('['.repeat(1e6)), 'bad_response_no_json'],
    ['a million nested objects', json(nested(1e6, '{"files":', '}')), 'bad_response_no_json'],
    ['deep nesting in a member', json(`{"files":[{"id":${nested(5e5, '[', ']')}}]}`), 'bad_response_no_json'],
    [
      'a body that is not gzip as declared',
      json('{}', { 'Content-Encoding': 'gzip' }),
      'bad_response_packed',
    ],
    ['an unknown Content-Encoding', json('x', { 'Content-Encoding': 'rot13' }), 'bad_response_no_json'],
    ['an object as files', json('{"files":{}}'), 'bad_response_type'],
    ['missing files', json('{}'), 'bad_response_missing'],
    ['a null file', json('{"files":[null]}'), 'bad_response_type'],
    ['an array as file', json('{"files":[[]]}'), 'bad_response_type'],
    ['a number as size', json('{"files":[{"id":"a","size":5}]}'), 'bad_response_type'],
    ['a number as page token', json('{"files":[],"nextPageToken":5}'), 'bad_response_type'],
    ['an empty page token', json('{"files":[],"nextPageToken":""}'), 'bad_response_type'],
    ['a repeated page token', json('{"files":[{"id":"a"}],"nextPageToken":"t"}'), 'bad_response_page_token'],
    ['headers of 20 kB', json('{"files":[]}', { 'X-Large': 'x'.repeat(20_000) }), 'bad_response_protocol'],
    ['304', { status: 304 }, 'bad_response_status'],
    ['308 without Location', { status: 308 }, 'bad_response_redirect'],
    [
      'a redirect to an invalid URL',
      { status: 302, headers: { Location: 'http://[' } },
      'bad_response_redirect',
    ],
  ];
  for (const [what, response, text] of CASES) {
    it(`a list fails with ${text} for ${what}`, async () => {
      service.onRequest(() => response);
      await rejected(list(), 'bad_response', text);
    });
  }

  it('JSON of exactly the maximum size is read, compressed or not, and one more byte is an error', async () => {
    const filled = (length: number): Buffer => {
      const [before, after] = ['{"files":[],"filler":"', '"}'];
      const body = Buffer.alloc(length, 'x');
      body.write(before);
      body.write(after, length - after.length);
      return body;
    };
    const compressed = (body: Buffer): ScriptedResponse =>
      json(gzipSync(body, { level: 1 }), { 'Content-Encoding': 'gzip' });
    const [largest, larger] = [filled(MAX_JSON_BYTES), filled(MAX_JSON_BYTES + 1)];
    // Compressed before the first request, because compression blocks both sides for longer than the idle timeout.
    const responses = [json(largest), json(larger), compressed(largest), compressed(larger)];
    service.respondInOrder(...responses);
    for (const _pair of [1, 2]) {
      (await list()).should.be.empty();
      await rejected(list(), 'bad_response', 'bad_response_too_large');
    }
  });

  it('a gzip bomb is not fully decompressed', async () => {
    // A gzip file may consist of several members: RFC 1952.
    const bomb = Buffer.concat(Array<Buffer>(10).fill(gzipSync(Buffer.alloc(30e6, ' '))));
    service.onRequest(() => json(bomb, { 'Content-Encoding': 'gzip' }));
    const before = process.memoryUsage.rss();
    await rejected(list(), 'bad_response', 'bad_response_too_large');
    (process.memoryUsage.rss() - before).should.be.below(150e6);
  });

  it('JSON may start with a byte order mark', async () => {
    service.onRequest(() => json('\ufeff{"files":[{"id":"a"}]}'));
    (await list()).should.deepEqual([{ id: 'a' }]);
  });

  it('a list fails after too many consecutive empty pages, but not if some pages have items', async () => {
    let page = 0;
    service.onRequest(() => ({ body: { files: [], nextPageToken: `t${page++}` } }));
    await rejected(list(), 'bad_response', 'bad_response_empty_pages');
    service.requests.length.should.be.within(100, 110);
    page = 0;
    service.onRequest(() => ({
      body: {
        files: page % 50 === 0 ? [{ id: `a${page}` }] : [],
        ...(page < 300 ? { nextPageToken: `t${page++}` } : {}),
      },
    }));
    (await list()).length.should.equal(7);
  });

  it('members named like those of Object.prototype do not pollute it', async () => {
    const file =
      '{"id":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":5}';
    service.onRequest(() => json(`{"files":[${file}],"__proto__":{"nextPageToken":"t"}}`));
    const [found] = await list();
    should(Object.getPrototypeOf(found)).equal(Object.prototype);
    ('polluted' in {}).should.be.false();
    service.onRequest(() => json(file));
    const one = await testClient.client.getMetadata('a', 'id');
    ('polluted' in { ...one }).should.be.false();
  });

  for (const [location, code, text] of [
    ['file:///etc/passwd', 'bad_response', 'bad_response_redirect'],
    ['ftp://example.com/x', 'bad_response', 'bad_response_redirect'],
    ['javascript:alert(1)', 'bad_response', 'bad_response_redirect'],
    ['http://me:secret@127.0.0.1/x', 'bad_response', 'bad_response_redirect'],
    ['http://example.com/x', 'insecure_url', 'insecure_url'],
    ['http://[', 'bad_response', 'bad_response_redirect'],
  ] as [string, ErrorCode, string][]) {
    it(`a download redirected to ${location} fails with ${text}`, async () => {
      service.onRequest(({ query }) =>
        query.has('alt')
          ? { status: 302, headers: { Location: location } }
          : { body: { id: 'F', size: '5' } },
      );
      const request = { id: 'F', fields: 'id', maxSize: 100, acknowledgeAbuse: false };
      const { message } = await rejected(testClient.client.downloadToMemory(request), code, text);
      message.should.not.match(/secret|passwd/);
    });
  }

  it('a download of content longer than its size fails and leaves no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'endless-'));
    const endless = (): Readable =>
      new Readable({
        read() {
          this.push(Buffer.alloc(65_536));
        },
      });
    service.onRequest(({ query }, { response }) => {
      if (!query.has('alt')) return { body: { id: 'F', name: 'F', size: '100000' } };
      endless().pipe(response);
      return 'handled';
    });
    const request = { id: 'F', fields: 'id', acknowledgeAbuse: false, overwrite: 'replace' as const };
    const work = testClient.client.downloadToDisk({ ...request, path: join(folder, 'F') });
    await rejected(work, 'checksum_mismatch', 'checksum_mismatch_size');
    (await readdir(folder)).should.be.empty();
    await rm(folder, { recursive: true });
    while ((await service.connections) > 1) await new Promise(setImmediate);
  });
});
