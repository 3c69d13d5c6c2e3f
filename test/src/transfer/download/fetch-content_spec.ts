/**
 * Content over connections that fail: ranges of RFC 9110 section 14.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import should from 'should';
import { bytes, md5 } from '../../../support/content';
import { downloadFixture, isContentRequest } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';
import { errorResponse, ScriptedService } from '../../../support/http/scripted-service';
import { fileFromHeaders, fileNameFrom } from '../../../../src/transfer/download/fetch-content';

const SIZE = 1_000_003;
describe('fetchContent', () => {
  const fixture = downloadFixture();

  beforeEach(() => {
    fixture.content = bytes(SIZE);
  });

  /** Resets the connection of the nth request after so many bytes. */
  function cut(cuts: readonly number[]): void {
    fixture.onContent((request, index) => {
      const cutAfter = cuts[index];
      return cutAfter === undefined ? undefined : { ...fixture.respond(request), cutAfter };
    });
  }

  async function downloads(): Promise<void> {
    const path = fixture.path('out');
    await fixture.toDisk(path);
    md5(await readFile(path)).should.equal(md5(fixture.content));
    (await fixture.fileNames()).should.deepEqual(['out']);
  }

  it('content is requested without compression, with the parameter for shared drives', async () => {
    await downloads();
    const [fetch] = fixture.contentRequests();
    should(fetch?.headers['accept-encoding']).equal('identity');
    should(fetch?.query.get('supportsAllDrives')).equal('true');
    should(fetch?.query.get('acknowledgeAbuse')).be.null();
    should(fetch?.headers.range).be.undefined();
  });

  for (const first of [0, 1, 65_536, 262_144, SIZE - 1]) {
    it(`content is continued after a connection reset at byte ${first}`, async () => {
      cut([first]);
      await downloads();
      const [, range] = fixture.ranges();
      if (first === 0) should(range).be.undefined();
      fixture.contentRequests().length.should.equal(2);
    });
  }

  it('content is continued after each of several connection resets, also in memory', async () => {
    cut([300_000, 200_000, 100_000]);
    const { content } = await fixture.toMemory();
    md5(content).should.equal(md5(fixture.content));
    fixture.ranges().slice(1).should.deepEqual(['bytes=300000-', 'bytes=500000-', 'bytes=600000-']);
  });

  it('content is continued after a response that is shorter than the file', async () => {
    fixture.onContent((_request, index) =>
      index === 0 ? { body: fixture.content.subarray(0, 400_000) } : undefined,
    );
    await downloads();
    should(fixture.ranges()[1]).equal('bytes=400000-');
  });

  it('content is fetched from the first byte if the service responds to a range with the whole content', async () => {
    fixture.onContent((request, index) =>
      index === 0 ? { ...fixture.respond(request), cutAfter: 300_000 } : { body: fixture.content },
    );
    await downloads();
    fixture.contentRequests().length.should.equal(2);
  });

  for (const response of [
    { status: 416 },
    { status: 206 },
    { status: 206, headers: { 'Content-Range': `bytes 5-${SIZE - 1}/${SIZE}` }, body: 'x' },
    { status: 206, headers: { 'Content-Range': `bytes 300000-${SIZE}/${SIZE + 1}` }, body: 'x' },
  ]) {
    it(`content is fetched from the first byte if the response to a range is ${JSON.stringify(response)}`, async () => {
      fixture.onContent((request, index) => {
        if (index === 0) return { ...fixture.respond(request), cutAfter: 300_000 };
        return index === 1 ? response : undefined;
      });
      await downloads();
      fixture.ranges().should.deepEqual([undefined, 'bytes=300000-', undefined]);
    });
  }

  it('content is never combined from two versions of a file', async () => {
    const old = fixture.content;
    fixture.onContent((request, index) => {
      if (index > 0) return undefined;
      const response = { ...fixture.respond(request), body: old, cutAfter: 300_000 };
      fixture.content = bytes(SIZE, 99);
      return response;
    });
    await downloads();
    fixture.ranges().should.deepEqual([undefined, undefined]);
  });

  it('content is fetched again if the file was replaced between the requests for metadata and content', async () => {
    fixture.onContent((_request, index) => {
      if (index === 0) fixture.content = bytes(SIZE, 99);
      return undefined;
    });
    await downloads();
    fixture.contentRequests().length.should.equal(2);
  });

  it('content is rejected for a wrong sha256, md5 or length, and no file is left', async () => {
    fixture.onContent(() => ({ body: bytes(SIZE, 2) }));
    await rejected(fixture.toDisk(fixture.path('out')), 'checksum_mismatch', 'checksum_mismatch');
    fixture.file = { ...fixture.file, sha256Checksum: undefined };
    const error = await rejected(fixture.toDisk(fixture.path('out')), 'checksum_mismatch');
    should(error.params).deepEqual({ name: 'file.bin', algorithm: 'md5' });
    fixture.file = { ...fixture.file, md5Checksum: undefined };
    fixture.onContent(() => ({ body: bytes(SIZE + 1) }));
    await rejected(fixture.toMemory(), 'checksum_mismatch', 'checksum_mismatch_size');
    (await fixture.fileNames()).should.be.empty();
  });

  const toDisk = async (): Promise<Buffer> => {
    await fixture.toDisk(fixture.path('out'));
    return readFile(fixture.path('out'));
  };
  const toMemory = async (): Promise<Buffer> => (await fixture.toMemory()).content;
  const DESTINATIONS = [
    ['to disk', toDisk],
    ['to memory', toMemory],
  ] as const;
  const metadataRequests = () => fixture.service.requests.filter((request) => !isContentRequest(request));

  for (const [destination, download] of DESTINATIONS) {
    for (const [what, wrong] of [
      ['checksum', { body: bytes(SIZE, 2) }],
      ['size', { body: bytes(SIZE + 1) }],
    ] as const) {
      it(`content is fetched once more after new metadata if its ${what} is wrong, ${destination}`, async () => {
        fixture.onContent((_request, index) => (index === 0 ? wrong : undefined));
        (await download()).equals(fixture.content).should.be.true();
        fixture.ranges().should.deepEqual([undefined, undefined]);
        metadataRequests().should.have.length(2);
      });

      it(`content is rejected if its ${what} is wrong a second time, ${destination}`, async () => {
        fixture.onContent(() => wrong);
        await rejected(download(), 'checksum_mismatch');
        fixture.ranges().should.deepEqual([undefined, undefined]);
        (await fixture.fileNames()).should.be.empty();
      });
    }

    it(`content is fetched once more if its checksum is wrong after a connection reset, ${destination}`, async () => {
      fixture.onContent((request, index) => {
        const response = fixture.respond(request);
        if (index === 0) return { ...response, cutAfter: 400_000 };
        return index === 1 ? { ...response, body: Buffer.alloc(SIZE - 400_000) } : undefined;
      });
      (await download()).equals(fixture.content).should.be.true();
      fixture.ranges().should.deepEqual([undefined, 'bytes=400000-', undefined]);
    });

    it(`content is fetched once more without a retry budget, which is only for temporary errors, ${destination}`, async () => {
      fixture.restart({ retryFor: 0 });
      fixture.onContent((_request, index) => (index === 0 ? { body: bytes(SIZE, 2) } : undefined));
      (await download()).equals(fixture.content).should.be.true();
    });
  }

  it('content is fetched once more if there is a checksum and no size', async () => {
    fixture.file = { ...fixture.file, size: undefined };
    fixture.onContent(() => ({ body: bytes(SIZE, 2) }));
    await rejected(fixture.toMemory(), 'checksum_mismatch');
    fixture.contentRequests().length.should.equal(2);
  });

  it('content is rejected if the metadata can’t be read after a checksum mismatch, because the file was deleted', async () => {
    fixture.onContent(() => {
      fixture.fault = () => ({ status: 404 });
      return { body: bytes(SIZE, 2) };
    });
    await rejected(fixture.toDisk(fixture.path('out')), 'not_found');
    (await fixture.fileNames()).should.be.empty();
  });

  it('content is fetched until it is complete if someone replaces the file again and again', async () => {
    fixture.onContent((_request, index) => {
      if (index < 3) fixture.content = bytes(SIZE, 90 + index);
      return undefined;
    });
    await downloads();
    fixture.contentRequests().length.should.equal(4);
  });

  it('a second fetch starts with an empty part file', async () => {
    const sizes: number[][] = [];
    fixture.onContent((_request, index) => {
      sizes.push(readdirSync(fixture.folder).map((name) => statSync(fixture.path(name)).size));
      return index === 0 ? { body: bytes(SIZE, 2) } : undefined;
    });
    await downloads();
    sizes.should.deepEqual([[0], [0]]);
  });

  it('content is fetched once more into the same memory', async () => {
    const allocations: number[] = [];
    const allocUnsafeSlow = Buffer.allocUnsafeSlow.bind(Buffer);
    Buffer.allocUnsafeSlow = (size) => {
      allocations.push(size);
      return allocUnsafeSlow(size);
    };
    try {
      fixture.onContent((_request, index) => (index === 0 ? { body: bytes(SIZE, 2) } : undefined));
      (await toMemory()).equals(fixture.content).should.be.true();
    } finally {
      Buffer.allocUnsafeSlow = allocUnsafeSlow;
    }
    allocations.filter((size) => size === SIZE).should.have.length(1);
  });

  it('progress restarts from 0 when content is fetched once more', async () => {
    fixture.onContent((_request, index) => (index === 0 ? { body: bytes(SIZE, 2) } : undefined));
    const reports: (number | undefined)[][] = [];
    await fixture.toDisk(fixture.path('out'), { onProgress: (...report) => reports.push(report) });
    const restart = reports.findIndex(([transferred]) => transferred === 0);
    should(reports[restart - 1]).deepEqual([SIZE, SIZE, 0]);
    should(reports[restart]).deepEqual([0, SIZE, 0]);
    should(reports.at(-1)).deepEqual([SIZE, SIZE, 0]);
  });

  it('a download fails at the end of the retry budget if every response ends at the same byte', async () => {
    fixture.onContent(() => ({ body: fixture.content, cutAfter: 1_000 }));
    const before = fixture.clock.now();
    await rejected(fixture.toMemory(), 'network');
    (fixture.clock.now() - before).should.be.belowOrEqual(61_000);
    (await fixture.fileNames()).should.be.empty();
  });

  for (const [destination, download] of DESTINATIONS) {
    it(`requests for content share the retry budget with the request for metadata, ${destination}`, async () => {
      const start = fixture.clock.now();
      fixture.fault = (request) => {
        if (!isContentRequest(request)) {
          if (fixture.clock.now() - start > 40_000) return undefined;
          fixture.clock.elapse(50_000);
        }
        return { status: 503 };
      };
      await rejected(download(), 'service_unavailable');
      fixture.contentRequests().should.not.be.empty();
      (fixture.clock.now() - start).should.be.belowOrEqual(61_000);
    });
  }

  it('content is retried without a time limit while bytes arrive', async () => {
    fixture.fault = (request) => {
      if (!isContentRequest(request)) return undefined;
      fixture.clock.elapse(59_000);
      return { ...fixture.respond(request), cutAfter: 100_000 };
    };
    await downloads();
    fixture.contentRequests().length.should.be.aboveOrEqual(10);
  });

  it('downloaded content never comes from the body of an error response', async () => {
    for (const [response, code] of [
      [{ status: 404, body: 'not here' }, 'not_found'],
      [errorResponse(403, 'fileNotDownloadable'), 'not_downloadable'],
      [errorResponse(403, 'downloadQuotaExceeded'), 'quota_exceeded'],
      [{ status: 500, body: '<html>' }, 'service_unavailable'],
    ] as const) {
      fixture.onContent(() => response);
      await rejected(fixture.toDisk(fixture.path('out')), code);
      (await fixture.fileNames()).should.be.empty();
    }
  });

  it('content is requested again after Retry-After, and the wait is reported', async () => {
    const waits: number[] = [];
    fixture.onContent((_request, index) =>
      index === 0 ? { status: 429, headers: { 'Retry-After': '9' } } : undefined,
    );
    await fixture.toMemory({}, { onWait: (ms) => waits.push(ms) });
    waits.should.deepEqual([9_000]);
  });

  it('a download is cancelled at once in the middle of a response, and the connection is closed', async () => {
    const abort = new AbortController();
    const closed = new Promise((resolve) => {
      fixture.service.onHeaders((request, wire) => {
        if (!isContentRequest(request)) return {};
        wire.request.socket.once('close', resolve);
        wire.response.writeHead(200, { 'Content-Length': String(SIZE) });
        wire.response.write(fixture.content.subarray(0, 500_000));
        return 'handled';
      });
    });
    const onProgress = (): void => abort.abort();
    await rejected(
      fixture.toDisk(fixture.path('out'), { onProgress }, { signal: abort.signal }),
      'cancelled',
    );
    await closed;
  });

  it('content is continued after a response that stalls', async () => {
    fixture.restart({ timeout: 200 });
    let count = 0;
    fixture.service.onHeaders((request, { response }) => {
      if (!isContentRequest(request) || count++ > 0) return {};
      response.writeHead(200, { 'Content-Length': String(SIZE) });
      response.write(fixture.content.subarray(0, 300_000));
      return 'handled';
    });
    await downloads();
    should(fixture.ranges()[1]).equal('bytes=300000-');
  });
});

