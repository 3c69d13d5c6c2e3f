/** Either kind of upload, by size. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
import should from 'should';
import { bytes, md5 } from '../../support/content';
import { rejected } from '../../support/client/rejected';
import { uploadFixture } from '../../support/client/upload-fixture';

describe('upload', () => {
  const at = uploadFixture();

  describe('sizes', () => {
    for (const size of [0, 1, 262_143, 262_144, 262_145, 4_999_999, 5_000_000, 5_000_001, 12_345_678]) {
      it(`sends ${size} bytes from disk and from memory, and the service has just those`, async () => {
        const content = bytes(size, size + 7);
        const path = await at.onDisk(content);
        const fromDisk = await at.upload({ path });
        md5(at.only().content).should.equal(md5(content));
        fromDisk.created.should.be.true();
        should(fromDisk.file.size).equal(String(size));
        at.service.files.length = 0;
        await at.upload({ data: content });
        md5(at.only().content).should.equal(md5(content));
        const kinds = new Set(
          at.service.wire.seen.map(({ query }) => query.get('uploadType')).filter(Boolean),
        );
        [...kinds].should.deepEqual([size <= 5_000_000 ? 'multipart' : 'resumable']);
      });
    }
  });

  it('sends a large file in one PUT, its length announced and nothing chunked', async () => {
    const path = await at.onDisk(bytes(9_000_000));
    await at.upload({ path }, { mimeType: 'application/x-tar' });
    const [start, put, ...more] = at.service.wire.seen.filter(
      ({ path: target }) => !target.includes('generateIds'),
    );
    more.should.be.empty();
    should(start?.headers['x-upload-content-type']).equal('application/x-tar');
    should(start?.headers['x-upload-content-length']).equal('9000000');
    should(start?.query.get('fields')).equal(`id,name,mimeType,size,md5Checksum,parents,sha256Checksum`);
    should(put?.headers['content-length']).equal('9000000');
    should(put?.headers['content-range']).equal('bytes 0-8999999/9000000');
    should(put?.headers['transfer-encoding']).be.undefined();
  });

  it('asks for what proves the upload, and gives back only what the user asked for', async () => {
    const { file } = await at.upload({ data: 'abc' }, { fields: 'name' });
    Object.keys(file).sort().should.deepEqual(['id', 'name']);
    const post = at.service.wire.seen.find(({ method }) => method === 'POST');
    should(post?.query.get('fields')).equal('name,id,size,md5Checksum,sha256Checksum');
    should(post?.query.get('supportsAllDrives')).equal('true');
  });

  it('tells its progress from nothing to all, never backwards', async () => {
    const told: number[] = [];
    const onProgress = (transferred: number, total: number | undefined): void => {
      should(total).equal(7_000_000);
      told.push(transferred);
    };
    await at.upload({ data: bytes(7_000_000) }, { onProgress });
    told.should.deepEqual([...told].sort((a, b) => a - b));
    told[0]?.should.equal(0);
    should(told.at(-1)).equal(7_000_000);
    told.length.should.be.below(10);
  });

  it('ends at once when it is cancelled, and closes its connection', async () => {
    const abort = new AbortController();
    const closed = new Promise((resolve) => {
      at.service.wire.before(({ method }, { request }) => {
        if (method !== 'PUT') return {};
        request.socket.once('close', resolve);
        request.once('data', () => abort.abort());
        return 'handled';
      });
    });
    const path = await at.onDisk(bytes(20_000_000));
    await rejected(at.upload({ path }, {}, { signal: abort.signal }), 'cancelled');
    await closed;
    at.service.files.should.be.empty();
  });

  it('refuses answers without an id, with a wrong type, or that are no JSON', async () => {
    for (const body of [
      '<html>',
      '[]',
      '',
      { name: 'x' },
      { id: 5 },
      { id: '' },
      { id: 'a', size: 5 },
      { id: 'a', size: 'x' },
    ]) {
      at.service.fault = (seen) => (seen.query.get('uploadType') ? { body } : undefined);
      await rejected(at.upload({ data: 'x' }), 'bad_response');
    }
  });
});
