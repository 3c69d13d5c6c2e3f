/** Concurrent creation of folders: https://developers.google.com/workspace/drive/api/guides/folder */
import { CAPABILITIES } from '../../../src/capabilities';
import type { CreateFolderRequest } from '../../../src/drive/create-folder';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import 'should';
import { ScriptedService } from '../../support/http/scripted-service';

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

const LIST = { method: 'GET', path: /\/files$/ };

for (const kind of ['google', 'custom'] as const) {
  describe(`createFolder from several clients, ${kind} service`, () => {
    const fixture = driveFixture();
    let testClients: TestClient[];
    let counter = 0;
    let parentName: string;
    let parentId: string;

    beforeEach(async () => {
      fixture.client.service.can = CAPABILITIES[kind];
      testClients = [1, 2, 3].map(() =>
        createTestClient(fixture.drive.url, { service: { can: CAPABILITIES[kind] } }),
      );
      parentName = `${kind} ${++counter}`;
      parentId = await fixture.drive.files.addFolder(parentName);
    });
    afterEach(() => testClients.forEach((each) => each.close()));

    const request = () => ({ name: 'new', folderId: parentId, fields: 'id' });
    const children = (id = parentId) => fixture.drive.files.in(id).filter(({ trashed }) => !trashed);
    /** Delays the first `count` creations until all clients have searched for the folder. */
    function createTogether(count: number): void {
      let open = (): void => undefined;
      const all = new Promise<void>((resolve) => (open = resolve));
      let waiting = 0;
      const until = (): Promise<void> => {
        if (++waiting === count) open();
        return all;
      };
      fixture.drive.faults.add({
        kind: 'delay',
        match: { method: 'POST', path: /\/files$/ },
        times: count,
        until,
      });
    }

    it(`concurrently created folders are merged on every level of a path, ${kind}`, async () => {
      for (let round = 1; round <= 5; round++) {
        createTogether(3);
        const path = `/${parentName}/${round}/inner`;
        const found = await Promise.all(
          testClients.map(({ client }) => client.paths.resolveFolder({ path, createMissing: true }, {})),
        );
        new Set(found).size.should.equal(1, found.join());
        children().length.should.equal(round);
        children(children().at(-1)?.id)
          .map(({ id }) => id)
          .should.eql(found.slice(0, 1));
        fixture.drive.faults.clear();
      }
    });

    it(`concurrently created folders are merged before the clients upload into them, ${kind}`, async () => {
      createTogether(3);
      const upload = async ({ client }: TestClient, index: number) => {
        const path = `/${parentName}/new`;
        const folderId = await client.paths.resolveFolder({ path, createMissing: true }, {});
        const content = { data: String(index) };
        const options = { mimeType: '', keepModifiedTime: false, metadata: {}, fields: 'id' };
        await client.upload({ content, name: `${index}.txt`, folderId, ifExists: 'error', ...options });
      };
      await Promise.all(testClients.map(upload));
      const [folder] = children();
      children(folder?.id)
        .map(({ name }) => name)
        .sort()
        .should.eql(['0.txt', '1.txt', '2.txt']);
      children().should.have.length(1);
    });

    it(`concurrently created folders are reported as created by one client only, ${kind}`, async () => {
      createTogether(3);
      const results = await Promise.all(testClients.map(({ client }) => client.createFolder(request())));
      results.filter(({ created }) => created).should.have.length(1);
      for (const { folder } of results) Object.keys(folder).should.eql(['id']);
    });
  });
}

