import { rejected } from '../../support/rejected';
import { uploadFixture } from '../../support/upload-fixture';
import type { Stored } from '../../support/upload-service';

describe('proof of an upload', () => {
  const at = uploadFixture();

  it('removes what it has made where the service has other bytes, and only that', async () => {
    at.service.files.push({ id: 'other', resource: {}, mimeType: 'a/b', content: Buffer.alloc(0) });
    for (const wrong of [
      { md5Checksum: 'x', sha256Checksum: undefined },
      { sha256Checksum: 'x' },
      { size: '2' },
    ]) {
      at.service.fault = (seen) => {
        if (seen.query.get('uploadType') !== 'multipart') return undefined;
        const { body } = at.service.answer(seen);
        return { body: { ...(body as object), ...wrong } };
      };
      await rejected(at.upload({ data: 'abc' }), 'checksum_mismatch');
      at.service.files.map(({ id }) => id).should.deepEqual(['other']);
    }
  });

  it('never removes a file that it was to replace', async () => {
    at.service.files.push({
      id: 'old',
      resource: { name: 'backup.tar' },
      mimeType: 'a/b',
      content: Buffer.alloc(0),
    });
    at.service.fault = (seen) => {
      if (seen.path === '/drive/v3/files') return { body: { files: [{ id: 'old', name: 'backup.tar' }] } };
      if (seen.method !== 'PATCH') return undefined;
      const { body } = at.service.answer(seen);
      return { body: { ...(body as object), sha256Checksum: 'x' } };
    };
    await rejected(at.upload({ data: 'abc' }, { ifExists: 'replace' }), 'checksum_mismatch');
    at.only().id.should.equal('old');
  });

  it('compares md5 where the service stops giving sha256', async () => {
    const path = await at.onDisk('abc');
    await at.upload({ path });
    at.service.hides = ['sha256Checksum'];
    await at.upload({ path });
    at.service.fault = (seen) => {
      const { body } = at.service.answer(seen);
      const isUpload = seen.query.get('uploadType') === 'multipart';
      return { body: isUpload ? { ...(body as object), md5Checksum: 'x' } : (body ?? {}) };
    };
    await rejected(at.upload({ path }), 'checksum_mismatch');
  });

  for (const [what, reply] of [
    ['is not to be had', { status: 503 }],
    ['breaks off', 'reset'],
    ['makes no sense', { body: '<html>' }],
    ['is of the wrong type', { body: { id: 5 } }],
    ['is refused', { status: 403 }],
  ] as const) {
    it(`lets an upload to a custom service succeed where what completes its answer ${what}`, async () => {
      at.restart({ service: { kind: 'custom' } });
      at.service.fault = (seen) => {
        if (seen.query.get('uploadType'))
          return { body: { id: (at.service.answer(seen).body as Stored).id } };
        return seen.method === 'GET' && !seen.path.endsWith('generateIds') ? reply : undefined;
      };
      const { file, created } = await at.upload({ data: 'abc' });
      created.should.be.true();
      file.should.deepEqual({ id: at.only().id });
    });
  }

  it('is cancelled also after the upload, while the answer is completed', async () => {
    at.restart({ service: { kind: 'custom' } });
    const abort = new AbortController();
    at.service.fault = (seen) => {
      if (seen.query.get('uploadType')) return { body: { id: (at.service.answer(seen).body as Stored).id } };
      if (seen.method !== 'GET' || seen.path.endsWith('generateIds')) return undefined;
      abort.abort();
      return { status: 503 };
    };
    await rejected(at.upload({ data: 'abc' }, {}, { signal: abort.signal }), 'cancelled');
  });
});
