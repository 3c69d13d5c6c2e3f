/** Synchronizing a folder on the drive to disk. */
import 'should';
import fs, {
  type FileHandle,
  chmod,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rejected } from '../../support/client/rejected';
import type { SyncProgress } from '../../../src/index';
import type { RecordedRequest } from '../../local-drive';
import { TOKEN } from '../../support/client/test-client';
import { useFileHandles } from '../../support/file-handles';
import { syncFixture } from '../../support/sync/sync-fixture';
import { TIME, skippedIn } from '../../support/sync/trees';

const DOCUMENT = 'application/vnd.google-apps.document';

type Stat = (this: FileHandle) => Promise<unknown>;

describe('sync down', () => {
  const fixture = syncFixture();
  const wrapMethod = useFileHandles();

  it('sync down creates files and folders with their times', async () => {
    const tree = {
      'a.txt': 'one @1600000000',
      'b/': '',
      'b/c/': '',
      'b/c/d.txt': ' @1600000001',
      'empty/': '',
    };
    await fixture.writeDrive(tree);
    const { summary, error } = await fixture.down();
    (await fixture.readDisk()).should.eql(tree);
    summary.should.containEql({ created: 2, failed: 0, bytes: 3 });
    (error === undefined).should.be.true();
  });

  it('a download needs one request per file, and an unchanged folder only its lists', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`d${index % 3}/${index}.txt`, `${index}`]),
    );
    await fixture.writeDrive(files);
    await fixture.down();
    fixture.requests().should.eql({ 'GET files': 2, 'GET content': 30 });
    await fixture.down();
    fixture.requests().should.eql({ 'GET files': 2 });
  });

  it('a missing folder on disk is created', async () => {
    await rm(fixture.path(), { recursive: true });
    await fixture.writeDrive({ 'a.txt': 'a' });
    await fixture.down();
    (await fixture.readDisk()).should.eql({ 'a.txt': `a @${TIME}` });
  });

  it('changed files are replaced and keep their permissions', async () => {
    await fixture.writeDisk({ 'a.txt': 'old', 'b.txt': 'same' });
    await chmod(fixture.path('a.txt'), 0o600);
    await fixture.writeDrive({ 'a.txt': 'newer', 'b.txt': 'same @1700000500', 'c.txt': 'c' });
    const { summary, changes } = await fixture.down();
    (await fixture.readDisk()).should.eql({
      'a.txt': `newer @${TIME}`,
      'b.txt': 'same @1700000500',
      'c.txt': `c @${TIME}`,
    });
    summary.should.containEql({ created: 1, updated: 2, bytes: 6 });
    changes
      .filter(({ reason }) => reason === 'time')
      .map(({ path }) => path)
      .should.eql(['b.txt']);
    ((await stat(fixture.path('a.txt'))).mode & 0o777).should.equal(0o600);
  });

  it('a small file that replaces a private one is never readable for others', async () => {
    await fixture.writeDisk({ 'a.txt': 'old' });
    await chmod(fixture.path('a.txt'), 0o604);
    await fixture.writeDrive({ 'a.txt': 'newer' });
    const { open } = fs;
    const modes: number[] = [];
    fs.open = (...args: Parameters<typeof open>) => {
      if (path.basename(String(args[0])).startsWith('.a.txt.')) modes.push(statSync(args[0]).mode & 0o777);
      return open(...args);
    };
    try {
      await fixture.down();
    } finally {
      fs.open = open;
    }
    modes.should.eql([0o600]);
    ((await stat(fixture.path('a.txt'))).mode & 0o777).should.equal(0o604);
  });

  it('extra files and empty folders are deleted from disk', async () => {
    await fixture.writeDisk({ 'a.txt': 'a', 'x.txt': 'x', 'd/e/y.txt': 'y', 'keep/z.log': 'z' });
    await fixture.writeDrive({ 'a.txt': 'a' });
    const { summary } = await fixture.down({ extra: 'delete', exclude: ['*.log'] });
    summary.removed.should.equal(2);
    (await fixture.namesOnDisk()).should.eql(['a.txt', 'keep/', 'keep/z.log']);
  });

  it('names that the disk cannot hold are made safe and reported', async () => {
    await fixture.writeDrive({ 'plain.txt': 'x' });
    for (const name of ['a/b', '..', `${'ä'.repeat(200)}.txt`]) {
      await fixture.add(name, { content: name, modifiedTime: TIME * 1_000 });
    }
    const { changes, summary } = await fixture.down();
    summary.created.should.equal(4);
    const renamed = changes.filter(({ reason }) => reason === 'renamed').map(({ path }) => path);
    renamed.sort().should.eql([`${'ä'.repeat(125)}.txt`, '．．', 'a／b'].sort());
    (await readdir(fixture.path())).sort().should.eql([...renamed, 'plain.txt'].sort());
    (await fixture.down()).changes.should.eql([]);
  });

  it('Workspace documents are skipped without a format', async () => {
    const id = await fixture.add('Doc', { mimeType: DOCUMENT });
    await fixture.writeDisk({ Doc: 'own file' });
    const { changes, summary } = await fixture.down({ extra: 'delete' });
    changes.should.eql([{ path: 'Doc', action: 'skipped', id, reason: 'workspace_document' }]);
    summary.removed.should.equal(0);
    (await fixture.up()).changes[0]?.reason?.should.equal('workspace_document');
  });

  it('Workspace documents are exported when their time differs, and keep their permissions on disk', async () => {
    const modifiedTime = TIME * 1_000;
    await fixture.add('Doc', { mimeType: DOCUMENT, modifiedTime });
    const { changes, summary } = await fixture.down({ exportFormat: 'pdf' });
    // The drive doesn't report the size of an export.
    summary.bytes.should.equal((await stat(fixture.path('Doc.pdf'))).size).and.above(0);
    changes.map(({ path, action }) => [path, action]).should.eql([['Doc.pdf', 'created']]);
    Math.floor((await stat(fixture.path('Doc.pdf'))).mtimeMs).should.equal(modifiedTime);
    await chmod(fixture.path('Doc.pdf'), 0o600);
    await utimes(fixture.path('Doc.pdf'), TIME, TIME - 1);
    (await fixture.down({ exportFormat: 'pdf' })).summary.updated.should.equal(1);
    const { mtimeMs, mode } = await stat(fixture.path('Doc.pdf'));
    [Math.floor(mtimeMs), mode & 0o777].should.eql([modifiedTime, 0o600]);
    fixture.requests();
    (await fixture.down({ exportFormat: 'pdf' })).summary.unchanged.should.equal(1);
    fixture.requests().should.eql({ 'GET files': 1, 'GET about': 1 });
    const unknown = fixture.down({ exportFormat: 'zzz' });
    const error = await rejected(unknown, 'invalid_input', 'invalid_input_export_format');
    JSON.stringify(error.params).should.match(/"wanted":"zzz","formats":"csv, html, pdf, /);
    (await readdir(fixture.path())).should.eql(['Doc.pdf']);
  });

  it('a symbolic link in place of a file is skipped', async () => {
    await writeFile(`${fixture.path()}-other`, 'untouched');
    await symlink(`${fixture.path()}-other`, fixture.path('a.txt'));
    await fixture.writeDrive({ 'a.txt': 'new', 'b.txt': 'b' });
    const { changes } = await fixture.down();
    skippedIn(changes).should.eql([['a.txt', 'symlink']]);
    (await fixture.readDisk()).should.eql({ 'a.txt': 'special', 'b.txt': `b @${TIME}` });
  });

  it('a file on disk that changes after it was listed is not overwritten', async () => {
    await fixture.writeDisk({ 'a.txt': 'old' });
    await fixture.writeDrive({ 'a.txt': 'newer', 'b.txt': 'b' });
    const until = async (): Promise<void> => {
      await writeFile(fixture.path('a.txt'), 'edited by the user');
      await writeFile(fixture.path('b.txt'), 'also new');
    };
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /files\/./ } });
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /files\/./ } });
    const { changes, error } = await fixture.down({ extra: 'delete' });
    error?.text.should.equal('partial_failure_sync');
    changes
      .map(({ error: each }) => (each as { text?: string }).text)
      .should.eql(['local_file_sync_changed', 'local_file_sync_changed']);
    Object.values(await fixture.readDisk())
      .map((each) => each.replace(/ @.*/, ''))
      .should.eql(['edited by the user', 'also new']);
  });

  it('a file that the user saves while its new content gets its permissions is not overwritten', async () => {
    await fixture.writeDisk({ 'a.txt': 'old' });
    await fixture.writeDrive({ 'a.txt': 'newer' });
    wrapMethod<Stat>(
      'stat',
      (real) =>
        function () {
          writeFileSync(fixture.path('a.txt'), 'edited by the user');
          return real.call(this);
        },
    );
    const { changes } = await fixture.down();
    changes.map(({ error }) => (error as { text?: string }).text).should.eql(['local_file_sync_changed']);
    (await readFile(fixture.path('a.txt'), 'utf8')).should.equal('edited by the user');
    (await readdir(fixture.path())).should.eql(['a.txt']);
  });

  for (const [title, before, edited] of [
    ['replaced', { 'Doc.pdf': 'old export @1600000000' }, 'edited by the user'],
    ['created', {}, 'new from the user'],
  ] as const) {
    it(`an export that would have ${title} a file keeps what the user has saved meanwhile`, async () => {
      await fixture.writeDisk(before);
      await fixture.add('Doc', { mimeType: DOCUMENT });
      const until = (): Promise<void> => writeFile(fixture.path('Doc.pdf'), edited);
      fixture.drive.faults.add({ kind: 'delay', until, match: { path: /\/export$/ } });
      const { changes } = await fixture.down({ exportFormat: 'pdf' });
      changes
        .map(({ path, error }) => [path, (error as { text?: string }).text])
        .should.eql([['Doc.pdf', 'local_file_sync_changed']]);
      (await readFile(fixture.path('Doc.pdf'), 'utf8')).should.equal(edited);
      (await readdir(fixture.path())).should.eql(['Doc.pdf']);
    });
  }

  it('the time of files that change after they were listed is not set', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await fixture.writeDisk(Object.fromEntries(names.map((name) => [name, 'same'])));
    await fixture.writeDrive(Object.fromEntries(names.map((name) => [name, 'same @1600000000'])));
    const onProgress = ({ done, path }: SyncProgress): void => {
      if (done !== 1) return;
      for (const name of names) if (name !== path) utimesSync(fixture.path(name), TIME, TIME + 1);
    };
    const { changes } = await fixture.down({ onProgress });
    const failed = changes.filter(({ action }) => action === 'failed');
    // One of them is compared at the same time as the first.
    failed.length.should.be.within(4, 5);
    for (const { path, error } of failed) {
      (error as { text?: string }).text?.should.equal('local_file_sync_changed');
      Math.floor((await stat(fixture.path(path))).mtimeMs / 1_000).should.equal(TIME + 1);
    }
  });

  it('a file that vanishes from the drive fails without stopping the others', async () => {
    await fixture.writeDrive({ 'a.txt': 'a', 'b.txt': 'b' });
    fixture.drive.faults.add({ kind: 'error', reason: 'notFound', match: { path: /files\/./ } });
    const { summary, changes } = await fixture.down();
    summary.should.containEql({ created: 1, failed: 1 });
    changes
      .filter(({ error }) => error)
      .map(({ error }) => (error as { code: string }).code)
      .should.eql(['not_found']);
    (await readdir(fixture.path())).length.should.equal(1);
  });

  it('a small file that has grown large since it was listed is downloaded as it is now', async () => {
    const { 'a.txt': id } = await fixture.writeDrive({ 'a.txt': 'small' });
    const content = Buffer.alloc(1_500_000, 'large');
    const until = async (): Promise<void> => {
      const url = `${fixture.drive.url}/upload/drive/v3/files/${id}?uploadType=media`;
      const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'text/plain' };
      (await fetch(url, { method: 'PATCH', headers, body: content })).status.should.equal(200);
    };
    fixture.drive.faults.add({ kind: 'delay', until, match: { query: /alt=media/ } });
    const { error } = await fixture.down();
    (error === undefined).should.be.true();
    (await readFile(fixture.path('a.txt'))).equals(content).should.be.true();
    (await readdir(fixture.path())).should.eql(['a.txt']);
  });

  it('the contents of small files do not mix if others fail or are interrupted, and one waits for a slow disk', async () => {
    const failing = ['fails 1', 'fails 2', 'fails 3'];
    const names = ['slow/x', ...failing, ...Array.from({ length: 40 }, (_, index) => `${index}`)];
    const files = Object.fromEntries(
      names.map((name, index) => [name, name.padEnd(110_000 + 2_000 * index, `${name},`)]),
    );
    const ids = await fixture.writeDrive(files);
    for (const name of failing)
      fixture.drive.faults.add({
        kind: 'corrupt',
        at: 1,
        times: 2,
        match: { path: new RegExp(`${ids[name]}$`) },
      });
    const isFirst = ({ headers }: RecordedRequest): boolean => headers['range'] === undefined;
    const match = { query: /alt=media/, nth: 20, when: isFirst };
    fixture.drive.faults.add({ kind: 'resetResponse', bytes: 50_000, times: 15, match });
    const requested = (): number => {
      const contents = fixture.drive.requests.all.filter(({ query }) => /alt=media/.test(query));
      return new Set(contents.map(({ path }) => path)).size;
    };
    const { open } = fs;
    fs.open = async (...args) => {
      if (args[0] === fixture.path('slow'))
        await fixture.drive.traffic.until(() => requested() === names.length);
      return open(...args);
    };
    const { summary } = await fixture.down().finally(() => (fs.open = open));
    summary.should.containEql({ created: names.length - failing.length, failed: failing.length });
    for (const [name, content] of Object.entries(files))
      if (!failing.includes(name))
        ((await readFile(fixture.path(name), 'utf8')) === content).should.equal(true, name);
  });

  it('content that does not match its checksum never replaces a file', async () => {
    await fixture.writeDisk({ 'a.txt': 'old' });
    await fixture.writeDrive({ 'a.txt': 'newer' });
    fixture.drive.faults.add({ kind: 'corrupt', at: 1, times: 2, match: { query: /alt=media/ } });
    const { changes } = await fixture.down();
    (changes[0]?.error as { code?: string }).code?.should.equal('checksum_mismatch');
    (await fixture.readDisk()).should.eql({ 'a.txt': `old @${TIME}` });
  });

  it('a folder whose path is too long for the disk fails with its content, and the others are downloaded', async () => {
    const deep = Array.from({ length: 18 }, (_, index) => `${index}`.padEnd(250, 'd')).join('/');
    await fixture.writeDrive({ 'a.txt': 'a', [`${deep}/b.txt`]: 'b' });
    const { summary, error } = await fixture.down();
    error?.code.should.equal('partial_failure');
    summary.should.containEql({ created: 1 });
    summary.failed.should.be.above(0);
    (await readdir(fixture.path())).length.should.equal(2);
  });

  it('a folder in the trash is not_found, and nothing on disk changes', async () => {
    await fixture.writeDisk({ 'a.txt': 'a' });
    await fixture.client.trash(fixture.folderId);
    await rejected(fixture.down({ extra: 'delete' }), 'not_found');
    (await readdir(fixture.path())).should.eql(['a.txt']);
  });

  it('the work folder of a restore that was killed stays on disk, and is not uploaded', async () => {
    const work = '.home.restore-0123abcd-12-0a1b2c-89abcdef-0';
    const tree = { [`${work}/old/a.txt`]: 'the only copy', 'inside/b.txt': 'b' };
    await fixture.writeDisk(tree);
    await fixture.writeDrive({ 'c.txt': 'c', [`d/${work}/old/a.txt`]: 'a copy' });
    const { error } = await fixture.down({ extra: 'delete' });
    (error === undefined).should.be.true();
    const files = (listed: Record<string, string>): string[] =>
      Object.keys(listed).filter((path) => !path.endsWith('/'));
    files(await fixture.readDisk())
      .sort()
      .should.eql([`${work}/old/a.txt`, 'c.txt']);
    (await fixture.up()).summary.unchanged.should.equal(1);
    files(await fixture.readDrive())
      .sort()
      .should.eql(['c.txt', `d/${work}/old/a.txt`]);
  });
});
