/** Memory of a synchronization with very many files. */
import 'should';
import { mkdir, open, utimes } from 'node:fs/promises';
import type { SyncRequest } from '../../../src/index';
import { startSyncChild } from '../../support/sync/run-sync-child';
import { syncFixture } from '../../support/sync/sync-fixture';

const FILES = Number(process.env['SYNC_FILES'] ?? 200_000);
const PER_FOLDER = 500;
const TIME = 1_600_000_000;
/** MiB. Resident memory also contains garbage, so it varies by some. */
const MAX_GROWTH = 150;

describe(`synchronization of ${FILES} files`, function () {
  this.timeout(3_600_000);
  const fixture = syncFixture();

  async function addFiles(): Promise<void> {
    let parent = '';
    for (let index = 0; index < FILES; index++) {
      const name = `folder number ${Math.floor(index / PER_FOLDER)}`;
      if (index % PER_FOLDER === 0) {
        await mkdir(fixture.path(name));
        parent = await fixture.drive.files.addFolder(name, fixture.folderId);
      }
      const file = `IMG_20231114_${index}.jpg`;
      await (await open(fixture.path(name, file), 'w')).close();
      await utimes(fixture.path(name, file), TIME, TIME);
      await fixture.drive.files.add({ name: file, parent, content: '', modifiedTime: TIME * 1_000 });
    }
  }

  /** @returns MiB */
  async function growthOf(title: string, request: SyncRequest): Promise<number> {
    const result = await startSyncChild(fixture.drive.url, '', request).result;
    (result?.error === undefined).should.be.true();
    const growth = Math.round((result?.growth ?? Infinity) / 1024 / 1024);
    process.stdout.write(`      ${title}: ${growth} MiB, ${result?.changes} changes\n`);
    return growth;
  }

  it('plans and results of first runs, and unchanged runs, take little memory', async () => {
    await addFiles();
    const missing = `${fixture.path()}-missing`;
    const dryRun = true;
    const growths = [
      await growthOf('first upload', fixture.request('up', { folderId: undefined, dryRun })),
      await growthOf('first download', fixture.request('down', { localPath: missing, dryRun })),
      await growthOf('unchanged', fixture.request('up')),
    ];
    Math.max(...growths).should.be.below(MAX_GROWTH);
  });
});
