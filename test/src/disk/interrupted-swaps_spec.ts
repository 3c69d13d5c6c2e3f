/** Restores that were killed while they moved files, and hidden folders that look like theirs. */
import 'should';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { currentOwner } from '../../../src/disk/part-owner';
import { Calendar } from '../../../src/index';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { writeJournal } from '../../support/archive/swap-plan';
import { tar } from '../../support/archive/tar-builder';
import { contentsOf, writeTree } from '../../support/archive/tree';
import { PLAIN_UPLOAD } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { SYNC_DEFAULTS } from '../../support/sync/sync-fixture';

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

  it('An archive whose paths are as long as the system allows is restored beside its source', async function () {
    if (process.platform !== 'linux') this.skip();
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
