/** What is removed from the root, whose alias isn't the id that `parents` contains. */
import 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { RecordedRequest } from '../../local-drive';
import { rejected } from '../../support/client/rejected';
import { syncFixture } from '../../support/sync/sync-fixture';

for (const extra of ['trash', 'delete'] as const) {
  for (const hidesRoot of [false, true]) {
    const title = hidesRoot ? ', even if the scope hides the id of the root' : '';
    describe(`synchronization to the root, extra: ${extra}${title}`, () => {
      const fixture = syncFixture();

      it(`extra: ${extra} removes only what is still in the root${title}`, async () => {
        const { files, faults } = fixture.drive;
        const place = await files.addFolder('archive');
        const folder = await files.addFolder('moved');
        const inside = await files.add({ name: 'inside.txt', parent: folder, content: 'x' });
        const file = await files.add({ name: 'moved.txt', content: 'x' });
        const ids = [await files.add({ name: 'extra.txt', content: 'x' })];
        const extraFolder = await files.addFolder('extra');
        await files.add({ name: 'inside.txt', parent: extraFolder, content: 'x' });
        ids.push(extraFolder);
        await fixture.writeDisk({ 'new.txt': 'new' });
        const until = async (): Promise<void> => {
          for (const id of [file, folder]) {
            const request = { id, folderId: place, name: '', fields: 'id', restore: false } as const;
            await fixture.client.move({ ...request, ifExists: 'duplicate' });
          }
          if (!hidesRoot) return;
          faults.add({ kind: 'error', reason: 'notFound', times: 99, match: { path: /files\/root$/ } });
        };
        faults.add({ kind: 'delay', until, match: { path: /upload/ } });
        const { error } = await fixture.up({ folderId: '', exclude: ['folder', 'archive'], extra });
        (error === undefined).should.be.true();
        const isLeft = (id: string): boolean => files.find(id)?.trashed === false;
        [file, folder, inside].map(isLeft).should.eql([true, true, true]);
        ids.map(isLeft).should.eql([false, false]);
      });
    });
  }
}

for (const extra of ['trash', 'delete'] as const) {
  describe(`synchronization with a folder that is renamed meanwhile, extra: ${extra}`, () => {
    const fixture = syncFixture();

    it(`extra: ${extra} keeps what is in a folder that was renamed on the drive after it was listed`, async () => {
      const { files, faults } = fixture.drive;
      const ids = await fixture.writeDrive({
        ...{ 'old/inside.txt': 'x', 'old/sub/inside.txt': 'x' },
        ...{ 'matched/extra.txt': 'x', 'a:b/extra.txt': 'x' },
      });
      // The name that a disk without colons can hold.
      await fixture.writeDisk({ 'new.txt': 'new', 'matched/file.txt': 'x', 'a：b/file.txt': 'x' });
      const rename = async (name: string, newName: string): Promise<void> => {
        const request = { id: ids[name] ?? '', folderId: '', name: newName, restore: false } as const;
        await fixture.client.move({ ...request, fields: 'id', ifExists: 'duplicate' });
      };
      const until = async (): Promise<void> => {
        await rename('old/', 'kept');
        await rename('matched/', 'also kept');
      };
      faults.add({ kind: 'delay', until, match: { path: /upload/ } });
      const { error, changes } = await fixture.up({ extra });
      (error === undefined).should.be.true();
      const isLeft = (path: string): boolean => files.find(ids[path] ?? '')?.trashed === false;
      const kept = ['old/', 'old/sub/', 'old/inside.txt', 'old/sub/inside.txt', 'matched/extra.txt'];
      kept.filter((path) => !isLeft(path)).should.eql([]);
      isLeft('a:b/extra.txt').should.be.false();
      changes
        .filter(({ reason }) => reason === 'changed')
        .map(({ path }) => path)
        .sort()
        .should.eql(['matched/extra.txt', 'old/inside.txt', 'old/sub/inside.txt']);
    });
  });
}

describe('synchronization with folders that only seem empty', () => {
  const fixture = syncFixture();

  it('extra: delete moves an empty folder to the trash, where what only others see in it can be restored', async () => {
    const { files, faults } = fixture.drive;
    const ids = await fixture.writeDrive({ 'old/inside.txt': 'x' });
    await fixture.writeDisk({ 'new.txt': 'new' });
    let hidden = '';
    // With the scope drive.file, it would be there all the time.
    const until = async (): Promise<void> => {
      hidden = await files.add({ name: 'hidden.txt', parent: ids['old/'] ?? '', content: 'x' });
    };
    const path = new RegExp(`files/${ids['old/']}$`);
    faults.add({ kind: 'delay', until, match: { path, when: ({ method }) => method !== 'GET' } });
    const { error, summary } = await fixture.up({ extra: 'delete' });
    (error === undefined).should.be.true();
    summary.removed.should.equal(1);
    [ids['old/inside.txt'] ?? '', hidden].map((id) => files.find(id) !== undefined).should.eql([false, true]);
    files.find(ids['old/'] ?? '')?.trashed.should.be.true();
  });
});

describe('synchronization with a custom service that has a trash', () => {
  const fixture = syncFixture({ service: { can: CAPABILITIES.custom } });

  it('extra: delete keeps a folder in which something is in the trash', async () => {
    const { files } = fixture.drive;
    const ids = await fixture.writeDrive({ 'old/trashed.txt': 'x', 'empty/': '' });
    await fixture.client.trash(ids['old/trashed.txt'] ?? '');
    await fixture.writeDisk({ 'new.txt': 'new' });
    const { error } = await fixture.up({ extra: 'delete' });
    (error === undefined).should.be.true();
    const exists = (path: string): boolean => files.find(ids[path] ?? '') !== undefined;
    ['old/', 'old/trashed.txt', 'empty/'].map(exists).should.eql([true, true, false]);
  });
});

describe('synchronization with a folder that goes to the trash meanwhile', () => {
  const fixture = syncFixture();

  it('down removes nothing on disk if the folder on the drive goes to the trash while it is listed', async () => {
    const tree = { 'a.txt': 'x', 'sub/b.txt': 'x', 'sub/c.txt': 'x' };
    await fixture.writeDisk({ ...tree, 'extra.txt': 'x' });
    const ids = await fixture.writeDrive(tree);
    const isList = ({ query }: RecordedRequest): boolean => query.includes(ids['sub/'] ?? '');
    const until = (): Promise<void> => fixture.client.trash(fixture.folderId);
    fixture.drive.faults.add({ kind: 'delay', until, match: { when: isList } });
    await rejected(fixture.down({ extra: 'delete' }), 'not_found');
    (await fixture.namesOnDisk()).should.eql(['a.txt', 'extra.txt', 'sub/', 'sub/b.txt', 'sub/c.txt']);
  });
});
