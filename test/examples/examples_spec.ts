/** Each example, imported into a real Node-RED and run with the local drive. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { exampleFixture } from '../support/node-red/example-fixture';

describe('examples', () => {
  const of = exampleFixture();
  const deploy = (name: string): Promise<void> => of.examples.deploy(name, of.drive.url);
  const press = (name: string, index?: number): Promise<void> => of.examples.pressInject(name, index);
  const shown = (name: string, debug: string, nth?: number): Promise<NodeMessage> =>
    of.examples.debugMessage(name, debug, nth);

  /** As backup-step-by-step names them, a night each from 1 January on, all put there now. */
  const addArchives = async (parent: string, nights: number): Promise<void> => {
    const night = new Date(2026, 0, 1, 2, 30);
    for (let number = 1; number <= nights; number++, night.setDate(night.getDate() + 1)) {
      const [month, day] = [night.getMonth() + 1, night.getDate()].map((part) => `${part}`.padStart(2, '0'));
      const name = `archive-2026-${month}-${day}_0230-${`${number}`.padStart(4, '0')}.tar.gz`;
      await of.drive.files.add({ name, parent, content: `night ${number}` });
    }
  };

  it('about shows the free space', async () => {
    await deploy('about');
    await press('about');
    const { payload } = await shown('about', 'storage');
    should(payload).have.properties(['name', 'usedGB', 'freeGB', 'usedPercent']);
  });

  it('list-folders lists folders as an array and one by one', async () => {
    await of.drive.files.addFolder('Photos');
    await deploy('list-folders');
    await press('list-folders');
    const { payload } = await shown('list-folders', 'array');
    (payload as { name: string }[]).map(({ name }) => name).should.eql(['Photos']);
    await press('list-folders', 1);
    should((await shown('list-folders', 'one message per folder')).payload).have.property('name', 'Photos');
  });

  it('search-and-download saves the newest match', async () => {
    await of.drive.files.add({ name: 'report-1.txt', content: 'old', modifiedTime: Date.UTC(2026, 0, 1) });
    await of.drive.files.add({ name: 'report-2.txt', content: 'new', modifiedTime: Date.UTC(2026, 1, 1) });
    await deploy('search-and-download');
    await press('search-and-download');
    const saved = String((await shown('search-and-download', 'saved as')).payload);
    saved.should.equal(path.join(of.folder, 'report-2.txt'));
    (await readFile(saved, 'utf8')).should.equal('new');
  });

  it('upload uploads an object and a file', async () => {
    await deploy('upload');
    await press('upload');
    should((await shown('upload', 'uploaded')).payload).have.property('name', 'reading.json');
    await press('upload', 1);
    await shown('upload', 'progress');
    const names = of.drive.files.in('root').map(({ name }) => name);
    names.should.eql(['reading.json', 'backup.tar.gz']);
  });

  it('delete-with-error-handling routes a missing file by its error code', async () => {
    await deploy('delete-with-error-handling');
    await press('delete-with-error-handling');
    const { error } = await shown('delete-with-error-handling', 'not found');
    should(error).have.propertyByPath('cause', 'code').equal('not_found');
  });

  it('archive-old-files moves files by the month of their modification', async () => {
    const inbox = await of.drive.files.addFolder('Inbox');
    const add = (name: string, modifiedTime: number) =>
      of.drive.files.add({ name, parent: inbox, content: name, modifiedTime });
    await add('old.jpg', Date.UTC(2026, 1, 3));
    await add('new.jpg', Date.now());
    await deploy('archive-old-files');
    await press('archive-old-files');
    should((await shown('archive-old-files', 'moved')).payload).have.property('name', 'old.jpg');
    of.namesIn(inbox).should.eql(['new.jpg']);
    of.namesIn(of.idAt('Archive', '2026', '02')).should.eql(['old.jpg']);
  });

  it('prune-backups lists the archives to remove in a dry run, and then removes them', async () => {
    const machine = await of.drive.files.addFolder('pi', await of.drive.files.addFolder('Backups'));
    await addArchives(machine, 60);
    await of.drive.files.add({ name: 'archive-of-old.tar.gz', parent: machine, content: 'no date' });
    await deploy('prune-backups');
    await press('prune-backups');
    const tried = (await shown('prune-backups', 'what would be removed')).payload as Record<
      string,
      unknown[]
    >;
    of.namesIn(machine).length.should.equal(61);
    tried['kept']!.should.have.length(12);
    tried['removed']!.should.have.length(49);
    await press('prune-backups', 1);
    const { removed } = (await shown('prune-backups', 'removed')).payload as Record<string, unknown[]>;
    removed!.should.eql(tried['removed']);
    // Seven nights to 1 March; three more weeks, and January; and what has no date.
    of.namesIn(machine)
      .map((name) => name.slice(13, 18))
      .join(' ')
      .should.equal('01-31 02-08 02-15 02-22 02-23 02-24 02-25 02-26 02-27 02-28 03-01 d.tar');
  });

  it('watch-folder emits a message for a new file', async () => {
    await of.drive.files.addFolder('Inbox');
    await deploy('watch-folder');
    await of.drive.traffic.until(() =>
      of.drive.requests.all.some(({ path: where }) => where.endsWith('/changes')),
    );
    await press('watch-folder', 1);
    const { payload } = await shown('watch-folder', 'created');
    should(payload).have.property('name', 'hello.txt');
  });

  it('backup-step-by-step uploads an archive, verifies it, and prunes by days, weeks and months', async () => {
    const machine = await of.drive.files.addFolder('pi', await of.drive.files.addFolder('Backups'));
    await addArchives(machine, 60);
    await of.drive.files.add({ name: 'notes.txt', parent: machine, content: 'mine' });
    await deploy('backup-step-by-step');
    await press('backup-step-by-step');
    const { payload } = await shown('backup-step-by-step', 'backup done');
    // The new one; six nights to 1 March, whose week and month are theirs too; two more weeks, and January.
    should(payload).containEql({ ok: true, number: '0061', kept: 10, size: 300_000 });
    const left = of.namesIn(machine);
    left
      .slice(0, 9)
      .map((name) => name.slice(13, 18))
      .should.eql(['01-31', '02-15', '02-22', '02-24', '02-25', '02-26', '02-27', '02-28', '03-01']);
    left[9]!.should.equal('notes.txt');
    left[10]!.should.match(/^archive-\d{4}-\d\d-\d\d_\d{4}-0061\.tar\.gz$/);
  });

  it('backup-step-by-step creates its folders on an empty drive, and numbers its archives', async () => {
    await deploy('backup-step-by-step');
    for (const run of [1, 2]) {
      await press('backup-step-by-step');
      const { payload } = await shown('backup-step-by-step', 'backup done', run);
      should(payload).containEql({ number: `000${run}`, kept: run });
    }
    of.namesIn(of.idAt('Backups', 'pi')).should.have.length(2);
  });
});
