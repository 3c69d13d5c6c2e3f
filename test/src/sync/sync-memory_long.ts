/** Memory of a synchronization with very many files. */
import 'should';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import type { SyncRequest } from '../../../src/index';
import { startSyncChild } from '../../support/sync/run-sync-child';
import { syncFixture } from '../../support/sync/sync-fixture';

const FILES = Number(process.env['SYNC_FILES'] ?? 200_000);
const PER_FOLDER = 500;
const TIME = 1_600_000_000;
/** MiB. Resident memory also contains garbage, so it varies by some. */
const MAX_GROWTH = 128;

describe(`synchronization of ${FILES} files`, function () {
  this.timeout(3_600_000);
  const fixture = syncFixture();

  async function writeFiles(): Promise<void> {
    for (let index = 0; index < FILES; index++) {
      const folder = `folder number ${Math.floor(index / PER_FOLDER)}`;
      if (index % PER_FOLDER === 0) await mkdir(fixture.path(folder));
      const file = fixture.path(folder, `IMG_20231114_${index}.jpg`);
      await writeFile(file, `${index}`);
      await utimes(file, TIME, TIME);
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

  it('first runs and unchanged runs take little memory in both directions', async () => {
    await writeFiles();
    const localPath = `${fixture.path()}-target`;
    const growth = [
      await growthOf('first upload', fixture.request('up')),
      await growthOf('unchanged upload', fixture.request('up')),
      await growthOf('first download', fixture.request('down', { localPath })),
      await growthOf('unchanged download', fixture.request('down', { localPath })),
    ];
    Math.max(...growth).should.be.belowOrEqual(MAX_GROWTH);
  });
});
