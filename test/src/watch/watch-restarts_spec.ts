/** A watch continues from its saved state after a restart. https://developers.google.com/workspace/drive/api/guides/manage-changes */
import 'should';
import { MAX_KNOWN_FILES } from '../../../src/watch/known-files';
import { poll, watchFixture } from './watch-fixture';
import { itLong } from '../../support/run/long';

describe('Watch with a saved state', () => {
  const fixture = watchFixture();

  it('a watch continues from its saved state and still knows the files', async () => {
    const { state } = await fixture.started();
    const [a, b] = [
      await fixture.drive.files.add({ name: 'a' }),
      await fixture.drive.files.add({ name: 'b' }),
    ];
    const first = await poll(fixture.watch({}, state));
    first.events.should.eql(['created a', 'created b']);
    await fixture.change(a, { name: 'a2' });
    await fixture.remove(b);
    (await poll(fixture.watch({}, first.state))).events.should.eql(['changed a2', 'removed b']);
  });

  it('a watch emits a page again whose state was not saved', async () => {
    const { state } = await fixture.started();
    await fixture.drive.files.add({ name: 'x' });
    (await poll(fixture.watch({}, state))).events.should.eql(['created x']);
    (await poll(fixture.watch({}, state))).events.should.eql(['created x']);
  });

  it('a watch emits each of many pages once if it restarts after every page', async () => {
    let { state } = await fixture.started();
    for (let index = 0; index < 250; index++) await fixture.drive.files.add({ name: `n${index}` });
    const emitted: string[] = [];
    for (;;) {
      const result = await poll(fixture.watch({}, state), 1);
      if (result.pages.length === 0) break;
      result.events.length.should.be.belowOrEqual(100);
      emitted.push(...result.events);
      state = result.state;
    }
    emitted.should.eql(Array.from({ length: 250 }, (_, index) => `created n${index}`));
  });

  it('a watch continues in the middle of the existing files', async () => {
    const folder = await fixture.drive.files.addFolder('many');
    for (let index = 0; index < 250; index++)
      await fixture.drive.files.add({ name: `m${index}`, parent: folder });
    const options = { folderId: folder, start: 'all' } as const;
    let state: unknown;
    const emitted: string[] = [];
    for (let turn = 0; turn < 10; turn++) {
      const result = await poll(fixture.watch(options, state), 2);
      emitted.push(...result.events);
      state = result.state ?? state;
    }
    emitted.length.should.equal(250);
    new Set(emitted).size.should.equal(250);
  });

  itLong('a watch emits each existing file once if there are more than it can remember', async () => {
    const folder = await fixture.drive.files.addFolder('very many');
    const count = MAX_KNOWN_FILES + 300;
    for (let index = 0; index < count; index++)
      await fixture.drive.files.add({ name: `v${index}`, parent: folder });
    const options = { folderId: folder, start: 'all' } as const;
    const emitted: string[] = [];
    // Each page of files takes two pages of events. It stops after more files than are remembered.
    const first = await poll(fixture.watch(options), 2 * (count / 100) - 2);
    emitted.push(...first.events);
    emitted.length.should.be.within(MAX_KNOWN_FILES + 1, count - 1);
    const rest = await poll(fixture.watch(options, first.state));
    emitted.push(...rest.events);
    emitted.length.should.equal(count);
    new Set(emitted).size.should.equal(count);
    await fixture.drive.files.add({ name: 'later', parent: folder });
    (await poll(fixture.watch(options, rest.state))).events.should.eql(['created later']);
  });

  for (const start of ['now', 'all'] as const) {
    it(`a watch that starts with ${start} emits changes of files that it emitted before a kill without saving its state`, async () => {
      const folder = await fixture.drive.files.addFolder('F');
      const elsewhere = await fixture.drive.files.addFolder('elsewhere');
      const options = { folderId: folder, start };
      const { state } =
        start === 'now' ? await fixture.started(options) : await poll(fixture.watch(options), 1);
      const [removed, moved, trashed, stays] = await Promise.all(
        ['removed', 'moved', 'trashed', 'stays'].map((name) =>
          fixture.drive.files.add({ name, parent: folder }),
        ),
      );
      const killed = await poll(fixture.watch(options, state), 2);
      killed.events
        .sort()
        .should.eql(['created moved', 'created removed', 'created stays', 'created trashed']);
      await fixture.remove(removed!);
      await fixture.change(moved!, {}, { addParents: elsewhere, removeParents: folder });
      await fixture.change(trashed!, { trashed: true });
      const next = await poll(fixture.watch(options, killed.pages[0]?.state));
      next.events.sort().should.eql(['created stays', 'moved moved', 'removed removed', 'trashed trashed']);
      await fixture.change(moved!, { name: 'moved2' });
      await fixture.remove(stays!);
      (await poll(fixture.watch(options, next.state))).events.should.eql(['removed stays']);
    });
  }

  it('a watch emits a file as created when access to it is lost and given again', async () => {
    const folder = await fixture.drive.files.addFolder('F');
    const { watch } = await fixture.started({ folderId: folder });
    const id = await fixture.drive.files.add({ name: 'shared', parent: folder });
    (await poll(watch)).events.should.eql(['created shared']);
    await fixture.change(id, { description: 'hidden' });
    const { token } = (await fixture.started({ folderId: folder })).state as { token: string };
    const lost = { changes: [{ removed: true, fileId: id }], newStartPageToken: token };
    fixture.drive.faults.add({ kind: 'response', match: { path: /changes$/ }, body: lost });
    (await poll(watch)).events.should.eql(['removed shared']);
    await fixture.change(id, { description: 'seen' });
    (await poll(watch)).events.should.eql(['created shared']);
    await fixture.change(id, { name: 'shared2' });
    (await poll(watch)).events.should.eql(['changed shared2']);
  });

  it('a watch ignores the saved state of another folder or another user', async () => {
    const { state } = await fixture.started();
    await fixture.drive.files.add({ name: 'not emitted' });
    const folder = await fixture.drive.files.addFolder('other');
    (await poll(fixture.watch({ folderId: folder }, state))).events.should.eql([]);
    fixture.drive.faults.add({
      kind: 'response',
      match: { path: /about/ },
      body: { user: { permissionId: 'another user' } },
    });
    (await poll(fixture.watch({}, state))).events.should.eql([]);
    (await poll(fixture.watch({}, state))).events.should.eql(['created not emitted', 'created other']);
  });
});
