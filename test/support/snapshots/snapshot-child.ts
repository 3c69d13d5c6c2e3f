/**
 * Backs up or restores in its own process, which a test can kill. Prints `done` at the end, or the error. Its only argument is
 * a {@link SnapshotJob} as JSON.
 */
import { join } from 'node:path';
import { Calendar } from '../../../src/index';
import { FileRecords } from '../archive/file-records';
import { createClientInRealTime } from '../client/test-client';
import { PASSPHRASE, RULES } from './snapshot-fixture';

export interface SnapshotJob {
  baseUrl: string;
  folderId: string;
  /** For the cache and the records of interrupted swaps. */
  folder: string;
  source: string;
  /** Folder to restore the newest snapshot to; undefined for a backup. */
  target?: string;
}

async function run({ baseUrl, folderId, folder, source, target }: SnapshotJob): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl, {
    bandwidth: 20_000_000,
    swaps: { records: FileRecords.load(join(folder, 'records')) },
  });
  process.stdout.write('started\n');
  const access = { folderId, passphrase: PASSPHRASE, cacheFolder: join(folder, 'cache') };
  const who = { host: 'pi', username: 'root' };
  if (target === undefined) {
    const retention = { ...RULES, keepNewest: 2 };
    const pack = { tags: [], packSize: 4, maxUnused: 0, calendar: new Calendar('UTC'), exclude: [] };
    const request = { ...access, ...who, ...pack, sources: [source], retention, mode: 'permanent' } as const;
    const { laterError } = await client.backupSnapshot(request);
    if (laterError) throw laterError;
  } else {
    const choice = { which: 'newest', sources: 'own', host: 'pi', allowIncomplete: false } as const;
    const query = { ...access, ...who, folderName: '/Repository', choice, include: [] };
    await client.restoreSnapshot({ ...query, path: target, overwrite: 'replace', stripTop: true });
  }
  http.close();
  process.stdout.write('done\n');
}

void run(JSON.parse(process.argv[2] ?? '{}') as SnapshotJob).catch((error: unknown) => {
  process.stdout.write(`${String(error)}\n`);
  process.exit(1);
});
