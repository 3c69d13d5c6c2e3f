/** Resolving paths to ids: docs/nodes.md, "What goes in". */
import 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import fc from 'fast-check';
import { splitPath } from '../../../src/drive/resolver';
import { createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { checkProperty } from '../../support/property';

describe('splitPath', () => {
  const cases: [string, string[]][] = [
    ['/', []],
    ['/a', ['a']],
    ['/a/b c/d.tar', ['a', 'b c', 'd.tar']],
    ['//a///b/', ['a', 'b']],
    ['/a\\/b/c', ['a/b', 'c']],
    ['/back\\slash', ['back\\slash']],
    ['/../.', ['..', '.']],
  ];
  for (const [path, names] of cases) {
    it(`splitPath splits ${path}`, () => {
      splitPath(path).should.eql(names);
    });
  }

  it('splitPath returns the names that a path was joined from', () => {
    const name = fc.string({ minLength: 1 }).filter((each) => !each.includes('\\'));
    checkProperty(
      fc.property(fc.array(name), (names) => {
        const path = names.map((each) => `/${each.replaceAll('/', '\\/')}`).join('');
        return JSON.stringify(splitPath(path)) === JSON.stringify(names);
      }),
    );
  });
});

describe('PathResolver', () => {
  const fixture = driveFixture();

  it('paths with more than 100 folders are refused before a request', async () => {
    const { paths } = fixture.client;
    const levels = (count: number): string => '/deep'.repeat(count);
    const text = 'invalid_input_too_many_levels';
    for (const createMissing of [true, false])
      await rejected(paths.resolveFolder({ path: levels(101), createMissing }, {}), 'invalid_input', text);
    await rejected(paths.createFolder({ path: levels(3_000), fields: 'id' }, {}), 'invalid_input', text);
    await rejected(paths.resolveFile(`${levels(101)}/a.txt`, {}), 'invalid_input', text);
    fixture.drive.requests.all.should.be.empty();
    await rejected(paths.resolveFile(`${levels(100)}/a.txt`, {}), 'not_found');
  });

  let counter = 0;
  /** Adds a folder for this test only, with `inner/file.txt` in it. */
  async function seed(): Promise<{ top: string; folder: string; inner: string; file: string }> {
    const top = `top ${++counter}`;
    const folder = await fixture.drive.files.addFolder(top);
    const inner = await fixture.drive.files.addFolder('inner', folder);
    const file = await fixture.drive.files.add({ name: 'file.txt', parent: inner, content: 'x' });
    return { top, folder, inner, file };
  }
  const paths = () => fixture.client.paths;
  const requestCount = (): number => fixture.drive.requests.all.length;

  it('PathResolver sends one request per name and caches folders', async () => {
    const { top, inner, file } = await seed();
    (await paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {})).should.equal(inner);
    requestCount().should.equal(2);
    (await paths().resolveFolder({ path: `/${top}/inner/`, createMissing: false }, {})).should.equal(inner);
    requestCount().should.equal(2);
    (await paths().resolveFile(`/${top}/inner/file.txt`, {})).should.containEql({ id: file });
    requestCount().should.equal(3);
  });

  async function renameByOtherClient(id: string): Promise<void> {
    const other = createTestClient(fixture.drive.url);
    const move = {
      id,
      name: 'renamed',
      folderId: '',
      ifExists: 'duplicate',
      fields: 'id',
      restore: false,
    } as const;
    await other.client.move(move);
    other.close();
  }

  it('PathResolver resolves the root without a request', async () => {
    (await paths().resolveFolder({ path: '/', createMissing: false }, {})).should.equal('root');
    (await paths().resolveFile('/', {})).should.eql({ id: 'root' });
    requestCount().should.equal(0);
  });

  it('PathResolver sends the requests once for a hundred concurrent calls', async () => {
    const { top, inner } = await seed();
    const all = Array.from({ length: 100 }, () =>
      paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {}),
    );
    new Set(await Promise.all(all)).should.eql(new Set([inner]));
    requestCount().should.equal(2);
  });

  it('PathResolver creates missing folders once for a hundred concurrent calls', async () => {
    const { top, folder } = await seed();
    const path = `/${top}/2026/11`;
    const all = Array.from({ length: 100 }, () => paths().resolveFolder({ path, createMissing: true }, {}));
    new Set(await Promise.all(all)).size.should.equal(1);
    fixture.drive.files.names(folder).should.eql(['inner', '2026']);
    fixture.drive.requests.to('POST').length.should.equal(2);
  });

  it('PathResolver names the missing part of a path', async () => {
    const { top } = await seed();
    const error = await rejected(
      paths().resolveFolder({ path: `/${top}/Inner/deep`, createMissing: false }, {}),
      'not_found',
      'not_found_path',
    );
    error.params.should.eql({ path: `/${top}/Inner/deep`, name: 'Inner' });
    await rejected(paths().resolveFile(`/${top}/inner/none`, {}), 'not_found', 'not_found_path_end');
    await rejected(paths().resolveFile(`/${top}/none/a.tar`, {}), 'not_found', 'not_found_path');
    const creatable = { path: `/${top}/none`, createMissing: false, mayAllowCreation: true };
    await rejected(paths().resolveFolder(creatable, {}), 'not_found', 'not_found_path_create');
  });

  it('PathResolver fails with conflict and the ids of two folders of the same name', async () => {
    const { top, folder, inner } = await seed();
    const second = await fixture.drive.files.addFolder('inner', folder);
    const error = await rejected(
      paths().resolveFolder({ path: `/${top}/inner`, createMissing: true }, {}),
      'conflict',
    );
    String(error.params['ids']).should.containEql(inner).and.containEql(second);
  });

  it('PathResolver ignores a file of the same name in resolveFolder, but not in resolveFile', async () => {
    const { top, folder, inner } = await seed();
    const twin = await fixture.drive.files.add({ name: 'inner', parent: folder, content: 'x' });
    (await paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {})).should.equal(inner);
    const error = await rejected(paths().resolveFile(`/${top}/inner`, {}), 'conflict');
    String(error.params['ids']).should.containEql(twin);
  });

  it('PathResolver finds names with slashes, quotes and decomposed accents', async () => {
    const folder = await fixture.drive.files.addFolder("a/b's Cafe\u0301");
    (await paths().resolveFolder({ path: "/a\\/b's Caf\u00e9", createMissing: false }, {})).should.equal(
      folder,
    );
  });

  it('PathResolver looks up a path again if a cached folder was deleted', async () => {
    const { top, folder, inner } = await seed();
    (await paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {})).should.equal(inner);
    await fixture.client.delete(folder);
    const again = await fixture.drive.files.addFolder(top);
    const file = await fixture.drive.files.add({ name: 'file.txt', parent: again, content: 'x' });
    (await paths().resolveFile(`/${top}/file.txt`, {})).should.containEql({ id: file });
  });

  it('PathResolver looks up a path again after a minute', async () => {
    const { top } = await seed();
    const path = `/${top}/inner`;
    await paths().resolveFolder({ path, createMissing: false }, {});
    fixture.drive.requests.clear();
    await fixture.clock.sleep(60_000);
    await paths().resolveFolder({ path, createMissing: false }, {});
    requestCount().should.equal(2);
  });

  it('PathResolver ignores folders cached before the cacheEpoch', async () => {
    const { top, folder, inner, file } = await seed();
    const path = `/${top}/inner`;
    await paths().resolveFolder({ path, createMissing: false }, {});
    await renameByOtherClient(inner);
    const second = await fixture.drive.files.addFolder('inner', folder);
    const twin = await fixture.drive.files.add({ name: 'file.txt', parent: second, content: 'y' });
    (await paths().resolveFile(`${path}/file.txt`, {})).should.containEql({ id: file });
    const cacheEpoch = paths().cacheEpoch();
    (await paths().resolveFile(`${path}/file.txt`, {}, { cacheEpoch })).should.containEql({ id: twin });
    fixture.drive.requests.clear();
    (await paths().resolveFolder({ path, createMissing: false, cacheEpoch }, {})).should.equal(second);
    requestCount().should.equal(0);
  });

  it('PathResolver spends one retry budget on all folders of a path', async () => {
    const { top, folder } = await seed();
    const { clock, drive } = fixture;
    const unavailable = { kind: 'error', reason: 'backendError', times: Infinity } as const;
    const fault = drive.faults.add({ ...unavailable, match: { query: /root/ } });
    drive.faults.add({ ...unavailable, match: { query: folder } });
    const start = clock.monotonic();
    clock.onSleep = (ms) => {
      if (clock.monotonic() + ms - start > 30_000) fault.remove();
    };
    await rejected(paths().resolveFile(`/${top}/inner/file.txt`, {}), 'service_unavailable');
    drive.requests.all.some(({ query }) => query.includes(folder)).should.be.true();
    (clock.monotonic() - start).should.be.within(30_000, 61_000);
  });

  it('PathResolver continues for other callers if one call is cancelled', async () => {
    const { top, inner } = await seed();
    const controller = new AbortController();
    const request = { path: `/${top}/inner`, createMissing: false };
    const cancelled = paths().resolveFolder(request, { signal: controller.signal });
    const remaining = paths().resolveFolder(request, {});
    controller.abort();
    await rejected(cancelled, 'cancelled');
    (await remaining).should.equal(inner);
  });

  it('PathResolver resolves paths with the query terms that a custom service supports', async () => {
    const { top, inner, file } = await seed();
    fixture.client.service.can = CAPABILITIES.custom;
    (await paths().resolveFolder({ path: `/${top}/inner`, createMissing: false }, {})).should.equal(inner);
    (await paths().resolveFile(`/${top}/inner/file.txt`, {})).should.containEql({ id: file });
    for (const { query } of fixture.drive.requests.all) query.should.not.match(/createdTime/);
  });
});

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
