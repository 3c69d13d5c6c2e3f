/** A watch of the whole drive. https://developers.google.com/workspace/drive/api/guides/manage-changes */
import should from 'should';
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
    const [created] = (await heard(watch)).pages.flatMap(({ events }) => events);
    Object.keys(created?.file ?? {})
      .sort()
      .should.eql('createdTime,id,md5Checksum,mimeType,modifiedTime,name,parents,size,trashed'.split(','));
    await at.remove(id);
    const [removed] = (await heard(watch)).pages.flatMap(({ events }) => events);
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

  it('tells what comes with the place where it was', async () => {
    const { watch, state } = await at.begun();
    const { token } = state as { token: string };
    const file = { id: 'x', name: 'new', createdTime: new Date().toISOString(), parents: [] };
    const body = { changes: [{ fileId: 'x', file }], newStartPageToken: token };
    at.drive.faults.add({ kind: 'response', body, match: { path: /changes$/ }, times: 2 });
    (await heard(watch)).news.should.eql(['created new']);
    (await heard(watch)).news.should.eql([]);
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
    const names = ['first', 'next', 'last'];
    for (const name of names) await at.drive.files.add({ name });
    const all = await heard(at.watch({ start: 'all' }));
    // The drive has what other tests have left there, too.
    all.news.should.containDeep(names.map((name) => `created ${name}`));
    all.news.every((each) => each.startsWith('created ')).should.be.true();
    (await heard(at.watch({ start: 'all' }, all.state))).news.should.eql([]);
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
      look.pages.filter(({ resynced }) => resynced).length.should.equal(1);
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
