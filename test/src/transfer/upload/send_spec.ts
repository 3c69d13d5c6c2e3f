/** Comparing what was stored with what was sent: docs/how-it-works.md, "Transfers that break". */
import { CAPABILITIES } from '../../../../src/capabilities';
import type { CallOptions, UploadResult } from '../../../../src/index';
import { bytes } from '../../../support/content';
import { rejected } from '../../../support/client/rejected';
import { uploadFixture } from '../../../support/client/upload-fixture';
import type { Reply } from '../../../support/http/scripted-service';
import type { StoredFile } from '../../../support/http/upload-service';

describe('upload verification', () => {
  const fixture = uploadFixture();

  it('deletes only the file it has created if the service has stored other bytes', async () => {
    fixture.service.files.push({ id: 'other', metadata: {}, mimeType: 'a/b', content: Buffer.alloc(0) });
    for (const wrong of [
      { md5Checksum: 'x', sha256Checksum: undefined },
      { sha256Checksum: 'x' },
      { size: '2' },
    ]) {
      fixture.service.fault = (seen) => {
        if (seen.query.get('uploadType') !== 'multipart') return undefined;
        const { body } = fixture.service.handle(seen);
        return { body: { ...(body as object), ...wrong } };
      };
      await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch');
      fixture.service.files.map(({ id }) => id).should.deepEqual(['other']);
    }
  });

  for (const size of [3, 6_000_001]) {
    describe(`of a replaced file of ${size} bytes`, () => {
      const content = bytes(size);
      /** How many uploads, from the first one on, get a wrong checksum in the response. */
      let mismatches: number;
      let uploads: number;

      beforeEach(() => {
        mismatches = 0;
        uploads = 0;
        const metadata = { name: 'backup.tar', description: 'mine' };
        fixture.service.files.push({ id: 'old', metadata, mimeType: 'a/b', content: Buffer.from('old') });
        fixture.service.fault = (seen) => {
          const isContent = seen.method === 'PUT' || seen.query.get('uploadType') === 'multipart';
          if (!isContent) return undefined;
          const { body } = fixture.service.handle(seen);
          return {
            body: { ...(body as object), ...(++uploads <= mismatches ? { sha256Checksum: 'x' } : {}) },
          };
        };
      });
      const replace = async () =>
        fixture.upload({ path: await fixture.onDisk(content) }, { ifExists: 'replace' });
      const deleted = () => fixture.service.server.requests.filter(({ method }) => method === 'DELETE');

      it('sends the content again and never deletes the replaced file', async () => {
        mismatches = 1;
        const { file, created } = await replace();
        file.id.should.equal('old');
        created.should.be.false();
        uploads.should.equal(2);
        deleted().should.be.empty();
        fixture.onlyFile().should.match({ id: 'old', metadata: { description: 'mine' } });
        fixture.onlyFile().content.equals(content).should.be.true();
      });

      it('fails after the second mismatch and never deletes the replaced file', async () => {
        mismatches = Infinity;
        await rejected(replace(), 'checksum_mismatch');
        uploads.should.equal(2);
        deleted().should.be.empty();
        fixture.onlyFile().id.should.equal('old');
      });
    });
  }

  it('compares the size if the service returns no checksum', async () => {
    fixture.service.hiddenFields = ['md5Checksum', 'sha256Checksum'];
    (await fixture.upload({ data: 'abc' })).created.should.be.true();
    fixture.service.fault = (seen) => {
      if (seen.query.get('uploadType') !== 'multipart') return undefined;
      return { body: { ...(fixture.service.handle(seen).body as object), size: '2' } };
    };
    await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch', 'checksum_mismatch_size');
  });

  describe('that fails the first time', () => {
    const uploads = () =>
      fixture.service.server.requests.filter(({ query }) => query.get('uploadType') !== null);
    const deleted = () => fixture.service.server.requests.filter(({ method }) => method === 'DELETE');

    /** Returns a wrong checksum for the first upload. @param more other fields of that response */
    function mismatchOnce(
      more: object = {},
      otherFault: typeof fixture.service.fault = () => undefined,
    ): void {
      fixture.service.fault = (seen) => {
        if (seen.query.get('uploadType') === null || uploads().length > 1) return otherFault(seen);
        return { body: { ...(fixture.service.handle(seen).body as object), sha256Checksum: 'x', ...more } };
      };
    }

    for (const kind of ['google', 'custom'] as const) {
      it(`deletes the file and uploads it again at a ${kind} service`, async () => {
        fixture.restart({ service: { can: CAPABILITIES[kind] } });
        mismatchOnce();
        (await fixture.upload({ data: 'abc' })).created.should.be.true();
        uploads().length.should.equal(2);
        fixture.onlyFile().content.toString().should.equal('abc');
      });
    }

    it('uploads only once if the file can’t be deleted', async () => {
      mismatchOnce({}, ({ method }) => (method === 'DELETE' ? { status: 403 } : undefined));
      await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch');
      uploads().length.should.equal(1);
    });

    it('never deletes a file whose id a custom service has chosen, because it may have existed before', async () => {
      fixture.restart({ service: { can: CAPABILITIES.custom } });
      mismatchOnce({}, ({ path }) => (path.endsWith('generateIds') ? { status: 404 } : undefined));
      await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch');
      fixture.restart({ service: { can: CAPABILITIES.custom } });
      fixture.service.server.requests.length = 0;
      mismatchOnce({ id: 'another' });
      await rejected(fixture.upload({ data: 'abc' }), 'checksum_mismatch');
      deleted().should.be.empty();
      uploads().length.should.equal(1);
    });

    it('stops when it is cancelled while the file is deleted', async () => {
      const abort = new AbortController();
      mismatchOnce({}, ({ method }) => {
        if (method !== 'DELETE') return undefined;
        abort.abort();
        return { status: 503 };
      });
      await rejected(fixture.upload({ data: 'abc' }, {}, { signal: abort.signal }), 'cancelled');
    });
  });

  for (const [kind, hides, times] of [
    ['google', ['md5Checksum'], 0],
    ['custom', ['sha256Checksum'], 0],
    ['custom', ['md5Checksum'], 1],
    ['custom', ['size'], 1],
  ] as const) {
    it(`requests the metadata ${times} times if a ${kind} service leaves out ${hides[0]}`, async () => {
      fixture.restart({ service: { can: CAPABILITIES[kind] } });
      fixture.service.hiddenFields = [...hides];
      const { file } = await fixture.upload({ data: 'abc' }, { fields: 'description' });
      file.id.should.equal(fixture.onlyFile().id);
      const requests = fixture.service.server.requests.filter(({ path }) => path.endsWith(`/${file.id}`));
      const fields = requests.map(({ query }) => query.get('fields'));
      fields.should.deepEqual(Array(times).fill('description,id,size,md5Checksum,sha256Checksum'));
    });
  }

  it('compares md5 once the service returns no sha256 any more', async () => {
    const path = await fixture.onDisk('abc');
    await fixture.upload({ path });
    fixture.service.hiddenFields = ['sha256Checksum'];
    await fixture.upload({ path });
    fixture.service.fault = (seen) => {
      const { body } = fixture.service.handle(seen);
      const isUpload = seen.query.get('uploadType') === 'multipart';
      return { body: isUpload ? { ...(body as object), md5Checksum: 'x' } : (body ?? {}) };
    };
    await rejected(fixture.upload({ path }), 'checksum_mismatch');
  });

  describe('at a custom service whose response contains only the id', () => {
    let metadataRequests: number;

    /** @param reply to the request for the metadata */
    function uploadWithReply(reply: Reply | (() => Reply), call: CallOptions = {}): Promise<UploadResult> {
      metadataRequests = 0;
      fixture.service.fault = (seen) => {
        if (seen.query.get('uploadType'))
          return { body: { id: (fixture.service.handle(seen).body as StoredFile).id } };
        if (seen.method !== 'GET' || seen.path.endsWith('generateIds')) return undefined;
        metadataRequests += 1;
        return typeof reply === 'function' ? reply() : reply;
      };
      return fixture.upload({ data: 'abc' }, {}, call);
    }

    beforeEach(() => fixture.restart({ service: { can: CAPABILITIES.custom } }));

    for (const [what, reply] of [
      ['fails with 503', { status: 503 }],
      ['is reset', 'reset'],
      ['returns HTML', { body: '<html>' }],
      ['returns an id of the wrong type', { body: { id: 5 } }],
      ['fails with 403', { status: 403 }],
      ['gets no response', 'handled'],
    ] as const) {
      it(`succeeds at a custom service if the metadata request ${what}`, async () => {
        if (reply === 'handled')
          fixture.restart({ service: { can: CAPABILITIES.custom }, timeout: 100, retryFor: 0 });
        const { file, created } = await uploadWithReply(reply);
        created.should.be.true();
        file.should.deepEqual({ id: fixture.onlyFile().id });
        metadataRequests.should.be.above(0);
      });
    }

    it('stops when it is cancelled during the metadata request after the upload', async () => {
      const abort = new AbortController();
      const reply = (): Reply => (abort.abort(), { status: 503 });
      await rejected(uploadWithReply(reply, { signal: abort.signal }), 'cancelled');
    });
  });
});
