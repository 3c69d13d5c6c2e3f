/** Uploads of either type, by size. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
import should from 'should';
import { bytes, md5 } from '../../../support/content';
import { rejected } from '../../../support/client/rejected';
import { uploadFixture } from '../../../support/client/upload-fixture';

describe('upload', () => {
  const fixture = uploadFixture();

  describe('by size', () => {
    for (const size of [0, 1, 262_143, 262_144, 262_145, 4_999_999, 5_000_000, 5_000_001, 12_345_678]) {
      it(`uploads ${size} bytes from disk and from memory`, async () => {
        const content = bytes(size, size + 7);
        const path = await fixture.onDisk(content);
        const fromDisk = await fixture.upload({ path });
        md5(fixture.onlyFile().content).should.equal(md5(content));
        fromDisk.created.should.be.true();
        should(fromDisk.file.size).equal(String(size));
        fixture.service.files.length = 0;
        await fixture.upload({ data: content });
        md5(fixture.onlyFile().content).should.equal(md5(content));
        const types = new Set(
          fixture.service.server.requests.map(({ query }) => query.get('uploadType')).filter(Boolean),
        );
        [...types].should.deepEqual([size <= 5_000_000 ? 'multipart' : 'resumable']);
      });
    }
  });

  it('sends a large file in one PUT with a Content-Length', async () => {
    const path = await fixture.onDisk(bytes(9_000_000));
    await fixture.upload({ path }, { mimeType: 'application/x-tar' });
    const [start, put, ...more] = fixture.service.server.requests.filter(
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

  it('requests the fields that verify the upload and returns only those the user requested', async () => {
    const { file } = await fixture.upload({ data: 'abc' }, { fields: 'name' });
    Object.keys(file).sort().should.deepEqual(['id', 'name']);
    const post = fixture.service.server.requests.find(({ method }) => method === 'POST');
    should(post?.query.get('fields')).equal('name,id,size,md5Checksum,sha256Checksum');
    should(post?.query.get('supportsAllDrives')).equal('true');
  });

  it('reports increasing progress from 0 to the total', async () => {
    const reported: number[] = [];
    const onProgress = (transferred: number, total: number | undefined): void => {
      should(total).equal(7_000_000);
      reported.push(transferred);
    };
    await fixture.upload({ data: bytes(7_000_000) }, { onProgress });
    reported.should.deepEqual([...reported].sort((a, b) => a - b));
    reported[0]?.should.equal(0);
    should(reported.at(-1)).equal(7_000_000);
    reported.length.should.be.below(10);
  });

  it('stops and closes its connection when it is cancelled', async () => {
    const abort = new AbortController();
    const closed = new Promise((resolve) => {
      fixture.service.server.onHeaders(({ method }, { request }) => {
        if (method !== 'PUT') return {};
        request.socket.once('close', resolve);
        request.once('data', () => abort.abort());
        return 'handled';
      });
    });
    const path = await fixture.onDisk(bytes(20_000_000));
    await rejected(fixture.upload({ path }, {}, { signal: abort.signal }), 'cancelled');
    await closed;
    fixture.service.files.should.be.empty();
  });

  it('shares one retry budget between the search for existing files and the later requests', async () => {
    const startedAt = fixture.clock.now();
    const elapsed = () => fixture.clock.now() - startedAt;
    fixture.service.fault = ({ path }) => {
      const isFailing = path.endsWith('generateIds') || (path.endsWith('/files') && elapsed() < 50_000);
      return isFailing ? { status: 503 } : undefined;
    };
    await rejected(fixture.upload({ data: 'x' }, { ifExists: 'skip' }), 'service_unavailable');
    elapsed().should.be.within(50_000, 61_000);
  });

  it('never puts the id .. of a listed file into the URL of an upload', async () => {
    fixture.service.files.push({
      id: '..',
      metadata: { name: 'backup.tar' },
      mimeType: 'a/b',
      content: Buffer.alloc(0),
    });
    await rejected(fixture.upload({ data: 'x' }, { ifExists: 'replace' }), 'invalid_input');
    fixture.service.requestsFor('multipart').should.be.empty();
  });

  it('fails if the response has no id, a field of the wrong type or invalid JSON', async () => {
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
      fixture.service.fault = (seen) => (seen.query.get('uploadType') ? { body } : undefined);
      await rejected(fixture.upload({ data: 'x' }), 'bad_response');
    }
  });
});
