/**
 * Gives copies of the repositories on the drives of this process to restic, which checks, restores and continues them. This
 * package has to restore the same.
 */
import { lstatSync, lutimesSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileTime } from '../../../src/fs/durable';
import { diskPath } from '../../../src/fs/path-bytes';
import { type LocalDrive, runningDrives, startLocalDrive } from '../../local-drive';
import { describeTree } from '../archive/tree';
import { TOKEN, createTestClient } from '../client/test-client';
import { DiskRepository, restic } from './disk-repository';
import { exportFolder, importFolder, passphrases } from './drive-repository';

type Tree = Record<string, string>;

interface ResticSnapshot {
  id: string;
  time: string;
  paths: string[];
}

/** The states of repositories that were looked at, or left out: tests share drives. */
const seen = new Set<string>();

/** @param areForRestic if not, they are left out as long as they don't change */
export async function checkRepositories(areForRestic: boolean): Promise<void> {
  for (const drive of runningDrives) {
    for (const folder of drive.files.topFolders.flatMap((top) => repositoriesIn(drive, top))) {
      const state = `${drive.url} ${stateOf(drive, folder)}`;
      const isNew = !seen.has(state);
      seen.add(state);
      if (isNew && areForRestic) await checkWithRestic(drive, folder);
    }
  }
}

function repositoriesIn(drive: LocalDrive, folder: string): string[] {
  const names = drive.files.untrashedNames(folder);
  if (names.includes('config') && names.includes('keys')) return [folder];
  return drive.files.in(folder).flatMap(({ id, trashed }) => (trashed ? [] : repositoriesIn(drive, id)));
}

function stateOf(drive: LocalDrive, folder: string): string {
  const files = drive.files.in(folder).filter(({ trashed }) => !trashed);
  return files.map(({ id, content }) => `${id}${content?.blob ?? ''}(${stateOf(drive, id)})`).join();
}

async function checkWithRestic(drive: LocalDrive, folder: string): Promise<void> {
  const work = mkdtempSync(path.join(tmpdir(), 'with-restic-'));
  const [repository, theirs, ours, more] = [0, 1, 2, 3].map((name) => path.join(work, String(name))) as [
    ...[string, string, string, string],
  ];
  try {
    await exportFolder(drive, folder, repository);
    const passphrase = await passphraseOf(repository);
    const run = (...args: string[]): string => restic(repository, args, passphrase);
    // The process that made a lock may have been killed.
    run('unlock', '--remove-all');
    run('check', '--read-data');
    const snapshots = JSON.parse(run('snapshots', '--json')) as ResticSnapshot[];
    const newest = snapshots.sort((a, b) => Date.parse(a.time) - Date.parse(b.time)).at(-1);
    if (newest) run('restore', newest.id, '--target', theirs);
    // An empty snapshot creates no folder.
    mkdirSync(theirs, { recursive: true });
    mkdirSync(more);
    writeFileSync(path.join(more, 'file'), 'continued');
    run('backup', more);
    run('check', '--read-data');
    if (!newest) return;
    await restoreOurselves(repository, passphrase, newest.id, ours);
    await compare(ours, theirs, newest);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function passphraseOf(repository: string): Promise<string> {
  for (const each of passphrases)
    if (await DiskRepository.open(repository, each).catch(() => undefined)) return each;
  throw new Error('no passphrase of the tests opens the repository');
}

/** Restores what restic has continued, from a drive without faults. */
async function restoreOurselves(copy: string, passphrase: string, id: string, target: string): Promise<void> {
  const drive = await startLocalDrive({ token: TOKEN });
  const own = createTestClient(drive.url);
  try {
    const folderId = await drive.files.addFolder('Repository');
    await importFolder(drive, folderId, copy);
    const choice = { which: 'id', id, sources: 'any', host: '', allowIncomplete: true } as const;
    const access = { folderId, passphrase, cacheFolder: `${copy}.cache`, host: 'pi', username: 'root' };
    const place = { include: [], path: target, overwrite: 'error' } as const;
    await own.client.restoreSnapshot({ ...access, ...place, folderName: '/Repository', choice });
  } finally {
    own.close();
    await drive.close();
  }
}

/** This package restores sources under their last names, if these differ, and restic under their paths. */
async function compare(ours: string, theirs: string, { paths }: ResticSnapshot): Promise<void> {
  for (const file of Object.keys(await describeTree(theirs))) cutTime(path.join(theirs, file));
  const whole = Object.entries(await describeTree(theirs));
  const sources = paths.flatMap((source) =>
    whole
      .filter(([file]) => `/${file}/`.startsWith(`${source}/`))
      .map(([file, line]) => [`/${file}`.slice(path.join(source, '..', '/').length), line]),
  );
  const allowed = [sources, whole].map((entries) => Object.fromEntries(entries) as Tree);
  allowed.should.containEql(await describeTree(ours));
}

/** To microseconds: Node.js can't set a time to the nanosecond. */
function cutTime(file: string): void {
  const { mtimeNs } = lstatSync(diskPath(file), { bigint: true });
  const time = fileTime(Number((mtimeNs - (((mtimeNs % 1_000n) + 1_000n) % 1_000n)) / 1_000n) / 1e6);
  lutimesSync(diskPath(file), time, time);
}