describe('fileFromHeaders', () => {
  const names: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['attachment', undefined],
    ['attachment; filename=plain.txt', 'plain.txt'],
    ['attachment; filename="a; b.txt"', 'a; b.txt'],
    ['attachment; filename="say \\"x\\".txt"', 'say "x".txt'],
    ['attachment; filename="e.txt"; filename*=UTF-8\'\'%C3%A9%20x.txt', 'é x.txt'],
    ["attachment; filename*=utf-8'en'x.txt", 'x.txt'],
    ['attachment; filename="kept.txt"; filename*=UTF-8\'\'%ZZ', 'kept.txt'],
    [`attachment; filename="${Buffer.from('é.txt').toString('latin1')}"`, 'é.txt'],
    ['attachment; filename="\u00e9.txt"', 'é.txt'],
    ['attachment; filename=""', undefined],
    ['attachment;filename=a.txt', 'a.txt'],
    ['attachment; filename = "b.txt"', 'b.txt'],
    ["attachment;filename*=UTF-8''c.txt", 'c.txt'],
    ["attachment; filename* = UTF-8''d.txt", 'd.txt'],
  ];
  for (const [header, name] of names) {
    it(`fileFromHeaders reads the name ${String(name)} from ${String(header)}`, () =>
      should(fileNameFrom(header)).equal(name));
  }

  it('fileFromHeaders contains only what the headers contain', () => {
    fileFromHeaders('F', {}).should.deepEqual({ id: 'F' });
    for (const length of ['x', '5x', 'x5', '-5'])
      fileFromHeaders('F', { 'content-length': length, 'content-type': '' }).should.deepEqual({ id: 'F' });
    const headers = { 'content-length': '5', 'content-type': 'text/csv ; charset=utf-8' };
    fileFromHeaders('F', headers).should.deepEqual({ id: 'F', mimeType: 'text/csv', size: '5' });
  });
});

