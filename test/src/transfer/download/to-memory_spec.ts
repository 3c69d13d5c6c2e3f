/** Downloads into memory: docs/nodes/download.md. */
import { constants } from 'node:buffer';
import should from 'should';
import { actualSize, maximumSize } from '../../../../src/errors';
import { CAPABILITIES } from '../../../../src/capabilities';
import { bytes } from '../../../support/content';
import { downloadFixture, isContentRequest } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';
import { errorResponse } from '../../../support/http/scripted-service';

describe('downloadToMemory', () => {
  const fixture = downloadFixture();

  for (const size of [0, 1, 65_536, 262_145, 3_000_000]) {
    it(`downloadToMemory returns ${size} bytes and the metadata`, async () => {
      fixture.content = bytes(size);
      const { file, content } = await fixture.toMemory();
      content.equals(fixture.content).should.be.true();
      should(file).containEql({ id: 'F', name: 'file.bin', size: String(size) });
    });
  }

  it('downloadToMemory rejects a file larger than maxSize before it requests the content', async () => {
    fixture.content = bytes(101);
    const error = await rejected(fixture.toMemory({ maxSize: 100 }), 'too_large');
    should(error.params).deepEqual({
      size: actualSize(101),
      limit: maximumSize(100),
    });
    fixture.contentRequests().should.be.empty();
    (await fixture.toMemory({ maxSize: 101 })).content.length.should.equal(101);
  });

  it('downloadToMemory rejects a file larger than the largest Buffer, whatever maxSize is', async () => {
    fixture.file = { ...fixture.file, size: String(constants.MAX_LENGTH + 1) };
    const error = await rejected(fixture.toMemory({ maxSize: Infinity }), 'too_large');
    should(error.params).deepEqual({
      size: actualSize(constants.MAX_LENGTH + 1),
      limit: maximumSize(constants.MAX_LENGTH),
    });
    fixture.contentRequests().should.be.empty();
  });

  it('downloadToMemory rejects a content of unknown size as soon as it exceeds maxSize', async () => {
    fixture.file = { id: 'F', size: undefined, md5Checksum: undefined, sha256Checksum: undefined };
    fixture.service.onHeaders((request, { response }) => {
      if (!isContentRequest(request)) return {};
      response.writeHead(200);
      response.end(bytes(1_000));
      return 'handled';
    });
    const { params } = await rejected(fixture.toMemory({ maxSize: 999 }), 'too_large', 'too_large_content');
    should(params).deepEqual({ limit: maximumSize(999) });
    (await fixture.toMemory({ maxSize: 1_000 })).content.equals(bytes(1_000)).should.be.true();
  });

  it('downloadToMemory rejects folders and requests no content', async () => {
    fixture.file = { id: 'F', name: 'f', mimeType: 'application/vnd.google-apps.folder', size: undefined };
    await rejected(fixture.toMemory(), 'not_downloadable', 'not_downloadable_folder');
    fixture.contentRequests().should.be.empty();
  });

  it('downloadToMemory reports progress', async () => {
    fixture.content = bytes(500_000);
    const reports: (number | undefined)[][] = [];
    await fixture.toMemory({ onProgress: (...each) => reports.push(each) });
    should(reports.at(-1)).deepEqual([500_000, 500_000, 0]);
    reports.length.should.be.above(1);
  });

  for (const member of ['size', 'md5Checksum', 'sha256Checksum', 'name', 'mimeType']) {
    it(`downloadToMemory rejects metadata whose ${member} has the wrong type`, async () => {
      fixture.file = { id: 'F', [member]: 5 };
      const error = await rejected(fixture.toMemory(), 'bad_response', 'bad_response_type');
      should(error.params).deepEqual({ member });
      fixture.file = { id: 'F', [member]: {} };
      await rejected(fixture.toMemory(), 'bad_response');
    });
  }

  it('downloadToMemory sends acknowledgeAbuse only after the service has refused a file as abusive, and only if allowed', async () => {
    fixture.fault = (request) =>
      isContentRequest(request) && request.query.get('acknowledgeAbuse') !== 'true'
        ? errorResponse(403, 'cannotDownloadAbusiveFile')
        : undefined;
    await rejected(fixture.toMemory(), 'not_downloadable', 'not_downloadable_abusive');
    fixture.contentRequests().length.should.equal(1);
    await fixture.toMemory({ acknowledgeAbuse: true });
    fixture
      .contentRequests()
      .map(({ query }) => query.get('acknowledgeAbuse'))
      .should.deepEqual([null, null, 'true']);
  });

  it('downloadToMemory sends acknowledgeAbuse only once', async () => {
    fixture.onContent(() => errorResponse(403, 'cannotDownloadAbusiveFile'));
    await rejected(
      fixture.toMemory({ acknowledgeAbuse: true }),
      'not_downloadable',
      'not_downloadable_abusive',
    );
    fixture.contentRequests().length.should.equal(2);
  });

  it('downloadToMemory rejects a compressed content, which it did not request', async () => {
    fixture.onContent(() => ({ headers: { 'Content-Encoding': 'gzip' }, body: 'x' }));
    await rejected(fixture.toMemory(), 'bad_response', 'bad_response_encoding');
  });

  describe('from a service without metadata requests', () => {
    for (const status of [400, 404, 405, 501]) {
      it(`downloadToMemory reads the metadata from the headers of the content if the metadata request fails with ${status}`, async () => {
        fixture.restart({ service: { can: CAPABILITIES.custom } });
        fixture.content = bytes(1_000);
        fixture.fault = (request) => {
          if (!isContentRequest(request)) return { status };
          const headers = {
            'Content-Type': 'application/x-tar; x=y',
            'Content-Disposition': 'attachment; filename="a b.tar"',
          };
          return { body: fixture.content, headers };
        };
        const { file, content } = await fixture.toMemory();
        content.equals(fixture.content).should.be.true();
        file.should.deepEqual({ id: 'F', name: 'a b.tar', mimeType: 'application/x-tar', size: '1000' });
        [...(fixture.contentRequests()[0]?.query.keys() ?? [])].should.deepEqual(['alt']);
        await rejected(fixture.toMemory({ maxSize: 999 }), 'too_large');
      });
    }

    it('downloadToMemory starts over after a connection reset, because nothing identifies the content', async () => {
      fixture.restart({ service: { can: CAPABILITIES.custom } });
      fixture.content = bytes(1_000_000);
      let count = 0;
      fixture.fault = (request) => {
        if (!isContentRequest(request)) return { status: 404 };
        return count++ === 0 ? { ...fixture.respond(request), cutAfter: 500_000 } : undefined;
      };
      (await fixture.toMemory()).content.equals(fixture.content).should.be.true();
      fixture
        .contentRequests()
        .map(({ headers }) => headers.range)
        .should.deepEqual([undefined, undefined]);
    });

    it('downloadToMemory fails with not_found if the content is missing too', async () => {
      fixture.restart({ service: { can: CAPABILITIES.custom } });
      fixture.fault = () => ({ status: 404 });
      await rejected(fixture.toMemory(), 'not_found');
    });
  });
});
