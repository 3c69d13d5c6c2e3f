/** Concurrent creation of folders: https://developers.google.com/workspace/drive/api/guides/folder */
import { CAPABILITIES } from '../../../src/capabilities';
import type { CreateFolderRequest } from '../../../src/drive/create-folder';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

const UNCHANGED = { name: '', folderId: '', fields: 'id', restore: false, ifExists: 'duplicate' } as const;

for (const kind of ['google', 'custom'] as const) {
  describe(`createFolder, ${kind} service`, () => {
    const fixture = driveFixture();
    let testClient: TestClient;
    let request: CreateFolderRequest;

    beforeEach(async () => {
      testClient = createTestClient(fixture.drive.url, { service: { can: CAPABILITIES[kind] } });
      request = {
        name: 'caf\u00e9',
        folderId: await fixture.drive.files.addFolder('parent'),
        fields: 'id,name',
      };
    });
    afterEach(() => testClient.close());

    const created = () => fixture.drive.files.in(request.folderId);
    /** Delays the first request. `arrived` resolves when the drive gets it, `release` lets it continue. */
    function delayFirst(method: 'GET' | 'POST'): { arrived: Promise<void>; release: () => void } {
      let release = (): void => undefined;
      let arrive = (): void => undefined;
      const arrived = new Promise<void>((resolve) => (arrive = resolve));
      const gate = new Promise<void>((resolve) => (release = resolve));
      fixture.drive.faults.add({
        kind: 'delay',
        until: () => (arrive(), gate),
        match: { method, path: /\/files$/ },
      });
      return { arrived, release };
    }

    it(`createFolder creates one folder for twenty concurrent calls in NFC and NFD, ${kind}`, async () => {
      const names = Array.from({ length: 20 }, (_, index) =>
        request.name.normalize(index % 2 === 0 ? 'NFC' : 'NFD'),
      );
      const all = await Promise.all(
        names.map((name) => testClient.client.createFolder({ ...request, name })),
      );
      created().length.should.equal(1);
      all.filter((each) => each.created).length.should.equal(1);
      new Set(all.map(({ folder }) => folder.id)).size.should.equal(1);
    });

    it(`createFolder finds no folder of a user whose lookup ends after another one has signed in, ${kind}`, async () => {
      const { client } = testClient;
      await fixture.drive.files.addFolder(request.name, request.folderId);
      const { arrived, release } = delayFirst('GET');
      const first = client.createFolder(request);
      await arrived;
      client.forgetUser();
      release();
      (await first).created.should.be.false();
      const nothing = { kind: 'response', body: { files: [] } } as const;
      fixture.drive.faults.add({ ...nothing, match: { method: 'GET', path: /\/files$/ }, times: 9 });
      (await client.createFolder(request)).created.should.be.true();
    });

    it(`createFolder doesn’t wait for folders of other names or parents, ${kind}`, async () => {
      const { arrived, release } = delayFirst('POST');
      const first = testClient.client.createFolder(request);
      await arrived;
      const other = await fixture.drive.files.addFolder('other');
      (await testClient.client.createFolder({ ...request, name: 'x' })).created.should.be.true();
      (await testClient.client.createFolder({ ...request, folderId: other })).created.should.be.true();
      release();
      (await first).created.should.be.true();
    });

    it(`createFolder spends one retry budget on all its requests, ${kind}`, async () => {
      const { clock } = testClient;
      const start = clock.monotonic();
      const unavailable = { kind: 'error', reason: 'backendError', times: Infinity } as const;
      const fault = fixture.drive.faults.add({ ...unavailable, match: { method: 'GET', path: /\/files$/ } });
      clock.onSleep = (ms) => {
        if (clock.monotonic() + ms - start > 30_000) fault.remove();
      };
      fixture.drive.faults.add({ ...unavailable, match: { method: 'POST' } });
      await rejected(testClient.client.createFolder(request), 'service_unavailable');
      (clock.monotonic() - start).should.be.within(30_000, 60_000);
    });

    it(`createFolder continues for other callers if the first caller cancels, ${kind}`, async () => {
      const { arrived, release } = delayFirst('POST');
      const abort = new AbortController();
      const cancelled = testClient.client.createFolder(request, { signal: abort.signal });
      const remaining = testClient.client.createFolder(request);
      await arrived;
      abort.abort();
      await rejected(cancelled, 'cancelled');
      release();
      const { folder } = await remaining;
      created()
        .map(({ id }) => id)
        .should.deepEqual([folder.id]);
    });

    it(`createFolder stops when all callers have cancelled, ${kind}`, async () => {
      const { arrived, release } = delayFirst('GET');
      const first = new AbortController();
      const second = new AbortController();
      const running = testClient.client.createFolder(request, { signal: first.signal });
      const queued = testClient.client.createFolder(request, { signal: second.signal });
      await arrived;
      second.abort();
      await rejected(queued, 'cancelled');
      first.abort();
      await rejected(running, 'cancelled');
      release();
      created().should.be.empty();
      (await testClient.client.createFolder(request)).created.should.be.true();
    });

    it(`createFolder succeeds for the next caller if the first one fails, ${kind}`, async () => {
      fixture.drive.faults.add({ kind: 'error', reason: 'forbidden', match: { method: 'POST' } });
      const failing = testClient.client.createFolder(request);
      const next = testClient.client.createFolder(request);
      await rejected(failing, 'permission_denied');
      (await next).created.should.be.true();
      created().length.should.equal(1);
    });

    /** The service finds no folder of that name until the fault is removed. */
    const hideFolders = () =>
      fixture.drive.faults.add({
        ...{ kind: 'response', body: JSON.stringify({ files: [] }), times: Infinity },
        match: { method: 'GET', path: /\/files$/ },
      });

    it(`createFolder finds a folder that it knows by its id if lists lack it, ${kind}`, async () => {
      const found = { ...request, name: 'found before' };
      const id = await fixture.drive.files.addFolder(found.name, request.folderId);
      await testClient.client.createFolder(found);
      const { folder } = await testClient.client.createFolder(request);
      hideFolders();
      const again = await testClient.client.createFolder(request);
      again.should.eql({ folder, created: false });
      (await testClient.client.createFolder(found)).folder.id.should.equal(id);
      created().length.should.equal(2);
    });

    for (const [change, by] of Object.entries({
      deleted: (id: string) => fixture.client.delete(id),
      trashed: (id: string) => fixture.client.trash(id),
      renamed: (id: string) => fixture.client.move({ ...UNCHANGED, id, name: 'other' }),
      moved: (id: string) => fixture.client.move({ ...UNCHANGED, id, folderId: 'root' }),
    })) {
      it(`createFolder creates a folder again that another client has ${change}, ${kind}`, async () => {
        const { folder } = await testClient.client.createFolder(request);
        await by(folder.id);
        const again = await testClient.client.createFolder(request);
        again.created.should.be.true();
        again.folder.id.should.not.equal(folder.id);
      });
    }

    it(`createFolder fails with conflict after 409 if no file has the id, ${kind}`, async () => {
      const match = { method: 'POST', path: /\/files$/ };
      fixture.drive.faults.add({ kind: 'response', status: 409, body: '', match });
      await rejected(testClient.client.createFolder(request), 'conflict');
    });
  });
}
