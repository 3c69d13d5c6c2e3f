/** Downloads into memory: docs/nodes/download.md. */
import { constants } from 'node:buffer';
import should from 'should';
import { formatSize } from '../../../src/http/format-size';
import { bytes } from '../../support/content';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';
import { type Seen, refusal } from '../../support/http/scripted-service';

const isContent = ({ query }: Seen): boolean => query.get('alt') === 'media';

describe('download to memory', () => {
  const at = downloadFixture();

  for (const size of [0, 1, 65_536, 262_145, 3_000_000]) {
    it(`brings ${size} bytes and the metadata`, async () => {
      at.content = bytes(size);
      const { file, content } = await at.toMemory();
      content.equals(at.content).should.be.true();
      should(file).containEql({ id: 'F', name: 'file.bin', size: String(size) });
    });
  }

  it('refuses what is larger than allowed before it is fetched', async () => {
    at.content = bytes(101);
    const error = await rejected(at.toMemory({ maxSize: 100 }), 'too_large');
    should(error.params).deepEqual({ size: '101 B', limit: '100 B' });
    at.fetches().should.be.empty();
    (await at.toMemory({ maxSize: 101 })).content.length.should.equal(101);
  });

  it('refuses what is larger than any buffer, whatever is allowed', async () => {
    at.file = { ...at.file, size: String(constants.MAX_LENGTH + 1) };
    const error = await rejected(at.toMemory({ maxSize: Infinity }), 'too_large');
    should(error.params).deepEqual({
      size: formatSize(constants.MAX_LENGTH + 1, 'up'),
      limit: formatSize(constants.MAX_LENGTH, 'down'),
    });
    at.fetches().should.be.empty();
  });

  it('refuses it while it comes where nobody had said how large it is', async () => {
    at.file = { id: 'F', size: undefined, md5Checksum: undefined, sha256Checksum: undefined };
    at.wire.before((seen, { response }) => {
      if (!isContent(seen)) return {};
      response.writeHead(200);
      response.end(bytes(1_000));
      return 'handled';
    });
    const { params } = await rejected(at.toMemory({ maxSize: 999 }), 'too_large', 'too_large_content');
    should(params).deepEqual({ limit: '999 B' });
    (await at.toMemory({ maxSize: 1_000 })).content.equals(bytes(1_000)).should.be.true();
  });

  it('refuses folders without fetching them', async () => {
    at.file = { id: 'F', name: 'f', mimeType: 'application/vnd.google-apps.folder', size: undefined };
    await rejected(at.toMemory(), 'not_downloadable', 'not_downloadable_folder');
    at.fetches().should.be.empty();
  });

  it('tells how far it is', async () => {
    at.content = bytes(500_000);
    const told: (number | undefined)[][] = [];
    await at.toMemory({ onProgress: (...each) => told.push(each) });
    should(told.at(-1)).deepEqual([500_000, 500_000, 0]);
    told.length.should.be.above(1);
  });

  for (const member of ['size', 'md5Checksum', 'sha256Checksum', 'name', 'mimeType']) {
    it(`refuses metadata whose ${member} is of the wrong type`, async () => {
      at.file = { id: 'F', [member]: 5 };
      const error = await rejected(at.toMemory(), 'bad_response', 'bad_response_type');
      should(error.params).deepEqual({ member });
      at.file = { id: 'F', [member]: {} };
      await rejected(at.toMemory(), 'bad_response');
    });
  }

  it('acknowledges abuse only after the refusal, and only if asked to', async () => {
    at.fault = (seen) =>
      isContent(seen) && seen.query.get('acknowledgeAbuse') !== 'true'
        ? refusal(403, 'cannotDownloadAbusiveFile')
        : undefined;
    await rejected(at.toMemory(), 'not_downloadable', 'not_downloadable_abusive');
    at.fetches().length.should.equal(1);
    await at.toMemory({ acknowledgeAbuse: true });
    at.fetches()
      .map(({ query }) => query.get('acknowledgeAbuse'))
      .should.deepEqual([null, null, 'true']);
  });

  it('acknowledges abuse once: who refuses it then, too, is believed', async () => {
    at.fault = (seen) => (isContent(seen) ? refusal(403, 'cannotDownloadAbusiveFile') : undefined);
    await rejected(at.toMemory({ acknowledgeAbuse: true }), 'not_downloadable', 'not_downloadable_abusive');
    at.fetches().length.should.equal(2);
  });

  it('refuses a content that is packed though it was not to be', async () => {
    at.fault = (seen) =>
      isContent(seen) ? { headers: { 'Content-Encoding': 'gzip' }, body: 'x' } : undefined;
    await rejected(at.toMemory(), 'bad_response', 'bad_response_encoding');
  });

  describe('from a service without a metadata request', () => {
    for (const status of [400, 404, 405, 501]) {
      it(`goes by the headers where it is answered ${status}`, async () => {
        at.restart({ service: { kind: 'custom' } });
        at.content = bytes(1_000);
        at.fault = (seen) => {
          if (!isContent(seen)) return { status };
          const headers = {
            'Content-Type': 'application/x-tar; x=y',
            'Content-Disposition': 'attachment; filename="a b.tar"',
          };
          return { body: at.content, headers };
        };
        const { file, content } = await at.toMemory();
        content.equals(at.content).should.be.true();
        file.should.deepEqual({ id: 'F', name: 'a b.tar', mimeType: 'application/x-tar', size: '1000' });
        [...(at.fetches()[0]?.query.keys() ?? [])].should.deepEqual(['alt']);
        await rejected(at.toMemory({ maxSize: 999 }), 'too_large');
      });
    }

    it('starts anew after a break: nobody can say that it is the same content', async () => {
      at.restart({ service: { kind: 'custom' } });
      at.content = bytes(1_000_000);
      let count = 0;
      at.fault = (seen) => {
        if (!isContent(seen)) return { status: 404 };
        return count++ === 0 ? { ...at.answer(seen), cutAfter: 500_000 } : undefined;
      };
      (await at.toMemory()).content.equals(at.content).should.be.true();
      at.fetches()
        .map(({ headers }) => headers.range)
        .should.deepEqual([undefined, undefined]);
    });

    it('says not_found where the content is not there either', async () => {
      at.restart({ service: { kind: 'custom' } });
      at.fault = () => ({ status: 404 });
      await rejected(at.toMemory(), 'not_found');
    });
  });
});
