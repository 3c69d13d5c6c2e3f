/** Each example, imported into a real Node-RED and run with the local drive. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { exampleFixture } from '../support/node-red/example-fixture';

describe('examples', () => {
  const fixture = exampleFixture();
  const deploy = (name: string): Promise<void> => fixture.examples.deploy(name, fixture.drive.url);
  const press = (name: string, index?: number): Promise<void> => fixture.examples.pressInject(name, index);
  const debugMessage = (name: string, debug: string, nth?: number): Promise<NodeMessage> =>
    fixture.examples.debugMessage(name, debug, nth);

  /** Adds the archives of several nights from 1 January, named as in the example backup-step-by-step. */
  const addArchives = async (parent: string, nights: number): Promise<void> => {
    const night = new Date(2026, 0, 1, 2, 30);
    for (let number = 1; number <= nights; number++, night.setDate(night.getDate() + 1)) {
      const [month, day] = [night.getMonth() + 1, night.getDate()].map((part) => `${part}`.padStart(2, '0'));
      const name = `archive-2026-${month}-${day}_0230-${`${number}`.padStart(4, '0')}.tar.gz`;
      await fixture.drive.files.add({ name, parent, content: `night ${number}` });
    }
  };

  it('about shows the free space', async () => {
    await deploy('about');
    await press('about');
    const { payload } = await debugMessage('about', 'storage');
    should(payload).have.properties(['name', 'usedGB', 'freeGB', 'usedPercent']);
  });

  it('list-folders lists folders as an array and one by one', async () => {
    await fixture.drive.files.addFolder('Photos');
    await deploy('list-folders');
    await press('list-folders');
    const { payload } = await debugMessage('list-folders', 'array');
    (payload as { name: string }[]).map(({ name }) => name).should.eql(['Photos']);
    await press('list-folders', 1);
    should((await debugMessage('list-folders', 'one message per folder')).payload).have.property(
      'name',
      'Photos',
    );
  });

  it('search-and-download saves the newest match', async () => {
    await fixture.drive.files.add({
      name: 'report-1.txt',
      content: 'old',
      modifiedTime: Date.UTC(2026, 0, 1),
    });
    await fixture.drive.files.add({
      name: 'report-2.txt',
      content: 'new',
      modifiedTime: Date.UTC(2026, 1, 1),
    });
    await deploy('search-and-download');
    await press('search-and-download');
    const saved = String((await debugMessage('search-and-download', 'saved as')).payload);
    saved.should.equal(path.join(fixture.folder, 'report-2.txt'));
    (await readFile(saved, 'utf8')).should.equal('new');
  });

  it('search-and-download reports that nothing was found', async () => {
    await deploy('search-and-download');
    await press('search-and-download');
    const { error } = await debugMessage('search-and-download', 'error');
    should(error)
      .have.property('message')
      .match(/No file was found/);
  });

  it('upload uploads an object and a file', async () => {
    await deploy('upload');
    await press('upload');
    should((await debugMessage('upload', 'uploaded')).payload).have.property('name', 'reading.json');
    await press('upload', 1);
    await debugMessage('upload', 'progress');
    const names = fixture.drive.files.names('root');
    names.should.eql(['reading.json', 'backup.tar.gz']);
  });

  it('delete-with-error-handling routes a missing file by its error code', async () => {
    await deploy('delete-with-error-handling');
    await press('delete-with-error-handling');
    const { error } = await debugMessage('delete-with-error-handling', 'not found');
    should(error).have.propertyByPath('cause', 'code').equal('not_found');
  });

  it('archive-old-files moves files by the month of their modification', async () => {
    const inbox = await fixture.drive.files.addFolder('Inbox');
    const add = (name: string, modifiedTime: number) =>
      fixture.drive.files.add({ name, parent: inbox, content: name, modifiedTime });
    await add('old.jpg', Date.UTC(2026, 1, 3));
    await add('new.jpg', Date.now());
    await deploy('archive-old-files');
    await press('archive-old-files');
    should((await debugMessage('archive-old-files', 'moved')).payload).have.property('name', 'old.jpg');
    fixture.namesIn(inbox).should.eql(['new.jpg']);
    fixture.namesIn(fixture.idAt('Archive', '2026', '02')).should.eql(['old.jpg']);
  });

  it('prune-backups lists the archives to remove in a dry run, and then removes them', async () => {
    const machine = await fixture.drive.files.addFolder('pi', await fixture.drive.files.addFolder('Backups'));
    await addArchives(machine, 60);
    await fixture.drive.files.add({ name: 'archive-of-old.tar.gz', parent: machine, content: 'no date' });
    await deploy('prune-backups');
    await press('prune-backups');
    const tried = (await debugMessage('prune-backups', 'what would be removed')).payload as Record<
      string,
      unknown[]
    >;
    fixture.namesIn(machine).length.should.equal(61);
    tried['kept']!.should.have.length(12);
    tried['removed']!.should.have.length(49);
    await press('prune-backups', 1);
    const { removed } = (await debugMessage('prune-backups', 'removed')).payload as Record<string, unknown[]>;
    removed!.should.eql(tried['removed']);
    // Seven nights to 1 March; three more weeks, and January; and what has no date.
    fixture
      .namesIn(machine)
      .map((name) => name.slice(13, 18))
      .join(' ')
      .should.equal('01-31 02-08 02-15 02-22 02-23 02-24 02-25 02-26 02-27 02-28 03-01 d.tar');
  });

  it('watch-folder emits a message for a new file', async () => {
    await fixture.drive.files.addFolder('Inbox');
    await deploy('watch-folder');
    await fixture.drive.traffic.until(() =>
      fixture.drive.requests.all.some(({ path: where }) => where.endsWith('/changes')),
    );
    await press('watch-folder', 1);
    const { payload } = await debugMessage('watch-folder', 'created');
    should(payload).have.property('name', 'hello.txt');
  });

  it('backup-step-by-step uploads an archive, verifies it, and prunes by days, weeks and months', async () => {
    const machine = await fixture.drive.files.addFolder('pi', await fixture.drive.files.addFolder('Backups'));
    await addArchives(machine, 60);
    await fixture.drive.files.add({ name: 'notes.txt', parent: machine, content: 'mine' });
    await deploy('backup-step-by-step');
    await press('backup-step-by-step');
    const { payload } = await debugMessage('backup-step-by-step', 'backup done');
    // The new one; six nights to 1 March, whose week and month are theirs too; two more weeks, and January.
    should(payload).containEql({ ok: true, number: '0061', kept: 10, size: 300_000 });
    const left = fixture.namesIn(machine);
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
      const { payload } = await debugMessage('backup-step-by-step', 'backup done', run);
      should(payload).containEql({ number: `000${run}`, kept: run });
    }
    fixture.namesIn(fixture.idAt('Backups', 'pi')).should.have.length(2);
  });
});
