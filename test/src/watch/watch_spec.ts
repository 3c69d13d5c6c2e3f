/** A watch of the whole drive. https://developers.google.com/workspace/drive/api/guides/manage-changes */
import should from 'should';
import { poll, watchFixture } from './watch-fixture';

describe('Watch of the whole drive', () => {
  const fixture = watchFixture();

  it('a watch emits each change after its start once', async () => {
    await fixture.drive.files.add({ name: 'old' });
    const { watch } = await fixture.started();
    const file = await fixture.drive.files.add({ name: 'new', content: 'x' });
    (await poll(watch)).events.should.eql(['created new']);
    (await poll(watch)).events.should.eql([]);
    await fixture.change(file, { name: 'newer' });
    (await poll(watch)).events.should.eql(['changed newer']);
    await fixture.change(file, { trashed: true });
    (await poll(watch)).events.should.eql(['trashed newer']);
    await fixture.change(file, { trashed: false });
    (await poll(watch)).events.should.eql(['changed newer']);
    await fixture.remove(file);
    (await poll(watch)).events.should.eql(['removed newer']);
    (await poll(watch)).events.should.eql([]);
  });

  it('a watch emits the fields of a list, and the known properties of a removed file', async () => {
    const folder = await fixture.drive.files.addFolder('F');
    const { watch } = await fixture.started();
    const id = await fixture.drive.files.add({ name: 'a', parent: folder, content: 'abc' });
    const [created] = (await poll(watch)).pages.flatMap(({ events }) => events);
    Object.keys(created?.file ?? {})
      .sort()
      .should.eql(
        'createdTime,id,md5Checksum,mimeType,modifiedTime,name,parents,size,trashed,webViewLink'.split(','),
      );
    await fixture.remove(id);
    const [removed] = (await poll(watch)).pages.flatMap(({ events }) => events);
    should(removed).eql({ event: 'removed', file: { id, name: 'a', parents: [folder] } });
  });

  it('a watch emits a move, and a rename with a move as a move', async () => {
    const [a, b] = [await fixture.drive.files.addFolder('A'), await fixture.drive.files.addFolder('B')];
    const file = await fixture.drive.files.add({ name: 'f', parent: a });
    const { watch } = await fixture.started();
    await fixture.change(file, {}, { addParents: b, removeParents: a });
    (await poll(watch)).events.should.eql(['moved f']);
    await fixture.change(file, { name: 'g' }, { addParents: a, removeParents: b });
    (await poll(watch)).events.should.eql(['moved g']);
    const changes = await fixture.started({ events: ['changed'] });
    await fixture.change(file, { name: 'h' }, { addParents: b, removeParents: a });
    (await poll(changes.watch)).events.should.eql(['changed h']);
  });

  it('a watch emits changes that arrive with the current page token', async () => {
    const { watch, state } = await fixture.started();
    const { token } = state as { token: string };
    const file = { id: 'x', name: 'new', createdTime: new Date().toISOString(), parents: [] };
    const body = { changes: [{ fileId: 'x', file }], newStartPageToken: token };
    fixture.drive.faults.add({ kind: 'response', body, match: { path: /changes$/ }, times: 2 });
    (await poll(watch)).events.should.eql(['created new']);
    (await poll(watch)).events.should.eql([]);
  });

  it('a watch reads a page of 150,000 changes', async () => {
    const { watch, state } = await fixture.started();
    const { token } = state as { token: string };
    const changes = Array.from({ length: 150_000 }, () => ({ fileId: 'x', removed: true }));
    const body = { changes, newStartPageToken: token };
    fixture.drive.faults.add({ kind: 'response', body, match: { path: /changes$/ } });
    (await poll(watch)).events.should.have.length(150_000);
  });

  it('a watch ignores a change that leaves a file unchanged', async () => {
    const file = await fixture.drive.files.add({ name: 'f', starred: false });
    const { watch } = await fixture.started();
    await fixture.change(file, { starred: false });
    (await poll(watch)).events.should.eql([]);
    await fixture.change(file, { starred: true });
    (await poll(watch)).events.should.eql(['changed f']);
  });

  it('a watch emits the removal of unknown files', async () => {
    const { watch } = await fixture.started();
    const id = await fixture.drive.files.add({ name: 'short' });
    await fixture.remove(id);
    (await poll(watch)).events.should.eql([`removed ${id}`]);
  });

  it('a watch emits only the selected events but records all files', async () => {
    const { watch } = await fixture.started({ events: ['moved', 'removed'] });
    const folder = await fixture.drive.files.addFolder('F');
    const file = await fixture.drive.files.add({ name: 'f' });
    (await poll(watch)).events.should.eql([]);
    await fixture.change(file, {}, { addParents: folder, removeParents: 'root' });
    (await poll(watch)).events.should.eql(['moved f']);
  });

  it('a watch with start all emits the existing files', async () => {
    const names = ['first', 'next', 'last'];
    for (const name of names) await fixture.drive.files.add({ name });
    const all = await poll(fixture.watch({ start: 'all' }));
    // The drive also contains files of other tests.
    all.events.should.containDeep(names.map((name) => `created ${name}`));
    all.events.every((each) => each.startsWith('created ')).should.be.true();
    (await poll(fixture.watch({ start: 'all' }, all.state))).events.should.eql([]);
  });
});

