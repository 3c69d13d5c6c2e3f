/** Restores that were killed while they moved files, and hidden folders that look like theirs. */
import 'should';
import { execFileSync } from 'node:child_process';
import fs, { chmod, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { currentOwner } from '../../../../src/fs/part-owner';
import { Calendar } from '../../../../src/index';
import { restoreFixture } from '../../../support/archive/restore-fixture';
import { writeJournal } from '../../../support/archive/swap-plan';
import { tar } from '../../../support/archive/tar-builder';
import { contentsOf, writeTree } from '../../../support/archive/tree';
import { bytes } from '../../../support/content';
import { PLAIN_UPLOAD } from '../../../support/client/drive-fixture';
import { rejected } from '../../../support/client/rejected';
import { SYNC_DEFAULTS } from '../../../support/sync/sync-fixture';

describe('interrupted swap', () => {
  const fixture = restoreFixture();
  const target = (): string => fixture.path('target');
  const workName = (name: string): string =>
    `.${name}.restore-${currentOwner().pidNamespace}-999999999-abc-00000000-0`;

  /** A swap that was killed when it had replaced one of two files. @returns the work folder */
  async function interrupt(): Promise<string> {
    const work = fixture.path(workName('target'));
    await writeTree(target(), { a: 'new', b: 'old' });
    await writeTree(work, { 'new/b': 'new', 'old/a': 'old' });
    await writeJournal({ target: target(), work }, { moves: ['a', 'b'], folders: [] }, fixture.records);
    return work;
  }

  const users: [string, () => Promise<unknown>][] = [
    [
      'A backup',
      () =>
        fixture.client.backup({
          ...{ sources: [target()], exclude: [], folderId: fixture.folderId, targetName: '{name}-{number}' },
          ...{
            compression: 'none',
            calendar: new Calendar(''),
            host: 'host',
            fields: 'id',
            temporaryFolder: fixture.path(),
          },
        }),
    ],
    [
      'A sync up of a folder that contains it',
      () =>
        fixture.client.sync({
          ...SYNC_DEFAULTS,
          direction: 'up',
          localPath: fixture.path(),
          folderId: fixture.folderId,
        }),
    ],
    [
      'A sync up of it',
      () =>
        fixture.client.sync({
          ...SYNC_DEFAULTS,
          direction: 'up',
          localPath: target(),
          folderId: fixture.folderId,
        }),
    ],
    [
      'An upload of a file in it',
      () => fixture.client.upload({ ...PLAIN_UPLOAD, content: { path: join(target(), 'b') } }),
    ],
    [
      'A restore to the folder that contains it',
      async () => {
        await fixture.addArchive('x.tar', tar({ name: 'c', content: 'c' }));
        await fixture.restore({ path: fixture.path(), overwrite: 'replace' });
      },
    ],
  ];
  for (const [title, use] of users) {
    it(`${title} completes it first`, async () => {
      await interrupt();
      await use();
      (await contentsOf(target())).should.deepEqual({ a: 'new', b: 'new' });
      fixture.finished.should.deepEqual([{ target: target(), isComplete: true, movedAside: [] }]);
      (await fixture.names()).filter((name) => name.includes('.restore-')).should.be.empty();
      fixture.records.size.should.equal(0);
    });

    it(`${title} is refused if its journal is damaged, and nothing is moved`, async () => {
      await writeFile(join(await interrupt(), 'journal'), '{');
      const before = await contentsOf(fixture.path());
      await rejected(use(), 'local_file', 'local_file_restore_journal');
      (await contentsOf(fixture.path())).should.deepEqual(before);
    });
  }

  for (const [title, use] of users.filter(([name]) => !name.includes('that contains it'))) {
    it(`${title} is refused if nothing proves that a restore was interrupted, and nothing is moved`, async () => {
      const work = await interrupt();
      fixture.records.clear();
      const before = await contentsOf(fixture.path());
      const { params } = await rejected(use(), 'local_file', 'local_file_restore_unknown');
      params.should.deepEqual({ path: work });
      (await contentsOf(fixture.path())).should.deepEqual(before);
    });

    it(`${title} is possible beside a folder with an incomplete download`, async () => {
      const work = fixture.path(workName('target'));
      await writeTree(target(), { b: 'old' });
      await writeTree(work, { 'archive.part': 'half' });
      await use();
      (await contentsOf(work)).should.deepEqual({ 'archive.part': 'half' });
    });
  }

  it('A swap on a disk that is not mounted is completed when it is used again', async () => {
    const work = await interrupt();
    const upload = (): Promise<unknown> =>
      fixture.client.upload({ ...PLAIN_UPLOAD, content: { path: target() + '/b' } });
    await rename(work, fixture.path('unmounted'));
    await upload();
    fixture.finished.should.be.empty();
    await rename(fixture.path('unmounted'), work);
    await upload();
    fixture.finished.should.have.length(1);
    (await contentsOf(target())).should.deepEqual({ a: 'new', b: 'new' });
  });

  it('A restore that may not replace files says that it has completed an earlier one', async () => {
    await interrupt();
    await fixture.addArchive('x.tar', tar({ name: 'c', content: 'c' }));
    const { params } = await rejected(fixture.restore(), 'conflict', 'conflict_target_completed');
    params.should.deepEqual({ path: target() });
    (await contentsOf(target())).should.deepEqual({ a: 'new', b: 'new' });
    await rejected(fixture.restore(), 'conflict', 'conflict_target_not_empty');
  });

  it('A hidden folder that someone else has made is refused, and nothing outside is replaced', async () => {
    await fixture.addArchive('x.tar', tar({ name: 'c', content: 'c' }));
    await writeTree(fixture.path(), { 'outside/secret': 'secret', 'target/': '' });
    await symlink('../outside', join(target(), 'way'));
    for (const place of [fixture.path(workName('target')), join(target(), workName('cloud-drive'))]) {
      await writeTree(place, { 'new/way/secret': 'evil' });
      const lines = [{ version: 2, policy: 'replace' }, { move: 'way/secret' }];
      await writeFile(join(place, 'journal'), lines.map((line) => JSON.stringify(line)).join('\n'));
      const before = await contentsOf(fixture.path());
      const restoring = fixture.restore({ overwrite: 'replace' });
      const { params } = await rejected(restoring, 'local_file', 'local_file_restore_unknown');
      params.should.deepEqual({ path: place });
      (await contentsOf(fixture.path())).should.deepEqual(before);
      await rm(place, { recursive: true });
    }
  });

  describe('where another user may rename folders', () => {
    const secret = { 'home/.ssh/id': 'secret', 'home/new/file': 'secret' };

    beforeEach(async function () {
      // Only root can act as two users.
      if (process.geteuid?.() !== 0) this.skip('needs root');
      await chmod(fixture.path(), 0o777);
      await writeTree(fixture.path(), { ...secret, 'target/': '' });
      await chmod(target(), 0o777);
      await chmod(fixture.path('home'), 0o700);
      await fixture.addArchive('x.tar', tar({ name: 'c', content: 'c' }));
    });

    const renameAsOther = (from: string, to: string): void =>
      void execFileSync('mv', ['-T', from, to], { uid: 65534, gid: 65534 });

    /** Wherever the folder is now. */
    async function secrets(): Promise<string[]> {
      const contents = await contentsOf(fixture.path());
      return Object.keys(contents).filter((path) => contents[path] === 'secret');
    }

    /** @returns the name of the work folder of a restore that fails and leaves a part of the archive */
    async function leaveWorkFolder(): Promise<string> {
      await fixture.addArchive('y.tar', tar({ name: 'c', content: bytes(3_000_000) }));
      fixture.drive.faults.add({ kind: 'truncate', bytes: 100_000, match: { query: /alt=media/ }, times: 9 });
      await rejected(fixture.restore({}, { retryFor: 0 }), 'network');
      fixture.drive.faults.clear();
      return (await fixture.names()).find((name) => name.startsWith('.target.restore-')) ?? '';
    }

    const names: [string, () => Promise<string> | string][] = [
      ['beside the target', () => fixture.path(workName('target'))],
      [
        'in the target',
        async () => {
          await rename(fixture.path('home'), join(target(), 'home'));
          return join(target(), workName('cloud-drive'));
        },
      ],
      [
        'of an earlier restore, which is moved away',
        async () => {
          const work = fixture.path(await leaveWorkFolder());
          renameAsOther(work, fixture.path('moved'));
          return work;
        },
      ],
    ];
    for (const [title, findName] of names) {
      it(`A folder that was renamed to the name of a work folder ${title} isn’t removed`, async () => {
        const name = await findName();
        // A folder of another user can't be moved to another folder.
        const home = join(dirname(name), 'home');
        renameAsOther(home, name);
        for (const digest of [undefined, '', 'digest']) {
          if (digest !== undefined) fixture.records.set(target(), digest);
          await fixture.restore({ overwrite: 'replace' });
          (await secrets()).should.have.length(2);
        }
        (await readdir(target())).should.containEql('c');
        renameAsOther(name, home);
        const left = (await fixture.names()).filter((each) => each.includes('.restore-'));
        left.should.be.empty();
      });
    }

    for (const [title, call, isSecond] of [
      ['a new work folder', 'mkdir', false],
      ['an abandoned work folder', 'lutimes', true],
    ] as const) {
      it(`A folder that takes the place of ${title} before it is opened isn’t changed`, async () => {
        if (isSecond) await leaveWorkFolder();
        const { [call]: original } = fs;
        const replaced: string[] = [];
        const replacing = async (path: string, ...args: unknown[]): Promise<unknown> => {
          const result = await (original as (...all: unknown[]) => Promise<unknown>)(path, ...args);
          if (basename(path).startsWith('.target.restore-') && replaced.push(path) === 1) {
            renameAsOther(path, fixture.path('moved'));
            renameAsOther(fixture.path('home'), path);
          }
          return result;
        };
        Object.assign(fs, { [call]: replacing });
        try {
          await fixture.restore({ overwrite: 'replace' }).catch(() => undefined);
        } finally {
          Object.assign(fs, { [call]: original });
        }
        replaced.should.not.be.empty();
        await fixture.restore({ overwrite: 'replace' });
        (await secrets()).should.have.length(2);
        (await contentsOf(replaced[0] ?? '')).should.have.properties({ '.ssh/id': 'secret' });
      });
    }
  });

  it('An archive whose paths are as long as the system allows is restored beside its source', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const names: string[] = [];
    while ([target(), ...names].join('/').length < 4_079 - 200) names.push('n'.repeat(99));
    const path = names.join('/');
    const name = 'f'.repeat(4_079 - join(target(), path).length - 1);
    const pax = { path: `${path}/${name}` };
    await fixture.addArchive('x.tar', tar({ name: 'x', content: 'first', pax }));
    await fixture.restore();
    await fixture.restore({ overwrite: 'replace' });
    (await contentsOf(target()))[pax.path]?.should.equal('first');
    (await fixture.names()).should.deepEqual(['target']);
  });
});
