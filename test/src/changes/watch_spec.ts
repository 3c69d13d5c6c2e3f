import should from 'should';
import { MOST_KNOWN } from '../../../src/changes/known-files';
import { heard, watchFixture } from './watch-fixture';

describe('a watch of the whole drive', () => {
  const at = watchFixture();

  it('tells what happens after its begin, once, and nothing else', async () => {
    await at.drive.files.add({ name: 'old' });
    const { watch } = await at.begun();
    const file = await at.drive.files.add({ name: 'new', content: 'x' });
    (await heard(watch)).news.should.eql(['created new']);
    (await heard(watch)).news.should.eql([]);
    await at.change(file, { name: 'newer' });
    (await heard(watch)).news.should.eql(['changed newer']);
    await at.change(file, { trashed: true });
    (await heard(watch)).news.should.eql(['trashed newer']);
    await at.change(file, { trashed: false });
    (await heard(watch)).news.should.eql(['changed newer']);
    await at.remove(file);
    (await heard(watch)).news.should.eql(['removed newer']);
    (await heard(watch)).news.should.eql([]);
  });

  it('gives the fields of a list, and of what is gone what it knew', async () => {
    const folder = await at.drive.files.addFolder('F');
    const { watch } = await at.begun();
    const id = await at.drive.files.add({ name: 'a', parent: folder, content: 'abc' });
    const [created] = (await heard(watch)).pages.flatMap(({ news }) => news);
    Object.keys(created?.file ?? {})
      .sort()
      .should.eql('createdTime,id,md5Checksum,mimeType,modifiedTime,name,parents,size,trashed'.split(','));
    await at.remove(id);
    const [removed] = (await heard(watch)).pages.flatMap(({ news }) => news);
    should(removed).eql({ event: 'removed', file: { id, name: 'a', parents: [folder] } });
  });

  it('tells moves, and a rename with a move as a move', async () => {
    const [a, b] = [await at.drive.files.addFolder('A'), await at.drive.files.addFolder('B')];
    const file = await at.drive.files.add({ name: 'f', parent: a });
    const { watch } = await at.begun();
    await at.change(file, {}, { addParents: b, removeParents: a });
    (await heard(watch)).news.should.eql(['moved f']);
    await at.change(file, { name: 'g' }, { addParents: a, removeParents: b });
    (await heard(watch)).news.should.eql(['moved g']);
    const changes = await at.begun({ events: ['changed'] });
    await at.change(file, { name: 'h' }, { addParents: b, removeParents: a });
    (await heard(changes.watch)).news.should.eql(['changed h']);
  });

  it('says nothing of what leaves a file as it was', async () => {
    const file = await at.drive.files.add({ name: 'f', starred: false });
    const { watch } = await at.begun();
    await at.change(file, { starred: false });
    (await heard(watch)).news.should.eql([]);
    await at.change(file, { starred: true });
    (await heard(watch)).news.should.eql(['changed f']);
  });

  it('tells of removed files it never knew', async () => {
    const { watch } = await at.begun();
    const id = await at.drive.files.add({ name: 'short' });
    await at.remove(id);
    (await heard(watch)).news.should.eql([`removed ${id}`]);
  });

  it('tells only what is wanted, and remembers the rest', async () => {
    const { watch } = await at.begun({ events: ['moved', 'removed'] });
    const folder = await at.drive.files.addFolder('F');
    const file = await at.drive.files.add({ name: 'f' });
    (await heard(watch)).news.should.eql([]);
    await at.change(file, {}, { addParents: folder, removeParents: 'root' });
    (await heard(watch)).news.should.eql(['moved f']);
  });

  it('begins with all that is there where that is wanted', async () => {
    const { watch } = await at.begun({ events: ['created'] });
    await at.drive.files.add({ name: 'last' });
    await heard(watch);
    const all = await heard(at.watch({ start: 'all' }));
    all.news.should.containEql('created last');
    new Set(all.news).size.should.be.above(3);
    all.news.every((each) => each.startsWith('created ')).should.be.true();
    (await heard(at.watch({ start: 'all' }, all.state))).news.should.eql([]);
  });
});

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
    const count = MOST_KNOWN + 300;
    for (let index = 0; index < count; index++)
      await at.drive.files.add({ name: `v${index}`, parent: folder });
    const wanted = { folderId: folder, start: 'all' } as const;
    const told: string[] = [];
    // Two pages each, one that says what is told and one that tells it: it ends behind those that are remembered.
    const first = await heard(at.watch(wanted), 2 * (count / 100) - 2);
    told.push(...first.news);
    told.length.should.be.within(MOST_KNOWN + 1, count - 1);
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
    at.drive.faults.add({ kind: 'answer', match: { path: /changes$/ }, body: lost });
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
      kind: 'answer',
      match: { path: /about/ },
      body: { user: { permissionId: 'somebody else' } },
    });
    (await heard(at.watch({}, state))).news.should.eql([]);
    (await heard(at.watch({}, state))).news.should.eql(['created unheard', 'created other']);
  });
});

describe('a watch whose page token is refused', () => {
  const at = watchFixture();
  const refuse = (status: number, times = 1) =>
    at.drive.faults.add({
      kind: 'error',
      reason: status === 400 ? 'invalid' : 'notFound',
      status,
      match: { path: /changes$/ },
      times,
    });

  for (const status of [400, 404, 410]) {
    it(`begins anew after a ${status}, and tells what is otherwise`, async () => {
      const folder = await at.drive.files.addFolder('F');
      const [kept, renamed, gone, trashed] = await Promise.all(
        ['kept', 'renamed', 'gone', 'trashed'].map((name) => at.drive.files.add({ name, parent: folder })),
      );
      const { watch, state } = await at.begun({ folderId: folder });
      // A token that was never taken is no old one.
      await heard(watch);
      await at.drive.files.add({ name: 'before', parent: folder });
      const before = await heard(at.watch({ folderId: folder }, state));
      await at.change(renamed!, { name: 'renamed2' });
      await at.remove(gone!);
      await at.change(trashed!, { trashed: true });
      await at.drive.files.add({ name: 'new', parent: folder });
      refuse(status);
      const look = await heard(at.watch({ folderId: folder }, before.state));
      look.pages.filter(({ beginsAnew }) => beginsAnew).length.should.equal(1);
      look.news.sort().should.eql(['changed renamed2', 'created new', 'removed gone', 'trashed trashed']);
      const next = at.watch({ folderId: folder }, look.state);
      (await heard(next)).news.should.eql([]);
      await at.change(kept!, { name: 'kept2' });
      (await heard(next)).news.should.eql(['changed kept2']);
    });
  }

  it('goes on in the middle of that', async () => {
    const folder = await at.drive.files.addFolder('F');
    const { state } = await at.begun({ folderId: folder });
    await at.drive.files.add({ name: 'first', parent: folder });
    let look = await heard(at.watch({ folderId: folder }, state));
    for (let index = 0; index < 150; index++) await at.drive.files.add({ name: `n${index}`, parent: folder });
    refuse(400);
    const told: string[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const next = await heard(at.watch({ folderId: folder }, look.state), 1);
      told.push(...next.news);
      if (next.state !== undefined) look = next;
    }
    told.length.should.equal(150);
    new Set(told).size.should.equal(150);
  });

  it('fails where a new token is refused as well', async () => {
    const { state } = await at.begun();
    await at.drive.files.add({ name: 'x' });
    const { state: later } = await heard(at.watch({}, state));
    refuse(400, Infinity);
    await heard(at.watch({}, later)).should.be.rejectedWith({ code: 'bad_response' });
  });
});
