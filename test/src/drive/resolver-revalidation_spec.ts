/** Cached paths are checked before files are deleted or moved: docs/how-it-works.md, "Paths". */
import 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

describe('PathResolver with a cacheEpoch', () => {
  const fixture = driveFixture();
  let counter = 0;
  const paths = () => fixture.client.paths;
  const requestCount = (): number => fixture.drive.requests.all.length;

  async function renameByOtherClient(id: string): Promise<void> {
    const other = createTestClient(fixture.drive.url);
    const options = { folderId: '', ifExists: 'duplicate', fields: 'id', restore: false } as const;
    await other.client.move({ id, name: 'renamed', ...options });
    other.close();
  }

  const seedCachedPath = async () => {
    const top = `top ${++counter}`;
    const folder = await fixture.drive.files.addFolder(top);
    const inner = await fixture.drive.files.addFolder('inner', folder);
    const [year, month] = ["2026's", 'Novembre\u0301'];
    const first = await fixture.drive.files.addFolder(year, inner);
    const second = await fixture.drive.files.addFolder(month, first);
    const path = `/${top}/inner/${year}/${month}`;
    await paths().resolveFolder({ path, createMissing: false }, {});
    requestCount().should.equal(4);
    fixture.drive.requests.clear();
    return { path, folder, inner, first, second, month };
  };
  const resolveRevalidated = (path: string) =>
    paths().resolveFolder({ path, createMissing: false, cacheEpoch: paths().cacheEpoch() }, {});

  it('PathResolver revalidates a cached path of any depth in one request', async () => {
    const { path, second } = await seedCachedPath();
    (await resolveRevalidated(path)).should.equal(second);
    requestCount().should.equal(1);
    (await resolveRevalidated(path)).should.equal(second);
    requestCount().should.equal(2);
    await fixture.clock.sleep(59_000);
    await paths().resolveFolder({ path, createMissing: false }, {});
    requestCount().should.equal(2);
  });

  it('PathResolver finds the existing folders of a cached path in one request', async () => {
    const { path, folder, inner, first, second } = await seedCachedPath();
    const request = { path: `${path}/new`, createMissing: true, cacheEpoch: paths().cacheEpoch() };
    const [, ...ids] = await paths().findExisting(request, {});
    ids.should.eql([folder, inner, first, second]);
    // One more looks for the last folder.
    requestCount().should.equal(2);
  });

  it('PathResolver revalidates a cached path once for a hundred concurrent calls', async () => {
    const { path, second } = await seedCachedPath();
    const cacheEpoch = paths().cacheEpoch();
    const all = Array.from({ length: 100 }, () =>
      paths().resolveFolder({ path, createMissing: false, cacheEpoch }, {}),
    );
    new Set(await Promise.all(all)).should.eql(new Set([second]));
    requestCount().should.equal(1);
  });

  it('PathResolver finds the new folder if another client replaced a cached one', async () => {
    const { path, first, month } = await seedCachedPath();
    const [old] = fixture.drive.files.in(first);
    await renameByOtherClient(String(old?.id));
    const now = await fixture.drive.files.addFolder(month, first);
    (await resolveRevalidated(path)).should.equal(now);
  });

  it('PathResolver fails with not_found if a cached folder was trashed or deleted, and finds a new one', async () => {
    const { path, first, inner, month } = await seedCachedPath();
    for (const remove of ['trash', 'delete'] as const) {
      await fixture.client[remove](first);
      await rejected(resolveRevalidated(path), 'not_found', 'not_found_path');
    }
    const again = await fixture.drive.files.addFolder("2026's", inner);
    const last = await fixture.drive.files.addFolder(month, again);
    (await resolveRevalidated(path)).should.equal(last);
  });

  it('PathResolver fails with conflict if a cached folder has a duplicate now', async () => {
    const { path, folder, inner } = await seedCachedPath();
    const twin = await fixture.drive.files.addFolder('inner', folder);
    const { params } = await rejected(resolveRevalidated(path), 'conflict');
    String(params['ids']).should.containEql(inner).and.containEql(twin);
  });

  it('PathResolver repeats the request if the list may be incomplete', async () => {
    const { path, second } = await seedCachedPath();
    fixture.drive.faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ } });
    (await resolveRevalidated(path)).should.equal(second);
    requestCount().should.equal(2);
  });

  it('PathResolver looks up each folder if the list stays incomplete', async () => {
    const { path, second } = await seedCachedPath();
    fixture.drive.faults.add({ kind: 'incompleteSearch', match: { path: /\/files$/ }, times: 3 });
    (await resolveRevalidated(path)).should.equal(second);
    requestCount().should.equal(7);
  });

  it('PathResolver looks up each folder at a custom service', async () => {
    const { path, second } = await seedCachedPath();
    fixture.client.service.can = CAPABILITIES.custom;
    (await resolveRevalidated(path)).should.equal(second);
    requestCount().should.equal(4);
  });
});