describe('Watch with a rejected page token', () => {
  const fixture = watchFixture();
  const rejectToken = (status: number, times = 1) =>
    fixture.drive.faults.add({
      kind: 'error',
      reason: status === 400 ? 'invalid' : 'notFound',
      status,
      match: { path: /changes$/ },
      times,
    });

  for (const status of [400, 404, 410]) {
    it(`a watch starts over after a ${status} and emits the differences`, async () => {
      const folder = await fixture.drive.files.addFolder('F');
      const [unchanged, renamed, gone, trashed] = await Promise.all(
        ['unchanged', 'renamed', 'gone', 'trashed'].map((name) =>
          fixture.drive.files.add({ name, parent: folder }),
        ),
      );
      const { watch, state } = await fixture.started({ folderId: folder });
      // A token counts as old only after the service has accepted it.
      await poll(watch);
      await fixture.drive.files.add({ name: 'before', parent: folder });
      const before = await poll(fixture.watch({ folderId: folder }, state));
      await fixture.change(renamed!, { name: 'renamed2' });
      await fixture.remove(gone!);
      await fixture.change(trashed!, { trashed: true });
      await fixture.drive.files.add({ name: 'new', parent: folder });
      rejectToken(status);
      const result = await poll(fixture.watch({ folderId: folder }, before.state));
      result.pages.filter(({ resynced }) => resynced).length.should.equal(1);
      result.events.sort().should.eql(['changed renamed2', 'created new', 'removed gone', 'trashed trashed']);
      const next = fixture.watch({ folderId: folder }, result.state);
      (await poll(next)).events.should.eql([]);
      await fixture.change(unchanged!, { name: 'kept2' });
      (await poll(next)).events.should.eql(['changed kept2']);
    });
  }

  it('a watch continues in the middle of starting over', async () => {
    const folder = await fixture.drive.files.addFolder('F');
    const { state } = await fixture.started({ folderId: folder });
    await fixture.drive.files.add({ name: 'first', parent: folder });
    let result = await poll(fixture.watch({ folderId: folder }, state));
    for (let index = 0; index < 150; index++)
      await fixture.drive.files.add({ name: `n${index}`, parent: folder });
    rejectToken(400);
    const emitted: string[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const next = await poll(fixture.watch({ folderId: folder }, result.state), 1);
      emitted.push(...next.events);
      if (next.state !== undefined) result = next;
    }
    emitted.length.should.equal(150);
    new Set(emitted).size.should.equal(150);
  });

  it('a watch fails if a new token is rejected too', async () => {
    const { state } = await fixture.started();
    await fixture.drive.files.add({ name: 'x' });
    const { state: later } = await poll(fixture.watch({}, state));
    rejectToken(400, Infinity);
    await poll(fixture.watch({}, later)).should.be.rejectedWith({ code: 'bad_response' });
  });
});