describe('duplicate folders', () => {
  const fixture = driveFixture();
  let counter = 0;
  let parentName: string;
  let parentId: string;
  let oldest: string;

  beforeEach(async () => {
    parentName = `parent ${++counter}`;
    parentId = await fixture.drive.files.addFolder(parentName);
    oldest = await fixture.drive.files.addFolder('new', parentId);
  });

  const request = () => ({ name: 'new', folderId: parentId, fields: 'id' });
  const children = (id = parentId) => fixture.drive.files.in(id).filter(({ trashed }) => !trashed);
  /** Hides the existing folder from the search before the creation. */
  const hideOldest = (): void => {
    fixture.drive.faults.add({ kind: 'response', body: { files: [] }, match: LIST });
  };

  it('a path lookup waits for duplicate folders while another client is about to remove one', async () => {
    const second = await fixture.drive.files.addFolder('new', parentId);
    const until = () => fixture.client.trash(second);
    fixture.drive.faults.add({ kind: 'delay', match: { ...LIST, nth: 3 }, until });
    const path = `/${parentName}/new`;
    (await fixture.client.paths.resolveFolder({ path, createMissing: false }, {})).should.equal(oldest);
  });

  it('duplicate folders are resolved even if the call is cancelled after the creation', async () => {
    hideOldest();
    const controller = new AbortController();
    const until = () => Promise.resolve(controller.abort());
    fixture.drive.faults.add({ kind: 'delay', match: { ...LIST, nth: 2 }, until });
    const { client } = fixture;
    await rejected(client.createFolder(request(), { signal: controller.signal }), 'cancelled');
    (await client.createFolder(request())).should.eql({ folder: { id: oldest }, created: false });
    children().should.have.length(1);
  });

  it('duplicate folders cause a conflict with their ids at a custom service without a trash', async () => {
    fixture.client.service.can = CAPABILITIES.custom;
    hideOldest();
    fixture.drive.faults.add({ kind: 'response', status: 405, body: '', match: { method: 'PATCH' } });
    const error = await rejected(fixture.client.createFolder(request()), 'conflict', 'conflict_names');
    String(error.params['ids']).should.containEql(oldest);
    children().should.have.length(2);
  });

  it('duplicate folders both stay at a custom service without creation times, and the next call fails with conflict', async () => {
    const service = await ScriptedService.start();
    const testClient = createTestClient(service.url, { service: { can: CAPABILITIES.custom } });
    const { client } = testClient;
    const [A, B] = ['A', 'B'].map((id) => ({
      id,
      name: 'new',
      mimeType: 'application/vnd.google-apps.folder',
    }));
    let isCreated = false;
    service.onRequest(({ method, path }) => {
      if (path.endsWith('/generateIds')) return { status: 404 };
      if (method === 'GET') return { body: { files: isCreated ? [A, B] : [] } };
      isCreated = true;
      return { body: { id: 'B' } };
    });
    (await client.createFolder(request())).should.eql({ folder: { id: 'B' }, created: true });
    const error = await rejected(client.createFolder(request()), 'conflict', 'conflict_names');
    error.params.should.containEql({ ids: 'A, B' });
    service.requests.filter(({ method }) => method !== 'GET').should.have.length(1);
    testClient.close();
    await service.close();
  });

  describe('duplicate folders with a file in the newer one', () => {
    const addFile = async (): Promise<void> => {
      const [, newer] = children();
      await fixture.drive.files.add({ name: 'a', parent: String(newer?.id), content: 'x' });
    };

    beforeEach(hideOldest);

    async function bothStay(): Promise<void> {
      const error = await rejected(fixture.client.createFolder(request()), 'conflict', 'conflict_names');
      String(error.params['ids']).should.containEql(oldest);
      children().should.have.length(2);
      children(children()[1]?.id).should.have.length(1);
    }

    it('duplicate folders both stay and cause a conflict if another client puts a file into the newer one', async () => {
      fixture.drive.faults.add({ kind: 'delay', match: { ...LIST, nth: 2 }, until: addFile });
      await bothStay();
    });

    for (const [list, fault] of [
      ['an empty first page', { kind: 'shortPage', items: 0 }],
      ['an incomplete list', { kind: 'response', body: { files: [], incompleteSearch: true } }],
    ] as const) {
      it(`duplicate folders both stay if the newer one only seems to be empty in ${list}`, async () => {
        fixture.drive.faults.add({ kind: 'delay', match: { ...LIST, nth: 2 }, until: addFile });
        fixture.drive.faults.add({ ...fault, match: { ...LIST, query: /pageSize=1(&|$)/ } });
        await bothStay();
        fixture.drive.requests.to('PATCH').should.be.empty();
      });
    }

    it('duplicate folders both stay if a file arrives just before the newer one is trashed', async () => {
      fixture.drive.faults.add({ kind: 'delay', match: { method: 'PATCH' }, until: addFile });
      await bothStay();
    });
  });
});
