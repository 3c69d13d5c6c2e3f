/** Where a watch stands outlives a restart. https://developers.google.com/workspace/drive/api/guides/manage-changes */
import 'should';
import { MAX_KNOWN_FILES } from '../../../src/watch/known-files';
import { heard, watchFixture } from './watch-fixture';

describe('a watch over restarts', () => {
  const at = watchFixture();

  it('goes on where it was, and knows what it knew', async () => {
    const { state } = await at.begun();
    const [a, b] = [await at.drive.files.add({ name: 'a' }), await at.drive.files.add({ name: 'b' })];
    const first = await heard(at.watch({}, state));
    first.news.should.eql(['created a', 'created b']);
    await at.change(a, { name: 'a2' });
    await at.remove(b);
    (await heard(at.watch({}, first.state))).news.should.eql(['changed a2', 'removed b']);
  });

  it('tells a page again that was not kept, as the same', async () => {
    const { state } = await at.begun();
    await at.drive.files.add({ name: 'x' });
    (await heard(at.watch({}, state))).news.should.eql(['created x']);
    (await heard(at.watch({}, state))).news.should.eql(['created x']);
  });

  it('tells each of many pages once, whenever it is ended', async () => {
    let { state } = await at.begun();
    for (let index = 0; index < 250; index++) await at.drive.files.add({ name: `n${index}` });
    const told: string[] = [];
    for (;;) {
      const look = await heard(at.watch({}, state), 1);
      if (look.pages.length === 0) break;
      look.news.length.should.be.belowOrEqual(100);
      told.push(...look.news);
      state = look.state;
    }
    told.should.eql(Array.from({ length: 250 }, (_, index) => `created n${index}`));
  });

  it('goes on in the middle of all that was there at its begin', async () => {
    const folder = await at.drive.files.addFolder('many');
    for (let index = 0; index < 250; index++) await at.drive.files.add({ name: `m${index}`, parent: folder });
    const wanted = { folderId: folder, start: 'all' } as const;
    let state: unknown;
    const told: string[] = [];
    for (let turn = 0; turn < 10; turn++) {
      const look = await heard(at.watch(wanted, state), 2);
      told.push(...look.news);
      state = look.state ?? state;
    }
    told.length.should.equal(250);
    new Set(told).size.should.equal(250);
  });

  it('tells no file twice of more than it can remember that were there at its begin', async function () {
    this.timeout(120_000);
    const folder = await at.drive.files.addFolder('very many');
    const count = MAX_KNOWN_FILES + 300;
    for (let index = 0; index < count; index++)
      await at.drive.files.add({ name: `v${index}`, parent: folder });
    const wanted = { folderId: folder, start: 'all' } as const;
    const told: string[] = [];
    // Two pages each, one that says what is told and one that tells it: it ends behind those that are remembered.
    const first = await heard(at.watch(wanted), 2 * (count / 100) - 2);
    told.push(...first.news);
    told.length.should.be.within(MAX_KNOWN_FILES + 1, count - 1);
    const rest = await heard(at.watch(wanted, first.state));
    told.push(...rest.news);
    told.length.should.equal(count);
    new Set(told).size.should.equal(count);
    await at.drive.files.add({ name: 'later', parent: folder });
    (await heard(at.watch(wanted, rest.state))).news.should.eql(['created later']);
  });

  for (const start of ['now', 'all'] as const) {
    it(`tells what becomes of files that it told of and could not keep, beginning with ${start}`, async () => {
      const folder = await at.drive.files.addFolder('F');
      const elsewhere = await at.drive.files.addFolder('elsewhere');
      const wanted = { folderId: folder, start };
      const { state } = start === 'now' ? await at.begun(wanted) : await heard(at.watch(wanted), 1);
      const [removed, moved, trashed, stays] = await Promise.all(
        ['removed', 'moved', 'trashed', 'stays'].map((name) => at.drive.files.add({ name, parent: folder })),
      );
      const killed = await heard(at.watch(wanted, state), 2);
      killed.news.sort().should.eql(['created moved', 'created removed', 'created stays', 'created trashed']);
      await at.remove(removed!);
      await at.change(moved!, {}, { addParents: elsewhere, removeParents: folder });
      await at.change(trashed!, { trashed: true });
      const next = await heard(at.watch(wanted, killed.pages[0]?.state));
      next.news.sort().should.eql(['created stays', 'moved moved', 'removed removed', 'trashed trashed']);
      await at.change(moved!, { name: 'moved2' });
      await at.remove(stays!);
      (await heard(at.watch(wanted, next.state))).news.should.eql(['removed stays']);
    });
  }

  it('tells of a file that may be seen again', async () => {
    const folder = await at.drive.files.addFolder('F');
    const { watch } = await at.begun({ folderId: folder });
    const id = await at.drive.files.add({ name: 'shared', parent: folder });
    (await heard(watch)).news.should.eql(['created shared']);
    await at.change(id, { description: 'hidden' });
    const { token } = (await at.begun({ folderId: folder })).state as { token: string };
    const lost = { changes: [{ removed: true, fileId: id }], newStartPageToken: token };
    at.drive.faults.add({ kind: 'response', match: { path: /changes$/ }, body: lost });
    (await heard(watch)).news.should.eql(['removed shared']);
    await at.change(id, { description: 'seen' });
    (await heard(watch)).news.should.eql(['created shared']);
    await at.change(id, { name: 'shared2' });
    (await heard(watch)).news.should.eql(['changed shared2']);
  });

  it('begins anew for another folder, and for another person', async () => {
    const { state } = await at.begun();
    await at.drive.files.add({ name: 'unheard' });
    const folder = await at.drive.files.addFolder('other');
    (await heard(at.watch({ folderId: folder }, state))).news.should.eql([]);
    at.drive.faults.add({
      kind: 'response',
      match: { path: /about/ },
      body: { user: { permissionId: 'somebody else' } },
    });
    (await heard(at.watch({}, state))).news.should.eql([]);
    (await heard(at.watch({}, state))).news.should.eql(['created unheard', 'created other']);
  });
});
