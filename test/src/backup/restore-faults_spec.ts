/** Restores that are interrupted, cancelled or run at the same time, and disks that are full or mounted. */
import 'should';
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { generateAgeKeys } from '../../../src/backup/archive/age';
import { currentOwner, startTimeOf } from '../../../src/fs/part-owner';
import { PinnedFolder } from '../../../src/fs/pinned-folder';
import { proofOf } from '../../../src/backup/restore/swap-journal';
import { writeJournal } from '../../support/archive/swap-plan';
import { packed } from '../../support/archive/packed';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { tar, tarGz } from '../../support/archive/tar-builder';
import { contentsOf, describeTree, varyAttributes, writeTree } from '../../support/archive/tree';
import { bytes } from '../../support/content';
import { withSync } from '../../support/sync-program';
import { rejected } from '../../support/client/rejected';
import { createTestClient } from '../../support/client/test-client';

const CONTENT = { query: /alt=media/ };

describe('restore', () => {
  const fixture = restoreFixture();
  const target = (...names: string[]): string => fixture.path('target', ...names);
  const large = tar({ name: 'large', content: bytes(3_000_000) });

  async function hiddenFolders(): Promise<string[]> {
    return (await fixture.names()).filter((name) => name.startsWith('.target.restore-'));
  }

  it('Nothing changes if the disk can’t store what was unpacked, which it may say only when it is flushed', async function () {
    if (process.platform === 'win32') this.skip('not on Windows');
    await mkdir(target());
    await writeTree(target(), { a: 'old' });
    await fixture.addArchive('x.tar', tar({ name: 'a', content: 'new' }));
    const restore = (): Promise<unknown> => fixture.restore({ overwrite: 'replace' });
    await withSync(fixture.path(), 'sync: error syncing: No space left on device', () =>
      rejected(restore(), 'local_file', 'local_file_full'),
    );
    (await contentsOf(target())).should.eql({ a: 'old' });
    (await hiddenFolders()).should.be.empty();
    fixture.records.size.should.equal(0);
  });

  it('A restore that fails keeps the record of an earlier one, whose disk may not be mounted', async () => {
    fixture.records.set(target(), 'digest');
    await fixture.addArchive('x.tar', large);
    fixture.drive.faults.add({ kind: 'truncate', bytes: 1_000, match: CONTENT, times: 1_000 });
    await rejected(fixture.restore({}, { retryFor: 0 }), 'network');
    fixture.drive.faults.clear();
    [...fixture.records].should.eql([[target(), 'digest']]);
  });

  it('A folder in which the list of interrupted restores is created for the restore is not replaced as a whole', async () => {
    const userDir = target('user');
    await writeTree(userDir, { 'flows.json': 'old' });
    const { ino } = statSync(userDir);
    await fixture.addArchive('x.tar', tar({ name: 'user/flows.json', content: 'new' }));
    const { records } = fixture;
    records.set = (...args) => {
      writeFileSync(join(userDir, '.cloud-drive-restores'), '');
      return Map.prototype.set.apply(records, args) as typeof records;
    };
    try {
      await fixture.restore({ overwrite: 'replace' });
    } finally {
      Reflect.deleteProperty(records, 'set');
    }
    statSync(userDir).ino.should.equal(ino);
    (await contentsOf(userDir)).should.eql({ 'flows.json': 'new', '.cloud-drive-restores': '' });
    records.size.should.equal(0);
  });

  it('An interrupted download is resumed by the next restore of the archive, and the target stays until then', async () => {
    await fixture.addArchive('x.tar', large);
    fixture.drive.faults.add({ kind: 'truncate', bytes: 1_000_000, match: CONTENT, times: 1_000 });
    await rejected(fixture.restore({}, { retryFor: 0 }), 'network');
    const [folder = ''] = await hiddenFolders();
    const left = await readdir(fixture.path(folder));
    left.filter((name) => !name.endsWith('.part')).should.eql(['proof']);
    (await fixture.names()).should.not.containEql('target');
    fixture.drive.faults.clear();
    fixture.drive.requests.clear();
    await fixture.restore();
    const ranges = fixture.drive.requests.all.map(({ headers }) => headers['range']).filter(Boolean);
    ranges.should.have.length(1);
    (await fixture.names()).should.deepEqual(['target']);
  });

  it('Content that arrives changed twice is checksum_mismatch, and nothing stays', async () => {
    await fixture.addArchive('x.tar', large);
    fixture.drive.faults.add({ kind: 'corrupt', at: 5_000, match: CONTENT, times: 2 });
    await rejected(fixture.restore(), 'checksum_mismatch');
    (await fixture.names()).should.deepEqual([]);
  });

  it('A restore that is cancelled while it unpacks changes nothing and leaves nothing', async () => {
    await writeTree(target(), { f1: 'old' });
    const before = await describeTree(fixture.path());
    const zeros = Buffer.alloc(20_000_000);
    await fixture.addArchive('x.tgz', tarGz({ name: 'f1', content: 'new' }, { name: 'f2', content: zeros }));
    const controller = new AbortController();
    const seen: number[] = [];
    const onEntry = ({ entries }: { entries: number }): void => {
      seen.push(entries);
      controller.abort();
    };
    const { signal } = controller;
    await rejected(fixture.restore({ overwrite: 'replace', maxRatio: 0, onEntry }, { signal }), 'cancelled');
    seen.should.deepEqual([1]);
    (await describeTree(fixture.path())).should.deepEqual(before);
  });

  it('Two restores to one folder run one after the other', async () => {
    await fixture.addArchive('x.tar', large);
    const both = [fixture.restore(), fixture.restore({ path: `${target()}/` })];
    await rejected(Promise.all(both), 'conflict', 'conflict_target_not_empty');
    await Promise.allSettled(both);
    (await fixture.names()).should.deepEqual(['target']);
  });

  it('Restores to nested folders run one after the other, also with two accounts', async () => {
    await fixture.addArchive('x.tar', large);
    const other = createTestClient(fixture.drive.url);
    const order: string[] = [];
    const outer = fixture.restore({ onEntry: () => order.push('outer') });
    const choice = { which: 'newest' } as const;
    const request = { choice, folderId: fixture.folderId, folderName: '', pattern: '*', fields: 'id' };
    const inner = other.client.restore({
      ...{ ...request, path: target('inner'), overwrite: 'error', include: [] },
      onProgress: () => order.push('inner'),
    });
    await Promise.all([outer, inner]);
    other.close();
    order[0]!.should.equal('outer');
    (await readdir(target())).sort().should.deepEqual(['inner', 'large']);
  });

  it('A restore that waits for another one can be cancelled, and the other one continues', async () => {
    await fixture.addArchive('x.tar', large);
    const controller = new AbortController();
    let end = (): void => undefined;
    const until = new Promise<void>((resolve) => (end = resolve));
    fixture.drive.faults.add({ kind: 'delay', until, match: CONTENT });
    const deep = fixture.path('missing', 'target');
    const first = fixture.restore({ path: deep });
    const second = fixture.restore({ path: deep }, { signal: controller.signal });
    controller.abort();
    await rejected(second, 'cancelled');
    end();
    await first;
    (await readdir(deep)).should.deepEqual(['large']);
  });

  it('A restore that waits for another one succeeds after the failure of that one, which removes the folders it created', async () => {
    await fixture.addArchive('x.tar', large);
    const path = fixture.path('missing', 'deep', 'target');
    let second: Promise<unknown> | undefined;
    const until = (): Promise<void> =>
      new Promise((resolve) => {
        second = fixture.restore({ path }, { onQueue: () => resolve() });
      });
    fixture.drive.faults.add({ kind: 'delay', until, match: CONTENT });
    await rejected(fixture.restore({ path, include: ['none'] }), 'not_found', 'not_found_entries');
    await second;
    (await readdir(path)).should.deepEqual(['large']);
  });

  it('Another process that restores to the folder is a conflict, and its folder stays', async () => {
    await fixture.addArchive('x.tar', large);
    // The process that runs these tests was started by another one, which is still running.
    const { pidNamespace } = currentOwner();
    const owner = [pidNamespace, process.ppid, startTimeOf(process.ppid), '00000000'].join('-');
    const folder = fixture.path(`.target.restore-${owner}-0`);
    await mkdir(folder, 0o700);
    let heartbeat = Date.now() / 1_000;
    fixture.clock.onSleep = () => utimesSync(folder, (heartbeat += 5), heartbeat);
    await rejected(fixture.restore(), 'conflict', 'conflict_restore_running');
    (await hiddenFolders()).should.have.length(1);
  });

  it('A folder that a process of another container left is used again once it has no heartbeat', async () => {
    await fixture.addArchive('x.tar', large);
    const left = '.target.restore-00000000-1-abc-00000000-0';
    await mkdir(fixture.path(left), 0o700);
    const proof = await proofOf(target(), fixture.records);
    await writeTree(fixture.path(left), { 'new/half': 'half', proof });
    const now = new Date();
    await utimes(fixture.path(left), now, now);
    await fixture.restore();
    (await fixture.names()).should.deepEqual(['target']);
    (await readdir(target())).should.deepEqual(['large']);
  });

  it('Progress of the download and of the entries is reported', async () => {
    await fixture.addArchive('x.tar', large);
    const transferred: (number | undefined)[] = [];
    const entries: number[] = [];
    await fixture.restore({
      onProgress: (done, total) => transferred.push(done, total),
      onEntry: (progress) => entries.push(progress.entries, progress.bytes),
    });
    transferred.slice(-2).should.deepEqual([large.length, large.length]);
    entries.slice(-2).should.deepEqual([1, 3_000_000]);
  });

  it('An archive of this package comes back the same, compressed and encrypted', async () => {
    await writeTree(fixture.path('home'), {
      'ü 日本 😀\n': 'odd',
      'empty/': '',
      'deep/er/file': bytes(700_000).toString('latin1'),
      [`${'n'.repeat(150)}/${'m'.repeat(150)}`]: 'long',
      link: '-> deep/er',
      dangling: '-> /nowhere',
    });
    await varyAttributes(fixture.path('home'));
    const { identity, recipient } = await generateAgeKeys();
    const archive = await packed(fixture.path('home'), { encryption: { recipients: [recipient] } });
    await fixture.addArchive('home.tar.gz.age', archive);
    await fixture.restore({ identities: [identity] });
    (await describeTree(target('home'))).should.deepEqual(await describeTree(fixture.path('home')));
  });

  it('A file that was created while a swap was interrupted is renamed and reported', async () => {
    await writeTree(target(), { 'a.txt': 'old', b: 'old' });
    await fixture.addArchive('x.tar', tar({ name: 'a.txt', content: 'new' }, { name: 'b', content: 'new' }));
    const { pidNamespace } = currentOwner();
    const work = fixture.path(`.target.restore-${pidNamespace}-999999999-abc-00000000-0`);
    await writeTree(work, { 'new/a.txt': 'half', 'old/a.txt': 'older' });
    await writeJournal({ target: target(), work }, { moves: ['a.txt'], folders: [] }, fixture.records);
    const movedAside: string[] = [];
    await fixture.restore({ overwrite: 'replace', onMovedAside: (paths) => movedAside.push(...paths) });
    movedAside.should.deepEqual([target('a (1).txt')]);
    (await contentsOf(target())).should.deepEqual({ 'a.txt': 'new', 'a (1).txt': 'old', b: 'new' });
    (await fixture.names()).should.deepEqual(['target']);
  });

  it('If the record of a completed restore can’t be removed, no folder that was opened meanwhile loses files', async () => {
    const opened: PinnedFolder[] = [];
    await writeTree(fixture.path('other'), { file: 'content' });
    await fixture.addArchive('x.tar', tar({ name: 'a.txt', content: 'new' }));
    const failing = createTestClient(fixture.drive.url, {
      swaps: {
        records: {
          get: (target) => fixture.records.get(target),
          keys: () => fixture.records.keys(),
          set: (target, digest) => fixture.records.set(target, digest),
          delete: async () => {
            // They get the descriptor of the work folder, which is closed.
            for (let count = 0; count < 20; count++)
              opened.push(await PinnedFolder.open(fixture.path('other')));
            throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
          },
        },
      },
    });
    await rejected(fixture.restore({}, {}, failing.client), 'local_file');
    failing.close();
    for (const folder of opened) await folder.close();
    (await contentsOf(fixture.path('other'))).should.deepEqual({ file: 'content' });
    (await contentsOf(target())).should.deepEqual({ 'a.txt': 'new' });
  });

  describe('on another file system', () => {
    beforeEach(async function () {
      await mkdir(target('inner'), { recursive: true });
      // Only root may mount, and not in every container.
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', target()]).status !== 0)
        this.skip('this system mounts nothing');
    });
    afterEach(() => {
      spawnSync('umount', [target('inner')]);
      spawnSync('umount', [target()]);
    });

    it('A target that is a mount point is restored to, through a hidden folder in it', async () => {
      await fixture.addArchive('x.tar', tar({ name: 'a', content: 'new' }, { name: 'b/c', content: 'new' }));
      await fixture.restore();
      await fixture.restore({ overwrite: 'replace' });
      (await contentsOf(target())).should.deepEqual({ a: 'new', 'b/': '', 'b/c': 'new' });
    });

    it('A file that is mounted is local_file, and so is a folder in a lower layer of overlayfs, which the error names', async function () {
      const [lower, upper, merged] = ['lower', 'upper', 'merged'].map((name) => target(name)) as [
        string,
        string,
        string,
      ];
      await writeTree(target(), {
        'lower/d/f': 'old',
        'upper/data/': '',
        'upper/work/': '',
        'merged/': '',
        f: 'old',
        other: 'o',
      });
      const layers = `lowerdir=${lower},upperdir=${upper}/data,workdir=${upper}/work`;
      const isMounted = (...args: string[]): boolean => spawnSync('mount', args).status === 0;
      if (!isMounted('--bind', target('other'), target('f'))) this.skip('this system mounts nothing');
      try {
        await fixture.addArchive(
          'x.tar',
          tar({ name: 'other', content: 'new' }, { name: 'f', content: 'new' }),
        );
        const busy = await rejected(
          fixture.restore({ overwrite: 'replace' }),
          'local_file',
          'local_file_swap_mount',
        );
        busy.params.should.eql({ path: target('f'), reason: 'EBUSY' });
        (await contentsOf(target())).should.containEql({ f: 'o', other: 'o' });
        if (!isMounted('-t', 'overlay', 'overlay', '-o', layers, merged))
          return this.skip('this system mounts nothing');
        await fixture.addArchive('y.tar', tar({ name: 'd/f', content: 'new' }));
        const restoring = fixture.restore({ path: merged, overwrite: 'replace', pattern: 'y*' });
        const moved = await rejected(restoring, 'local_file', 'local_file_swap_mount');
        moved.params.should.eql({ path: join(merged, 'd'), reason: 'EXDEV' });
        (await contentsOf(merged)).should.eql({ 'd/': '', 'd/f': 'old' });
      } finally {
        for (const name of ['f', 'merged']) spawnSync('umount', [target(name)]);
      }
    });

    it('A full disk is local_file, nothing changes and nothing stays', async () => {
      await writeTree(target(), { kept: 'old' });
      await fixture.addArchive('x.tgz', tarGz({ name: 'large', content: Buffer.alloc(3_000_000) }));
      await rejected(fixture.restore({ overwrite: 'replace' }), 'local_file', 'local_file_full');
      (await contentsOf(target())).should.deepEqual({ kept: 'old' });
      await fixture.addArchive('y.tar', large);
      await rejected(
        fixture.restore({ overwrite: 'replace', pattern: 'y*' }),
        'local_file',
        'local_file_full',
      );
      (await contentsOf(target())).should.deepEqual({ kept: 'old' });
    });

    it('A mount point inside the target is kept, and entries for it are local_file', async () => {
      await writeTree(target(), { 'home/kept/a': 'old', 'home/b': 'old' });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', target('home/kept')]);
      try {
        await writeTree(target(), { 'home/kept/mounted': 'old' });
        await fixture.addArchive(
          'x.tar',
          tar({ name: 'home/b', content: 'new' }, { name: 'home/kept/', type: '5' }),
        );
        await fixture.restore({ overwrite: 'replace' });
        (await contentsOf(target('home'))).should.deepEqual({ 'kept/': '', 'kept/mounted': 'old', b: 'new' });
        await fixture.addArchive('y.tar', tar({ name: 'home/b' }, { name: 'home/kept/x', content: 'new' }));
        const restoring = fixture.restore({ overwrite: 'replace', pattern: 'y*' });
        await rejected(restoring, 'local_file', 'local_file_other_file_system');
        (await contentsOf(target('home'))).should.deepEqual({ 'kept/': '', 'kept/mounted': 'old', b: 'new' });
      } finally {
        spawnSync('umount', [join(target('home/kept'))]);
      }
    });
  });
});
