/** What is removed from the root, whose alias isn't the id that `parents` contains. */
import 'should';
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
