/** Folders that are made at once. https://developers.google.com/workspace/drive/api/guides/folder */
import type { CreateFolderRequest } from '../../../src/files/create-folder';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

for (const kind of ['google', 'custom'] as const) {
  describe(`folders made at once, ${kind}`, () => {
    const at = driveFixture();
    let testClient: TestClient;
    let wanted: CreateFolderRequest;

    beforeEach(async () => {
      testClient = createTestClient(at.drive.url, { service: { kind } });
      wanted = {
        name: 'caf\u00e9',
        folderId: await at.drive.files.addFolder('parent'),
        fields: 'id,name',
      };
    });
    afterEach(() => testClient.close());

    const made = () => at.drive.files.in(wanted.folderId);
    /** The first request for the folder waits. @returns a promise that it has come, and what lets it go on */
    function held(method: 'GET' | 'POST'): { begun: Promise<void>; goOn: () => void } {
      let goOn = (): void => undefined;
      let came = (): void => undefined;
      const begun = new Promise<void>((resolve) => (came = resolve));
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      at.drive.faults.add({
        kind: 'delay',
        until: () => (came(), gate),
        match: { method, path: /\/files$/ },
      });
      return { begun, goOn };
    }

    it('is one folder for twenty calls, in whatever way its letters are composed', async () => {
      const names = Array.from({ length: 20 }, (_, index) =>
        wanted.name.normalize(index % 2 === 0 ? 'NFC' : 'NFD'),
      );
      const all = await Promise.all(names.map((name) => testClient.client.createFolder({ ...wanted, name })));
      made().length.should.equal(1);
      all.filter(({ created }) => created).length.should.equal(1);
      new Set(all.map(({ folder }) => folder.id)).size.should.equal(1);
    });

    it('makes folders of other names and in other places meanwhile', async () => {
      const { begun, goOn } = held('POST');
      const first = testClient.client.createFolder(wanted);
      await begun;
      const other = await at.drive.files.addFolder('other');
      (await testClient.client.createFolder({ ...wanted, name: 'x' })).created.should.be.true();
      (await testClient.client.createFolder({ ...wanted, folderId: other })).created.should.be.true();
      goOn();
      (await first).created.should.be.true();
    });

    it(`createFolder spends one retry budget on all its requests, ${kind}`, async () => {
      const { clock } = testClient;
      const start = clock.monotonic();
      const unavailable = { kind: 'error', reason: 'backendError', times: Infinity } as const;
      const fault = at.drive.faults.add({ ...unavailable, match: { method: 'GET', path: /\/files$/ } });
      clock.onSleep = (ms) => {
        if (clock.monotonic() + ms - start > 30_000) fault.remove();
      };
      at.drive.faults.add({ ...unavailable, match: { method: 'POST' } });
      await rejected(testClient.client.createFolder(wanted), 'service_unavailable');
      (clock.monotonic() - start).should.be.within(30_000, 60_000);
    });

    it('finishes for the others what somebody has begun who leaves', async () => {
      const { begun, goOn } = held('POST');
      const abort = new AbortController();
      const leaves = testClient.client.createFolder(wanted, { signal: abort.signal });
      const stays = testClient.client.createFolder(wanted);
      await begun;
      abort.abort();
      await rejected(leaves, 'cancelled');
      goOn();
      const { folder } = await stays;
      made()
        .map(({ id }) => id)
        .should.deepEqual([folder.id]);
    });

    it('lets go who waits, and ends the work when nobody is left', async () => {
      const { begun, goOn } = held('GET');
      const first = new AbortController();
      const second = new AbortController();
      const works = testClient.client.createFolder(wanted, { signal: first.signal });
      const waits = testClient.client.createFolder(wanted, { signal: second.signal });
      await begun;
      second.abort();
      await rejected(waits, 'cancelled');
      first.abort();
      await rejected(works, 'cancelled');
      goOn();
      made().should.be.empty();
      (await testClient.client.createFolder(wanted)).created.should.be.true();
    });

    it('does not fail the next where one fails', async () => {
      at.drive.faults.add({ kind: 'error', reason: 'forbidden', match: { method: 'POST' } });
      const failing = testClient.client.createFolder(wanted);
      const next = testClient.client.createFolder(wanted);
      await rejected(failing, 'permission_denied');
      (await next).created.should.be.true();
      made().length.should.equal(1);
    });

    it('stays a conflict where no file is behind the id that is taken', async () => {
      const match = { method: 'POST', path: /\/files$/ };
      at.drive.faults.add({ kind: 'response', status: 409, body: '', match });
      await rejected(testClient.client.createFolder(wanted), 'conflict');
    });
  });
}
