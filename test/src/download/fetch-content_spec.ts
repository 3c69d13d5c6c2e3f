/**
 * Content over lines that break: ranges of RFC 9110 section 14.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { bytes, md5 } from '../../support/content';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';
import { type Seen, refusal } from '../../support/http/scripted-service';

const SIZE = 1_000_003;
const isContent = ({ query }: Seen): boolean => query.get('alt') === 'media';

describe('fetching a content', () => {
  const at = downloadFixture();

  beforeEach(() => {
    at.content = bytes(SIZE);
  });

  /** Cuts the nth fetch after so many bytes. */
  function cut(cuts: readonly number[]): void {
    let count = 0;
    at.fault = (seen) => {
      if (!isContent(seen)) return undefined;
      const cutAfter = cuts[count++];
      return cutAfter === undefined ? undefined : { ...at.answer(seen), cutAfter };
    };
  }

  async function arrives(): Promise<void> {
    const path = join(at.folder, 'out');
    await at.toDisk(path);
    md5(await readFile(path)).should.equal(md5(at.content));
    (await at.names()).should.deepEqual(['out']);
  }

  const asked = () => at.fetches().map(({ headers }) => headers.range);

  it('asks for the content as it is stored, and on a shared drive too', async () => {
    await arrives();
    const [fetch] = at.fetches();
    should(fetch?.headers['accept-encoding']).equal('identity');
    should(fetch?.query.get('supportsAllDrives')).equal('true');
    should(fetch?.query.get('acknowledgeAbuse')).be.null();
    should(fetch?.headers.range).be.undefined();
  });

  for (const first of [0, 1, 65_536, 262_144, SIZE - 1]) {
    it(`goes on behind what had come when the line breaks after ${first} bytes`, async () => {
      cut([first]);
      await arrives();
      const [, range] = asked();
      if (first === 0) should(range).be.undefined();
      at.fetches().length.should.equal(2);
    });
  }

  it('goes on from break to break, and in memory as well', async () => {
    cut([300_000, 200_000, 100_000]);
    const { content } = await at.toMemory();
    md5(content).should.equal(md5(at.content));
    asked().slice(1).should.deepEqual(['bytes=300000-', 'bytes=500000-', 'bytes=600000-']);
  });

  it('takes a body that ends early without saying so for a break', async () => {
    let count = 0;
    at.fault = (seen) =>
      isContent(seen) && count++ === 0 ? { body: at.content.subarray(0, 400_000) } : undefined;
    await arrives();
    should(asked()[1]).equal('bytes=400000-');
  });

  it('starts anew where the service answers a range with the whole', async () => {
    let count = 0;
    at.fault = (seen) => {
      if (!isContent(seen)) return undefined;
      count += 1;
      if (count === 1) return { ...at.answer(seen), cutAfter: 300_000 };
      return { body: at.content };
    };
    await arrives();
    count.should.equal(2);
  });

  for (const odd of [
    { status: 416 },
    { status: 206 },
    { status: 206, headers: { 'Content-Range': `bytes 5-${SIZE - 1}/${SIZE}` }, body: 'x' },
    { status: 206, headers: { 'Content-Range': `bytes 300000-${SIZE}/${SIZE + 1}` }, body: 'x' },
  ]) {
    it(`starts anew where a range is answered ${JSON.stringify(odd)}`, async () => {
      let count = 0;
      at.fault = (seen) => {
        if (!isContent(seen)) return undefined;
        count += 1;
        if (count === 1) return { ...at.answer(seen), cutAfter: 300_000 };
        return count === 2 ? odd : undefined;
      };
      await arrives();
      asked().should.deepEqual([undefined, 'bytes=300000-', undefined]);
    });
  }

  it('puts no parts of two contents together', async () => {
    const old = at.content;
    let count = 0;
    at.fault = (seen) => {
      if (!isContent(seen) || count++ > 0) return undefined;
      const answer = { ...at.answer(seen), body: old, cutAfter: 300_000 };
      at.content = bytes(SIZE, 99);
      return answer;
    };
    await arrives();
    asked().should.deepEqual([undefined, undefined]);
  });

  it('fetches again what somebody has replaced between metadata and content', async () => {
    let count = 0;
    at.fault = (seen) => {
      if (isContent(seen) && count++ === 0) at.content = bytes(SIZE, 99);
      return undefined;
    };
    await arrives();
    at.fetches().length.should.equal(2);
  });

  it('refuses wrong bytes by sha256, by md5 and by length, and leaves nothing behind', async () => {
    at.fault = (seen) => (isContent(seen) ? { body: bytes(SIZE, 2) } : undefined);
    await rejected(at.toDisk(join(at.folder, 'out')), 'checksum_mismatch', 'checksum_mismatch');
    at.file = { ...at.file, sha256Checksum: undefined };
    const error = await rejected(at.toDisk(join(at.folder, 'out')), 'checksum_mismatch');
    should(error.params).deepEqual({ name: 'file.bin', algorithm: 'md5' });
    at.file = { ...at.file, md5Checksum: undefined };
    at.fault = (seen) => (isContent(seen) ? { body: bytes(SIZE + 1) } : undefined);
    await rejected(at.toMemory(), 'checksum_mismatch', 'checksum_mismatch_size');
    (await at.names()).should.be.empty();
  });

  it('fetches wrong bytes once, too, where the service gives a checksum and no size', async () => {
    at.file = { ...at.file, size: undefined };
    at.fault = (seen) => (isContent(seen) ? { body: bytes(SIZE, 2) } : undefined);
    await rejected(at.toMemory(), 'checksum_mismatch');
    at.fetches().length.should.equal(1);
  });

  it('gives up within the budget where every fetch breaks at the same byte', async () => {
    at.fault = (seen) => (isContent(seen) ? { body: at.content, cutAfter: 1_000 } : undefined);
    const before = at.under.clock.now();
    await rejected(at.toMemory(), 'network');
    (at.under.clock.now() - before).should.be.belowOrEqual(61_000);
    (await at.names()).should.be.empty();
  });

  it('does not give up while bytes come, however long it takes', async () => {
    at.fault = (seen) => {
      if (!isContent(seen)) return undefined;
      at.under.clock.elapse(59_000);
      return { ...at.answer(seen), cutAfter: 100_000 };
    };
    await arrives();
    at.fetches().length.should.be.aboveOrEqual(10);
  });

  it('never takes the body of an error for the file', async () => {
    for (const [answer, code] of [
      [{ status: 404, body: 'not here' }, 'not_found'],
      [refusal(403, 'fileNotDownloadable'), 'not_downloadable'],
      [refusal(403, 'downloadQuotaExceeded'), 'quota_exceeded'],
      [{ status: 500, body: '<html>' }, 'service_unavailable'],
    ] as const) {
      at.fault = (seen) => (isContent(seen) ? answer : undefined);
      await rejected(at.toDisk(join(at.folder, 'out')), code);
      (await at.names()).should.be.empty();
    }
  });

  it('waits as long as it is told to, and says so', async () => {
    const waits: number[] = [];
    let count = 0;
    at.fault = (seen) =>
      isContent(seen) && count++ === 0 ? { status: 429, headers: { 'Retry-After': '9' } } : undefined;
    await at.toMemory({}, { onWait: (ms) => waits.push(ms) });
    waits.should.deepEqual([9_000]);
  });

  it('ends at once when it is cancelled in the middle, and closes its line', async () => {
    const abort = new AbortController();
    const closed = new Promise((resolve) => {
      at.wire.before((seen, { request, response }) => {
        if (!isContent(seen)) return {};
        request.socket.once('close', resolve);
        response.writeHead(200, { 'Content-Length': String(SIZE) });
        response.write(at.content.subarray(0, 500_000));
        return 'handled';
      });
    });
    const onProgress = (): void => abort.abort();
    await rejected(at.toDisk(join(at.folder, 'out'), { onProgress }, { signal: abort.signal }), 'cancelled');
    await closed;
  });

  it('takes silence in the middle of a body for a break', async () => {
    at.restart({ timeout: 200 });
    let count = 0;
    at.wire.before((seen, { response }) => {
      if (!isContent(seen) || count++ > 0) return {};
      response.writeHead(200, { 'Content-Length': String(SIZE) });
      response.write(at.content.subarray(0, 300_000));
      return 'handled';
    });
    await arrives();
    should(asked()[1]).equal('bytes=300000-');
  });
});
