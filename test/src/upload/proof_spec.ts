import { bytes } from '../../support/content';
import { rejected } from '../../support/client/rejected';
import { uploadFixture } from '../../support/client/upload-fixture';
import type { Stored } from '../../support/http/upload-service';

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

  for (const size of [3, 6_000_001]) {
    describe(`of a file of ${size} bytes that it was to replace`, () => {
      const content = bytes(size);
      /** Answers to new content that say something else than what was sent. */
      let wrong: number;
      let sent: number;

      beforeEach(() => {
        wrong = 0;
        sent = 0;
        const resource = { name: 'backup.tar', description: 'mine' };
        at.service.files.push({ id: 'old', resource, mimeType: 'a/b', content: Buffer.from('old') });
        at.service.fault = (seen) => {
          const isContent = seen.method === 'PUT' || seen.query.get('uploadType') === 'multipart';
          if (!isContent) return undefined;
          const { body } = at.service.answer(seen);
          return { body: { ...(body as object), ...(++sent <= wrong ? { sha256Checksum: 'x' } : {}) } };
        };
      });
      const replace = async () => at.upload({ path: await at.onDisk(content) }, { ifExists: 'replace' });
      const deleted = () => at.service.wire.seen.filter(({ method }) => method === 'DELETE');

      it('sends it again, and never removes it', async () => {
        wrong = 1;
        const { file, created } = await replace();
        file.id.should.equal('old');
        created.should.be.false();
        sent.should.equal(2);
        deleted().should.be.empty();
        at.only().should.match({ id: 'old', resource: { description: 'mine' } });
        at.only().content.equals(content).should.be.true();
      });

      it('gives up after the second time, and never removes it', async () => {
        wrong = Infinity;
        await rejected(replace(), 'checksum_mismatch');
        sent.should.equal(2);
        deleted().should.be.empty();
        at.only().id.should.equal('old');
      });
    });
  }

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

  it('lets an upload to a custom service succeed where what completes its answer never comes', async () => {
    at.restart({ service: { kind: 'custom' }, timeout: 100, retryFor: 0 });
    let asked = 0;
    at.service.fault = (seen) => {
      if (seen.query.get('uploadType')) return { body: { id: (at.service.answer(seen).body as Stored).id } };
      if (seen.method !== 'GET' || seen.path.endsWith('generateIds')) return undefined;
      asked += 1;
      return 'handled';
    };
    const { file } = await at.upload({ data: 'abc' });
    file.id.should.equal(at.only().id);
    asked.should.equal(1);
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
