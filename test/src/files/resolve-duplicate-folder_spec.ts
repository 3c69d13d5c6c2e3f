/**
 * Two clients make one folder at the same moment: the service lets both.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import 'should';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

describe('a folder that several clients make at the same moment', () => {
  const at = driveFixture();
  let clients: TestClient[];
  let unique = 0;
  let top: string;
  let folder: string;

  beforeEach(async () => {
    clients = [1, 2, 3].map(() => createTestClient(at.drive.url));
    top = `top ${++unique}`;
    folder = await at.drive.files.addFolder(top);
  });
  afterEach(() => clients.forEach((each) => each.close()));

  const there = (parent = folder) => at.drive.files.in(parent).filter(({ trashed }) => !trashed);
  const LIST = { method: 'GET', path: /\/files$/ };
  /** All of them have looked before one of them makes something. */
  function lookTogether(count: number): void {
    let open = (): void => undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    let waiting = 0;
    const until = (): Promise<void> => {
      if (++waiting === count) open();
      return all;
    };
    at.drive.faults.add({ kind: 'delay', match: { method: 'POST' }, times: count, until });
  }

  it('is one for all of them, and so are the folders in it', async () => {
    for (let round = 1; round <= 5; round++) {
      lookTogether(3);
      const path = `/${top}/${round}/inner`;
      const found = await Promise.all(
        clients.map(({ client }) => client.paths.resolveFolder({ path, createMissing: true }, {})),
      );
      new Set(found).size.should.equal(1, found.join());
      there().length.should.equal(round);
      there(there().at(-1)?.id)
        .map(({ id }) => id)
        .should.eql(found.slice(0, 1));
      at.drive.faults.clear();
    }
  });

  it('takes the files of all of them', async () => {
    lookTogether(3);
    const up = async ({ client }: TestClient, index: number) => {
      const folderId = await client.paths.resolveFolder({ path: `/${top}/new`, createMissing: true }, {});
      const content = { data: String(index) };
      const more = { mimeType: '', keepModifiedTime: false, metadata: {}, fields: 'id' };
      await client.upload({ content, name: `${index}.txt`, folderId, ifExists: 'error', ...more });
    };
    await Promise.all(clients.map(up));
    const [made] = there();
    there(made?.id)
      .map(({ name }) => name)
      .sort()
      .should.eql(['0.txt', '1.txt', '2.txt']);
    there().should.have.length(1);
  });

  it('is found by who comes while there are two', async () => {
    const first = await at.drive.files.addFolder('new', folder);
    const second = await at.drive.files.addFolder('new', folder);
    const until = () => at.client.trash(second);
    at.drive.faults.add({ kind: 'delay', match: { ...LIST, nth: 3 }, until });
    const path = `/${top}/new`;
    (await at.client.paths.resolveFolder({ path, createMissing: false }, {})).should.equal(first);
  });

  it('is one also where its maker is cancelled before that', async () => {
    const first = await at.drive.files.addFolder('new', folder);
    at.drive.faults.add({ kind: 'response', body: { files: [] }, match: LIST });
    const ending = new AbortController();
    const until = () => Promise.resolve(ending.abort());
    at.drive.faults.add({ kind: 'delay', match: { ...LIST, nth: 2 }, until });
    const wanted = { name: 'new', folderId: folder, fields: 'id' };
    const { client } = at;
    await rejected(client.createFolder(wanted, { signal: ending.signal }), 'cancelled');
    (await client.createFolder(wanted)).should.eql({ folder: { id: first }, created: false });
    there().should.have.length(1);
  });

  it('is told to have been made by one of them', async () => {
    lookTogether(3);
    const wanted = { name: 'new', folderId: folder, fields: 'id' };
    const all = await Promise.all(clients.map(({ client }) => client.createFolder(wanted)));
    all.filter(({ created }) => created).should.have.length(1);
    for (const each of all) Object.keys(each.folder).should.eql(['id']);
  });

  describe('and into which somebody has put a file by then', () => {
    const wanted = () => ({ name: 'new', folderId: folder, fields: 'id' });
    const putIn = async (): Promise<void> => {
      const [, second] = there();
      await at.drive.files.add({ name: 'a', parent: String(second?.id), content: 'x' });
    };
    let first: string;

    /** The one that is there isn't in the list that is looked at before. */
    beforeEach(async () => {
      first = await at.drive.files.addFolder('new', folder);
      at.drive.faults.add({ kind: 'response', body: { files: [] }, match: LIST });
    });

    async function stays(): Promise<void> {
      const error = await rejected(at.client.createFolder(wanted()), 'conflict', 'conflict_names');
      String(error.params['ids']).should.containEql(first);
      there().should.have.length(2);
      there(there()[1]?.id).should.have.length(1);
    }

    it('stays', async () => {
      at.drive.faults.add({ kind: 'delay', match: { ...LIST, nth: 2 }, until: putIn });
      await stays();
    });

    for (const [what, fault] of [
      ['on its first page', { kind: 'shortPage', items: 0 }],
      ['in a list with gaps', { kind: 'response', body: { files: [], incompleteSearch: true } }],
    ] as const) {
      it(`stays where it only seems to be empty, ${what}`, async () => {
        at.drive.faults.add({ kind: 'delay', match: { ...LIST, nth: 2 }, until: putIn });
        at.drive.faults.add({ ...fault, match: { ...LIST, query: /pageSize=1(&|$)/ } });
        await stays();
        at.drive.requests.to('PATCH').should.be.empty();
      });
    }

    it('comes back where it was put there in the last moment', async () => {
      at.drive.faults.add({ kind: 'delay', match: { method: 'PATCH' }, until: putIn });
      await stays();
    });
  });
});
