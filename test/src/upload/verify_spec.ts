/** What arrived is compared with what was sent: docs/how-it-works.md, "Transfers that break". */
import { bytes } from '../../support/content';
import { rejected } from '../../support/client/rejected';
import { uploadFixture } from '../../support/client/upload-fixture';
import type { StoredFile } from '../../support/http/upload-service';

describe('proof of an upload', () => {
  const fixture = uploadFixture();

  it('removes what it has made where the service has other bytes, and only that', async () => {
    fixture.service.files.push({ id: 'other', metadata: {}, mimeType: 'a/b', content: Buffer.alloc(0) });
    for (const wrong of [
      { md5Checksum: 'x', sha256Checksum: undefined },
      { sha256Checksum: 'x' },
      { size: '2' },
    ]) {
      fixture.service.fault = (seen) => {
        if (seen.query.get('uploadType') !== 'multipart') return undefined;
        const { body } = fixture.service.answer(seen);
        return { body: { ...(body as object), ...wrong } };
      };
      await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch');
      fixture.service.files.map(({ id }) => id).should.deepEqual(['other']);
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
        const metadata = { name: 'backup.tar', description: 'mine' };
        fixture.service.files.push({ id: 'old', metadata, mimeType: 'a/b', content: Buffer.from('old') });
        fixture.service.fault = (seen) => {
          const isContent = seen.method === 'PUT' || seen.query.get('uploadType') === 'multipart';
          if (!isContent) return undefined;
          const { body } = fixture.service.answer(seen);
          return { body: { ...(body as object), ...(++sent <= wrong ? { sha256Checksum: 'x' } : {}) } };
        };
      });
      const replace = async () =>
        fixture.upload({ path: await fixture.onDisk(content) }, { ifExists: 'replace' });
      const deleted = () => fixture.service.server.seen.filter(({ method }) => method === 'DELETE');

      it('sends it again, and never removes it', async () => {
        wrong = 1;
        const { file, created } = await replace();
        file.id.should.equal('old');
        created.should.be.false();
        sent.should.equal(2);
        deleted().should.be.empty();
        fixture.onlyFile().should.match({ id: 'old', metadata: { description: 'mine' } });
        fixture.onlyFile().content.equals(content).should.be.true();
      });

      it('gives up after the second time, and never removes it', async () => {
        wrong = Infinity;
        await rejected(replace(), 'checksum_mismatch');
        sent.should.equal(2);
        deleted().should.be.empty();
        fixture.onlyFile().id.should.equal('old');
      });
    });
  }

  it('takes the length for it where the service gives no checksum', async () => {
    fixture.service.hiddenFields = ['md5Checksum', 'sha256Checksum'];
    (await fixture.upload({ data: 'abc' })).created.should.be.true();
    fixture.service.fault = (seen) => {
      if (seen.query.get('uploadType') !== 'multipart') return undefined;
      return { body: { ...(fixture.service.answer(seen).body as object), size: '2' } };
    };
    await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch', 'checksum_mismatch_size');
  });

  describe('that fails at first', () => {
    const uploads = () => fixture.service.server.seen.filter(({ query }) => query.get('uploadType') !== null);
    const deleted = () => fixture.service.server.seen.filter(({ method }) => method === 'DELETE');

    /** The service says once something else than what it was sent. @param more of that answer */
    function wrongOnce(more: object = {}, other: typeof fixture.service.fault = () => undefined): void {
      fixture.service.fault = (seen) => {
        if (seen.query.get('uploadType') === null || uploads().length > 1) return other(seen);
        return { body: { ...(fixture.service.answer(seen).body as object), sha256Checksum: 'x', ...more } };
      };
    }

    for (const kind of ['google', 'custom'] as const) {
      it(`is removed and sent again, with ${kind} too`, async () => {
        fixture.restart({ service: { kind } });
        wrongOnce();
        (await fixture.upload({ data: 'abc' })).created.should.be.true();
        uploads().length.should.equal(2);
        fixture.onlyFile().content.toString().should.equal('abc');
      });
    }

    it('is sent once only where it can’t be removed', async () => {
      wrongOnce({}, ({ method }) => (method === 'DELETE' ? { status: 403 } : undefined));
      await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch');
      uploads().length.should.equal(1);
    });

    it('is never removed where a custom service chose the id: it may be a file that was there', async () => {
      fixture.restart({ service: { kind: 'custom' } });
      wrongOnce({}, ({ path }) => (path.endsWith('generateIds') ? { status: 404 } : undefined));
      await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch');
      fixture.restart({ service: { kind: 'custom' } });
      fixture.service.server.seen.length = 0;
      wrongOnce({ id: 'another' });
      await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch');
      deleted().should.be.empty();
      uploads().length.should.equal(1);
    });

    it('is cancelled, too, while it is removed', async () => {
      const ending = new AbortController();
      wrongOnce({}, ({ method }) => {
        if (method !== 'DELETE') return undefined;
        ending.abort();
        return { status: 503 };
      });
      await rejected(fixture.upload({ data: 'abc' }, {}, { signal: ending.signal }), 'cancelled');
    });
  });

  for (const [kind, hides, times] of [
    ['google', ['md5Checksum'], 0],
    ['custom', ['sha256Checksum'], 0],
    ['custom', ['md5Checksum'], 1],
    ['custom', ['size'], 1],
  ] as const) {
    it(`asks ${times} times for more where a ${kind} service answers without ${hides[0]}`, async () => {
      fixture.restart({ service: { kind } });
      fixture.service.hiddenFields = [...hides];
      const { file } = await fixture.upload({ data: 'abc' }, { fields: 'description' });
      file.id.should.equal(fixture.onlyFile().id);
      const asked = fixture.service.server.seen.filter(({ path }) => path.endsWith(`/${file.id}`));
      const fields = asked.map(({ query }) => query.get('fields'));
      fields.should.deepEqual(Array(times).fill('description,id,size,md5Checksum,sha256Checksum'));
    });
  }

  it('compares md5 where the service stops giving sha256', async () => {
    const path = await fixture.onDisk('abc');
    await fixture.upload({ path });
    fixture.service.hiddenFields = ['sha256Checksum'];
    await fixture.upload({ path });
    fixture.service.fault = (seen) => {
      const { body } = fixture.service.answer(seen);
      const isUpload = seen.query.get('uploadType') === 'multipart';
      return { body: isUpload ? { ...(body as object), md5Checksum: 'x' } : (body ?? {}) };
    };
    await rejected(fixture.upload({ path }), 'checksum_mismatch');
  });

  it('lets an upload to a custom service succeed where what completes its answer never comes', async () => {
    fixture.restart({ service: { kind: 'custom' }, timeout: 100, retryFor: 0 });
    let asked = 0;
    fixture.service.fault = (seen) => {
      if (seen.query.get('uploadType'))
        return { body: { id: (fixture.service.answer(seen).body as StoredFile).id } };
      if (seen.method !== 'GET' || seen.path.endsWith('generateIds')) return undefined;
      asked += 1;
      return 'handled';
    };
    const { file } = await fixture.upload({ data: 'abc' });
    file.id.should.equal(fixture.onlyFile().id);
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
      fixture.restart({ service: { kind: 'custom' } });
      fixture.service.fault = (seen) => {
        if (seen.query.get('uploadType'))
          return { body: { id: (fixture.service.answer(seen).body as StoredFile).id } };
        return seen.method === 'GET' && !seen.path.endsWith('generateIds') ? reply : undefined;
      };
      const { file, created } = await fixture.upload({ data: 'abc' });
      created.should.be.true();
      file.should.deepEqual({ id: fixture.onlyFile().id });
    });
  }

  it('is cancelled also after the upload, while the answer is completed', async () => {
    fixture.restart({ service: { kind: 'custom' } });
    const abort = new AbortController();
    fixture.service.fault = (seen) => {
      if (seen.query.get('uploadType'))
        return { body: { id: (fixture.service.answer(seen).body as StoredFile).id } };
      if (seen.method !== 'GET' || seen.path.endsWith('generateIds')) return undefined;
      abort.abort();
      return { status: 503 };
    };
    await rejected(fixture.upload({ data: 'abc' }, {}, { signal: abort.signal }), 'cancelled');
  });
});