describe('redirected downloads', () => {
  const fixture = downloadFixture();

  beforeEach(() => {
    fixture.content = bytes(1_000_003);
  });

  it('redirected downloads send no token to another origin, and continue there with a range', async () => {
    const other = await ScriptedService.start();
    try {
      let count = 0;
      other.onRequest((request) => {
        const response = fixture.respond({
          ...request,
          path: '/drive/v3/files/F',
          query: new URLSearchParams('alt=media'),
        });
        return count++ === 0 ? { ...response, cutAfter: 300_000 } : response;
      });
      fixture.onContent(() => ({ status: 302, headers: { Location: `${other.url}/bytes?sig=1` } }));
      const path = fixture.path('out');
      await fixture.toDisk(path);
      (await readFile(path)).equals(fixture.content).should.be.true();
      (await fixture.fileNames()).should.deepEqual(['out']);
      other.requests.map(({ headers }) => headers.range).should.deepEqual([undefined, 'bytes=300000-']);
      for (const { headers } of other.requests) should(headers.authorization).be.undefined();
      should(fixture.contentRequests()[0]?.headers.authorization).equal('Bearer access-token');
    } finally {
      await other.close();
    }
  });
});

describe('content shorter than the size in the metadata', () => {
  const fixture = downloadFixture();

  /** The size in the first `times` responses with metadata is a byte too large. */
  function overstateSize(times: number): void {
    let count = 0;
    fixture.fault = (request) => {
      if (request.query.get('alt') === 'media' || count++ >= times) return undefined;
      const { body } = fixture.respond(request);
      return { body: { ...(body as object), size: String(fixture.content.length + 1) } };
    };
  }

  for (const length of [0, 5, 300_000]) {
    it(`content shorter than its size in the metadata is downloaded once the metadata is correct (${length} bytes)`, async () => {
      fixture.content = Buffer.alloc(length, 1);
      overstateSize(1);
      (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
      overstateSize(1);
      await fixture.toDisk(fixture.path('out'));
      (await fixture.fileNames()).should.deepEqual(['out']);
    });
  }

  it('content shorter than its size in the metadata is reported as a truncated response if the metadata stays wrong, also for an empty content', async () => {
    fixture.content = Buffer.alloc(0);
    overstateSize(Infinity);
    const { params, reason } = await rejected(fixture.toMemory(), 'network');
    should([params, reason]).deepEqual([{ reason: 'truncated' }, 'truncated']);
    await rejected(fixture.toDisk(fixture.path('out')), 'network');
    (await fixture.fileNames()).should.be.empty();
  });
});
