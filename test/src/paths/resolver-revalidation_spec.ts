/** Who deletes or moves by a path doesn't trust what was remembered of it: docs/how-it-works.md, "Paths". */
import 'should';
import { createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

describe('paths whose folders are known, for who must not trust that', () => {
  const at = driveFixture();
  let unique = 0;
  const paths = () => at.client.paths;
  const asked = (): number => at.drive.requests.all.length;

  async function renamedByAnother(id: string): Promise<void> {
    const other = createTestClient(at.drive.url);
    const how = { folderId: '', ifExists: 'duplicate', fields: 'id', restore: false } as const;
    await other.client.move({ id, name: 'as it was', ...how });
    other.close();
  }

  const deep = async () => {
    const top = `top ${++unique}`;
    const folder = await at.drive.files.addFolder(top);
    const inner = await at.drive.files.addFolder('inner', folder);
    const [year, month] = ["2026's", 'Novembre\u0301'];
    const first = await at.drive.files.addFolder(year, inner);
    const second = await at.drive.files.addFolder(month, first);
    const path = `/${top}/inner/${year}/${month}`;
    await paths().resolveFolder({ path, createMissing: false }, {});
    asked().should.equal(4);
    at.drive.requests.clear();
    return { path, folder, inner, first, second, month };
  };
  const anew = (path: string) =>
    paths().resolveFolder({ path, createMissing: false, cacheEpoch: paths().cacheEpoch() }, {});

  it('are asked for once, however deep', async () => {
    const { path, second } = await deep();
    (await anew(path)).should.equal(second);
    asked().should.equal(1);
    (await anew(path)).should.equal(second);
    asked().should.equal(2);
    await at.clock.sleep(59_000);
    await paths().resolveFolder({ path, createMissing: false }, {});
    asked().should.equal(2);
  });

  it('are asked for once by a hundred at once', async () => {
    const { path, second } = await deep();
    const cacheEpoch = paths().cacheEpoch();
    const all = Array.from({ length: 100 }, () =>
      paths().resolveFolder({ path, createMissing: false, cacheEpoch }, {}),
    );
    new Set(await Promise.all(all)).should.eql(new Set([second]));
    asked().should.equal(1);
  });

  it('are looked for where one is another now', async () => {
    const { path, first, month } = await deep();
    const [old] = at.drive.files.in(first);
    await renamedByAnother(String(old?.id));
    const now = await at.drive.files.addFolder(month, first);
    (await anew(path)).should.equal(now);
  });

  it('are looked for where one is gone or thrown away', async () => {
    const { path, first, inner, month } = await deep();
    for (const how of ['trash', 'delete'] as const) {
      await at.client[how](first);
      await rejected(anew(path), 'not_found', 'not_found_path');
    }
    const again = await at.drive.files.addFolder("2026's", inner);
    const last = await at.drive.files.addFolder(month, again);
    (await anew(path)).should.equal(last);
  });

  it('are never guessed between two of a name', async () => {
    const { path, folder, inner } = await deep();
    const twin = await at.drive.files.addFolder('inner', folder);
    const { params } = await rejected(anew(path), 'conflict');
    String(params['ids']).should.containEql(inner).and.containEql(twin);
  });

  it('are looked for one by one where the list may lack some', async () => {
    const { path, second } = await deep();
    at.drive.faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ } });
    (await anew(path)).should.equal(second);
    asked().should.equal(5);
  });

  it('are asked for one by one at a custom service', async () => {
    const { path, second } = await deep();
    at.client.service.kind = 'custom';
    (await anew(path)).should.equal(second);
    asked().should.equal(4);
  });
});
