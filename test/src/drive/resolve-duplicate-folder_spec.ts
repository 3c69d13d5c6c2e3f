/**
 * Several clients create one folder at the same time, which the service allows.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { ScriptedService } from '../../support/http/scripted-service';
import { rejected } from '../../support/client/rejected';

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
