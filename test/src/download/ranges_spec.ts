/** What services answer where a part is asked for, or send where the whole was: RFC 9110 14 and 15.5.17. */
import { join } from 'node:path';
import should from 'should';
import { bytes } from '../../support/content';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';
import type { Answer, Seen } from '../../support/http/scripted-service';

const SIZE = 1_000_003;
const HELD = 300_000;
const isContent = ({ query }: Seen): boolean => query.get('alt') === 'media';

describe('the parts of a content', () => {
  const at = downloadFixture();
  const asked = () => at.fetches().map(({ headers }) => headers.range);

  beforeEach(() => {
    at.content = bytes(SIZE);
  });

  /** Cuts the first answer; @param then changes the right ones to what is asked for next */
  function cutOnce(then: (answer: Answer) => Answer = (answer) => answer): void {
    at.fault = (seen) => {
      if (!isContent(seen)) return undefined;
      return seen.headers.range === undefined && at.fetches().length === 1
        ? { ...at.answer(seen), cutAfter: HELD }
        : then(at.answer(seen));
    };
  }

  it('fit also where the service doesn’t say how long the whole is', async () => {
    cutOnce((answer) => ({ ...answer, headers: { 'Content-Range': `bytes ${HELD}-${SIZE - 1}/*` } }));
    (await at.toMemory()).content.equals(at.content).should.be.true();
    asked().should.deepEqual([undefined, `bytes=${HELD}-`]);
  });

  it('are put together where only the checksum tells that it is the same content', async () => {
    at.file = { ...at.file, size: undefined };
    cutOnce();
    (await at.toMemory()).content.equals(at.content).should.be.true();
    asked().should.deepEqual([undefined, `bytes=${HELD}-`]);
  });

  it('are not put together where nothing tells that it is the same content', async () => {
    at.file = { ...at.file, size: undefined, md5Checksum: undefined, sha256Checksum: undefined };
    cutOnce();
    (await at.toMemory()).content.equals(at.content).should.be.true();
    asked().should.deepEqual([undefined, undefined]);
  });

  it('may also be the whole, in one that begins at its beginning', async () => {
    at.fault = (seen) => {
      const headers = { 'Content-Range': `bytes 0-${SIZE - 1}/${SIZE}` };
      return isContent(seen) ? { status: 206, headers, body: at.content } : undefined;
    };
    (await at.toMemory()).content.equals(at.content).should.be.true();
  });

  it('are an error, and no empty file, where none was asked for and it is refused', async () => {
    at.fault = (seen) => (isContent(seen) ? { status: 416 } : undefined);
    await rejected(at.toDisk(join(at.folder, 'out')), 'bad_response', 'bad_response_status');
    at.fetches().length.should.equal(1);
    (await at.names()).should.be.empty();
  });

  for (const status of [206, 416]) {
    it(`are told of where there is no time to begin anew (${status})`, async () => {
      at.restart({ retryFor: 0 });
      cutOnce(() => ({ status }));
      await rejected(at.toDisk(join(at.folder, 'out')), 'network');
      const error = await rejected(at.toDisk(join(at.folder, 'out')), 'bad_response', 'bad_response_range');
      should(error).match({ status, params: { status }, retryable: true });
    });
  }

  it('are taken where their writing is named as the plain one', async () => {
    at.fault = (seen) =>
      isContent(seen) ? { headers: { 'Content-Encoding': 'identity' }, body: at.content } : undefined;
    (await at.toMemory()).content.equals(at.content).should.be.true();
  });

  it('end where more comes than there is, though it came for ever', async () => {
    at.wire.before((seen, { response }) => {
      if (!isContent(seen)) return {};
      response.writeHead(200);
      const send = (): void =>
        void (response.write(at.content) ? setImmediate(send) : response.once('drain', send));
      send();
      return 'handled';
    });
    await rejected(at.toMemory(), 'checksum_mismatch', 'checksum_mismatch_size');
    await rejected(at.toDisk(join(at.folder, 'out')), 'checksum_mismatch', 'checksum_mismatch_size');
    (await at.names()).should.be.empty();
  });
});
