/** The examples of backing up and restoring, imported into a real Node-RED and run with the local drive. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { generateAgeKeys } from '../../src/backup/archive/age';
import { needsProgram } from '../support/archive/programs';
import { contentsOf, writeTree } from '../support/archive/tree';
import { ACCESS_TOKEN } from '../support/node-red/account';
import { exampleFixture } from '../support/node-red/example-fixture';

describe('examples of backups', () => {
  const fixture = exampleFixture();

  /** Deploys an example with other paths, and presses its button. @returns the message that it shows */
  const run = async (
    name: string,
    paths: Readonly<Record<string, string>>,
    shown = 'backup done',
  ): Promise<NodeMessage> => {
    await fixture.examples.deploy(name, fixture.drive.url, paths);
    await fixture.examples.pressInject(name);
    return fixture.examples.debugMessage(name, shown);
  };
  /** Writes a folder on disk. @returns its path */
  const source = async (name: string, contents: Readonly<Record<string, string>>): Promise<string> => {
    const folder = path.join(fixture.folder, name);
    await mkdir(folder);
    await writeTree(folder, contents);
    return folder;
  };
  const archivePath = (...folders: string[]): string[] => fixture.namesIn(fixture.idAt(...folders));
  /** @returns names in an archive that isn't encrypted */
  const list = async (id: string): Promise<string[]> => {
    const input = await fixture.drive.files.contentOf(id);
    const flags = input[0] === 0x1f ? '-tz' : '-t';
    return execFileSync('tar', [flags], { input }).toString().trim().split('\n').sort();
  };

  it('nightly-backup uploads a numbered archive of a folder, and keeps it', async () => {
    const documents = await source('documents', { 'a.txt': 'a', 'letters/b.txt': 'b' });
    const sent = await run('nightly-backup', { '/home/pi/documents': documents });
    const { id, name } = sent.payload as { id: string; name: string };
    name.should.match(/^documents-\d{4}-\d\d-\d\d-0001\.tar\.gz$/);
    archivePath('Backups', 'pi').should.eql([name]);
    (await list(id)).should.eql([
      'documents/',
      'documents/a.txt',
      'documents/letters/',
      'documents/letters/b.txt',
    ]);
    should(sent).have.propertyByPath('pruned', 'kept').with.length(1);
  });

  it('nightly-backup checks that the archive is recent, readable and the same as the folder, and restores one file', async () => {
    const contents = { 'notes.txt': 'mine', 'letters/b.txt': 'b' };
    const documents = await source('documents', contents);
    const name = 'nightly-backup';
    const { payload } = await run(name, { '/home/pi/documents': documents });
    const { name: archive } = payload as { name: string };
    await fixture.examples.pressInject(name, 1);
    should(await fixture.examples.debugMessage(name, 'age in hours')).match({
      payload: { ok: true, age: 0 },
    });
    await writeTree(documents, { 'notes.txt': 'newer', 'new.txt': '' });
    await fixture.examples.pressInject(name, 2);
    const compared = await fixture.examples.debugMessage(name, 'differences');
    should(compared).have.property('differences', {
      ...{ missing: [], extra: ['documents/new.txt'], different: ['documents/notes.txt'] },
    });
    await fixture.examples.pressInject(name, 3);
    const restored = await fixture.examples.debugMessage(name, 'restored');
    should(restored).have.property('restored').containEql({ number: 1, entries: 1 });
    (await contentsOf(path.join(fixture.folder, 'restored'))).should.eql({
      'documents/': '',
      'documents/notes.txt': 'mine',
    });
    archivePath('Backups', 'pi').should.eql([archive]);
  });

  it('nightly-backup reports that there is no recent archive, and starts no backup because of that', async () => {
    const documents = await source('documents', { 'a.txt': 'a' });
    const name = 'nightly-backup';
    const { payload } = await run(name, { '/home/pi/documents': documents });
    const { id } = payload as { id: string };
    await fixture.drive.files.add({
      ...{ parent: fixture.idAt('Backups', 'pi'), name: 'documents-2026-01-01-0000.tar.gz', content: 'x' },
      modifiedTime: Date.UTC(2026, 0, 1),
    });
    const uploads = () =>
      fixture.drive.requests.all.filter((request) => request.path.includes('/upload/')).length;
    const before = uploads();
    const trashed = await fetch(`${fixture.drive.url}/drive/v3/files/${id}`, {
      ...{ method: 'PATCH', body: '{"trashed":true}' },
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' },
    });
    should(trashed.status).equal(200);
    await fixture.examples.pressInject(name, 1);
    const { error } = (await fixture.examples.debugMessage(name, 'error')) as unknown as {
      error: { message: string; cause: { code: string } };
    };
    should(error.cause.code).equal('outdated');
    should(error.message).containEql('documents-2026-01-01-0000.tar.gz');
    should(uploads()).equal(before);
  });

  it('restore-drill restores the newest archive of nightly-backup, and reports its age', async () => {
    const documents = await source('documents', { 'a.txt': 'a', 'letters/b.txt': 'b' });
    const { payload } = await run('nightly-backup', { '/home/pi/documents': documents });
    const target = path.join(fixture.folder, 'restored');
    const report = await run('restore-drill', { '/home/pi/restored-drill': target }, 'restored');
    const { name } = payload as { name: string };
    should(report.payload).startWith(
      `${name} is 0 hours old. 4 files and folders (2 bytes) were restored to ${target}`,
    );
    (await contentsOf(path.join(target, 'documents'))).should.eql(await contentsOf(documents));
  });

  it('backup-node-red and restore-node-red bring back the user directory without node_modules', async () => {
    const own = {
      'flows.json': '[]',
      'flows_cred.json': '{"$":"secret"}',
      'settings.js': 'module.exports = {};',
      'package.json': '{}',
      '.config.runtime.json': '{"_credentialSecret":"key"}',
      'context/global/global.json': '{}',
    };
    const userDir = await source('.node-red', {
      ...own,
      'node_modules/x/index.js': 'x',
      '.flows.json.backup': 'x',
    });
    await run('backup-node-red', { '/home/pi/.node-red': userDir });
    const target = path.join(fixture.folder, 'new', 'restored');
    const sent = await run('restore-node-red', { '/home/pi/restored-node-red': target }, 'restored');
    should(sent.payload).equal(target);
    (await contentsOf(path.join(target, '.node-red'))).should.eql({
      ...own,
      'context/': '',
      'context/global/': '',
    });
  });

  it('backup-home-assistant uploads the folder of backups', async () => {
    const backups = await source('backup', { '1a2b3c4d.tar': 'a backup' });
    const { payload } = await run('backup-home-assistant', { '/share/backup': backups });
    const { id, name } = payload as { id: string; name: string };
    name.should.match(/^home-assistant-\d{4}-\d\d-\d\d-0001\.tar$/);
    (await list(id)).should.eql(['backup/', 'backup/1a2b3c4d.tar']);
  });

  it('backup-database dumps a database and uploads the dump, but no incomplete one', async function () {
    needsProgram(this, 'sqlite3');
    const database = path.join(fixture.folder, 'home.db');
    const dump = path.join(fixture.folder, 'dump');
    execFileSync('sqlite3', [database, "create table t (x); insert into t values ('value');"]);
    const paths = { '/home/pi/home.db': database, '/home/pi/dump': dump };
    const { payload } = await run('backup-database', paths);
    (await list((payload as { id: string }).id)).should.eql(['dump/', 'dump/home.db']);
    execFileSync('sqlite3', [path.join(dump, 'home.db'), 'select x from t'])
      .toString()
      .should.equal('value\n');

    await fixture.examples.deploy('backup-database', fixture.drive.url, {
      ...paths,
      sqlite3: 'no-such-program',
    });
    await fixture.examples.pressInject('backup-database');
    const { error } = await fixture.examples.debugMessage('backup-database', 'error');
    should(error)
      .have.property('message')
      .match(/The dump failed/);
    archivePath('Backups', 'Databases').should.have.length(1);
  });

  it('backup-database stops with an error if the database is missing or empty, and creates none', async function () {
    needsProgram(this, 'sqlite3');
    const database = path.join(fixture.folder, 'home.db');
    const paths = { '/home/pi/home.db': database, '/home/pi/dump': path.join(fixture.folder, 'dump') };
    const missing = await run('backup-database', paths, 'error');
    should(missing.error)
      .have.property('message')
      .match(/The dump failed/);
    (await readdir(fixture.folder)).should.not.containEql('home.db');

    await writeFile(database, '');
    const empty = await run('backup-database', paths, 'error');
    should(empty.error)
      .have.property('message')
      .match(/The dump failed/);
    fixture.namesIn('root').should.be.empty();
  });

  it('backup-photos-encrypted uploads an archive that only the private key opens', async () => {
    const { identity, recipient } = await generateAgeKeys();
    const photos = await source('photos', { '2026/a.jpg': 'not really a photo' });
    const key = { '"recipients": ""': `"recipients": "${recipient}"` };
    const { payload } = await run('backup-photos-encrypted', { '/home/pi/photos': photos, ...key });
    const { id, name } = payload as { id: string; name: string };
    name.should.endWith('.tar.age');
    const stored = (await fixture.drive.files.contentOf(id)).toString('latin1');
    stored.should.startWith('age-encryption.org/v1').and.not.containEql('not really');
    should(identity).startWith('AGE-SECRET-KEY-1');
    (await readFile(path.join(photos, '2026/a.jpg'), 'utf8')).should.equal('not really a photo');
  });

  it('snapshot-nightly stores a folder as a snapshot, and snapshot-restore brings a file of it back', async () => {
    const passphrase = 'correct horse';
    const credentials = (name: string) => ({
      [`"name": "${name}"`]: `"name": "", "credentials": {"passphrase": "${passphrase}"}`,
    });
    const documents = await source('documents', { 'notes.txt': 'notes', 'letters/a.txt': 'a' });
    const nightly = 'snapshot-nightly';
    const names = ['backup', 'recent enough?', 'readable and the same?'];
    const own = Object.assign({ '/home/pi/documents': documents }, ...names.map(credentials)) as Record<
      string,
      string
    >;
    const { payload } = await run(nightly, own);
    should(payload).containEql({ parent: null, paths: [documents] });
    await fixture.examples.pressInject(nightly, 1);
    const { payload: recent } = await fixture.examples.debugMessage(nightly, 'age in hours');
    should(recent).match({ ok: true, age: 0 });
    await writeTree(documents, { 'notes.txt': 'newer' });
    await fixture.examples.pressInject(nightly, 2);
    const compared = await fixture.examples.debugMessage(nightly, 'differences');
    const none = { missing: [], extra: [] };
    should(compared).have.property('differences', { ...none, different: ['documents/notes.txt'] });
    const target = path.join(fixture.folder, 'restored');
    const paths = { '/home/pi/restored-snapshot': target, ...credentials('restore a file') };
    should((await run('snapshot-restore', paths, 'restored')).payload).equal(target);
    (await contentsOf(target)).should.eql({ 'documents/': '', 'documents/notes.txt': 'notes' });
  });

  it('snapshot-nightly asks for a passphrase before anything is uploaded', async () => {
    const documents = await source('documents', { 'notes.txt': 'notes' });
    const { error } = await run('snapshot-nightly', { '/home/pi/documents': documents }, 'error');
    should(error).have.propertyByPath('cause', 'code').equal('invalid_input');
    fixture.namesIn('root').should.be.empty();
  });

  it('backup-photos-encrypted asks for a key pair before anything is uploaded', async () => {
    const photos = await source('photos', { 'a.jpg': 'x' });
    const { error } = await run('backup-photos-encrypted', { '/home/pi/photos': photos }, 'error');
    should(error).have.propertyByPath('cause', 'code').equal('invalid_input');
    fixture.namesIn('root').should.be.empty();
  });
});
