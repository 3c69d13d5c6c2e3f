/** Responses to range requests, and partial responses that nobody requested: RFC 9110 14 and 15.5.17. */
import should from 'should';
import { bytes } from '../../../support/content';
import { downloadFixture, isContentRequest } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';
import type { ScriptedResponse } from '../../../support/http/scripted-service';

const SIZE = 1_000_003;
const FETCHED = 300_000;
describe('content ranges', () => {
  const fixture = downloadFixture();
  beforeEach(() => {
    fixture.content = bytes(SIZE);
  });

  /** Resets the connection of the first response. @param then changes the following responses */
  function cutOnce(then: (response: ScriptedResponse) => ScriptedResponse = (response) => response): void {
    fixture.fault = (request) => {
      if (!isContentRequest(request)) return undefined;
      return request.headers.range === undefined && fixture.contentRequests().length === 1
        ? { ...fixture.respond(request), cutAfter: FETCHED }
        : then(fixture.respond(request));
    };
  }

  it('content ranges are accepted if Content-Range has no total length', async () => {
    cutOnce((response) => ({ ...response, headers: { 'Content-Range': `bytes ${FETCHED}-${SIZE - 1}/*` } }));
    (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
    fixture.ranges().should.deepEqual([undefined, `bytes=${FETCHED}-`]);
  });

  it('content ranges are combined if only a checksum, and no size, identifies the content', async () => {
    fixture.file = { ...fixture.file, size: undefined };
    cutOnce();
    (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
    fixture.ranges().should.deepEqual([undefined, `bytes=${FETCHED}-`]);
  });

  it('content ranges are not combined if neither size nor checksum identifies the content', async () => {
    fixture.file = { ...fixture.file, size: undefined, md5Checksum: undefined, sha256Checksum: undefined };
    cutOnce();
    (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
    fixture.ranges().should.deepEqual([undefined, undefined]);
  });

  it('content ranges may cover the whole content in a 206 response that was not requested', async () => {
    fixture.fault = (request) => {
      const headers = { 'Content-Range': `bytes 0-${SIZE - 1}/${SIZE}` };
      return isContentRequest(request) ? { status: 206, headers, body: fixture.content } : undefined;
    };
    (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
  });

  it('a 416 without a Range header is an error, not an empty file', async () => {
    fixture.onContent(() => ({ status: 416 }));
    await rejected(fixture.toDisk(fixture.path('out')), 'bad_response', 'bad_response_status');
    fixture.contentRequests().length.should.equal(1);
    (await fixture.fileNames()).should.be.empty();
  });

  for (const status of [206, 416]) {
    it(`wrong content ranges are reported as bad_response_range if there is no time to start over (${status})`, async () => {
      fixture.restart({ retryFor: 0 });
      cutOnce(() => ({ status }));
      await rejected(fixture.toDisk(fixture.path('out')), 'network');
      const error = await rejected(fixture.toDisk(fixture.path('out')), 'bad_response', 'bad_response_range');
      should(error).match({ status, params: { status }, retryable: true });
    });
  }

  for (const encoding of ['identity', 'Identity', ' IDENTITY ']) {
    it(`content ranges are accepted with Content-Encoding: ${encoding}`, async () => {
      fixture.onContent(() => ({ headers: { 'Content-Encoding': encoding }, body: fixture.content }));
      (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
    });
  }

  it('endless responses are read only until the size of the file is exceeded', async () => {
    fixture.service.onHeaders((request, { response }) => {
      if (!isContentRequest(request)) return {};
      response.writeHead(200);
      const send = (): void =>
        void (response.write(fixture.content) ? setImmediate(send) : response.once('drain', send));
      send();
      return 'handled';
    });
    await rejected(fixture.toMemory(), 'checksum_mismatch', 'checksum_mismatch_size');
    await rejected(fixture.toDisk(fixture.path('out')), 'checksum_mismatch', 'checksum_mismatch_size');
    (await fixture.fileNames()).should.be.empty();
  });
});
