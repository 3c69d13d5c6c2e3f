/** Archives as GNU tar, gzip and age read them. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import {
  appendFile,
  chmod,
  link,
  lutimes,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  stat,
} from 'node:fs/promises';
import { rm, symlink, truncate, unlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Context } from 'mocha';
import should from 'should';
import { type AgeRecipients, generateAgeKeys } from '../../../../src/backup/archive/age';
import { type Compression, archiveContent } from '../../../../src/backup/archive/archive-content';
import { type WalkedEntry, walkSources } from '../../../../src/fs/walk-sources';
import { type ArchiveSummary, newSummary, writeTar } from '../../../../src/backup/archive/write-tar';
import { type Program, needsProgram } from '../../../support/archive/programs';
import { contentsOf, describeTree, writeTree } from '../../../support/archive/tree';
import { rejected } from '../../../support/client/rejected';
import { bytes } from '../../../support/content';

interface Options {
  compression?: Compression;
  encryption?: AgeRecipients;
  exclude?: string[];
  /** Called with each chunk, while the archive is read. */
  onChunk?: (chunk: Buffer) => unknown;
}

describe('content of an archive', () => {
  let folder: string;
  let source: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'archive-'));
    source = path.join(folder, 'home');
    await mkdir(source);
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function archive(
    sources: string[],
    { compression = 'none', encryption, exclude = [], onChunk }: Options = {},
  ): Promise<{ file: Buffer; summary: ArchiveSummary }> {
    const summary = newSummary();
    const chunks: Buffer[] = [];
    for await (const chunk of archiveContent({ sources, exclude, compression, encryption }, summary)) {
      chunks.push(Buffer.from(chunk));
      await onChunk?.(chunk);
    }
    return { file: Buffer.concat(chunks), summary };
  }

  /** Archives the source as a user who isn't root, because root may read everything. */
  function archiveInChild(test: Context): ArchiveSummary {
    const child = require.resolve('../../../support/archive/archive-child');
    const user = process.geteuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    if (spawnSync('cat', [child], user).status !== 0) {
      test.skip('another user can’t read the repository');
    }
    const env = { ...process.env, NODE_V8_COVERAGE: undefined };
    const options = { ...user, env, encoding: 'utf8' } as const;
    const output = execFileSync(process.execPath, ['--require', 'tsx/cjs', child, source], options);
    return JSON.parse(output) as ArchiveSummary;
  }

  /** Unpacks with GNU tar. @returns the folder */
  async function unpack(file: Buffer, option = ''): Promise<string> {
    const target = await mkdtemp(path.join(folder, 'unpacked-'));
    execFileSync('tar', [`-x${option}p`, '-C', target], { input: file, stdio: ['pipe', 'pipe', 'ignore'] });
    return target;
  }

  const inSource = (...names: string[]): string => path.join(source, ...names);

  async function unusualTree(): Promise<void> {
    const long = 'n'.repeat(200);
    await mkdir(inSource('empty folder'));
    await mkdir(inSource('ü'.repeat(60), long), { recursive: true });
    await writeFile(inSource('ü'.repeat(60), long, '深い 😀\n=1 "quoted" \\ .txt'), 'deep');
    await writeFile(inSource('empty'), '');
    await writeFile(inSource('large'), bytes(700_001));
    await writeFile(inSource('script'), '#!/bin/sh\n', { mode: 0o755 });
    await writeFile(inSource('secret'), 'x');
    await chmod(inSource('secret'), 0o4600);
    await symlink('../outside/ü', inSource('link'));
    await symlink(long.repeat(3), inSource('long link'));
    await link(inSource('large'), inSource('same as large'));
    const times = ['1960-01-01T00:00:00.5Z', '1970-01-01T00:00:00Z', '2024-02-29T12:00:00.123456Z'];
    for (const [index, name] of ['empty', 'script', 'secret'].entries()) {
      await utimes(inSource(name), 0, Date.parse(times[index]!) / 1000 + (index === 2 ? 0.000456 : 0));
    }
    await lutimes(inSource('link'), 0, 1_700_000_000.25);
    await utimes(inSource('large'), 0, 5_000_000_000);
    await utimes(inSource('empty folder'), 0, 1_000_000_000.75);
  }

  it('GNU tar restores names, bytes, times, modes and links, with and without compression', async function () {
    needsProgram(this, 'tar');
    await unusualTree();
    const expected = await describeTree(folder);
    for (const compression of ['none', 'gzip'] as const) {
      const { file, summary } = await archive([source], { compression });
      const restored = await describeTree(await unpack(file, compression === 'gzip' ? 'z' : ''));
      restored.should.eql(expected);
      summary.should.containEql({ entries: 12, changed: [], skipped: [] });
      summary.bytes.should.equal(700_001 + '#!/bin/sh\n'.length + 'deep'.length + 1);
    }
  });

  const readers: [name: string, program: Program, args: string[]][] = [
    ['GNU tar', 'tar', ['-x']],
    ['bsdtar', 'bsdtar', ['-x', '-f', '-']],
    [
      'Python',
      'python3',
      ['-c', 'import sys, tarfile; tarfile.open(mode="r|", fileobj=sys.stdin.buffer).extractall()'],
    ],
  ];
  for (const [name, program, args] of readers) {
    it(`${name} restores names and links that aren’t valid UTF-8, and reports nothing`, async function () {
      if (process.platform !== 'linux') this.skip('needs Linux');
      needsProgram(this, program);
      const long = `${'n\udcff'.repeat(70)}/${'m\udcfe'.repeat(90)}`;
      await writeTree(source, {
        ...{ 'caf\udce9': 'é', 'caf\udce8': 'è', 'ü\udce9/in': 'in a folder', [long]: 'long' },
        ...{ link: '-> \udce9', 'long link': `-> ${'\udce9'.repeat(200)}`, 'both \udce9': `-> ${long}` },
      });
      await link(Buffer.from(inSource('caf\xe9'), 'latin1'), Buffer.from(inSource('same as \xe9'), 'latin1'));
      const expected = await contentsOf(folder);
      const { file, summary } = await archive([source]);
      summary.should.containEql({ entries: Object.keys(expected).length, changed: [], skipped: [] });
      const target = await mkdtemp(path.join(folder, 'unpacked-'));
      const env = { ...process.env, LC_ALL: 'C.UTF-8' };
      const { status, stderr } = spawnSync(program, args, {
        cwd: target,
        input: file,
        encoding: 'utf8',
        env,
      });
      [status, stderr].should.eql([0, '']);
      (await contentsOf(target)).should.eql(expected);
      (await stat(Buffer.from(path.join(target, 'home/same as \xe9'), 'latin1'))).nlink.should.equal(2);
    });
  }

  it('the age program and GNU tar open an encrypted archive', async function () {
    needsProgram(this, 'age');
    needsProgram(this, 'tar');
    await unusualTree();
    const expected = await describeTree(folder);
    const { identity, recipient } = await generateAgeKeys();
    const { file } = await archive([source], {
      compression: 'gzip',
      encryption: { recipients: [recipient] },
    });
    const key = path.join(folder, 'key');
    await writeFile(key, identity);
    const decrypted = execFileSync('age', ['-d', '-i', key], { input: file, maxBuffer: 10_000_000 });
    (await describeTree(await unpack(decrypted, 'z'))).should.eql(expected);
  });

  it('gzip accepts members of several blocks, some compressed and some stored', async function () {
    needsProgram(this, 'gzip');
    await writeFile(inSource('random'), bytes(1_500_000));
    await writeFile(inSource('text'), 'compressible '.repeat(100_000));
    const { file } = await archive([source], { compression: 'gzip' });
    execFileSync('gzip', ['-t'], { input: file });
    file.length.should.be.within(1_500_000, 1_700_000);
    (await readFile(path.join(await unpack(file, 'z'), 'home/random')))
      .equals(bytes(1_500_000))
      .should.be.true();
  });

  it('several sources start with their base names', async () => {
    await writeFile(inSource('a'), '1');
    const other = path.join(folder, 'notes.txt');
    await writeFile(other, '2');
    const { file, summary } = await archive([source, other]);
    Object.keys(await describeTree(await unpack(file))).should.eql(['home', 'home/a', 'notes.txt']);
    summary.entries.should.equal(3);
  });

  it('excluded folders are not read, and neither are excluded files', async () => {
    await mkdir(inSource('node_modules/deep'), { recursive: true });
    await writeFile(inSource('kept'), '');
    await writeFile(inSource('left.log'), '');
    const { file } = await archive([source], { exclude: ['node_modules', '*.log'] });
    Object.keys(await describeTree(await unpack(file))).should.eql(['home', 'home/kept']);
  });

  it('special files are skipped with a reason', async function () {
    if (process.platform === 'win32') this.skip('not on Windows');
    execFileSync('mkfifo', [inSource('fifo')]);
    await writeFile(inSource('file'), '');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(inSource('socket'), resolve));
    const { summary } = await archive([source]);
    await new Promise((resolve) => server.close(resolve));
    summary.entries.should.equal(2);
    summary.skipped
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .should.eql([
        { path: 'home/fifo', reason: 'fifo' },
        { path: 'home/socket', reason: 'socket' },
      ]);
  });

  const LARGE = 5_000_000;
  for (const [title, change] of Object.entries({
    grows: () => appendFile(inSource('file'), 'more'),
    'is truncated': () => truncate(inSource('file'), 1_000_000),
    'is overwritten': () => utimes(inSource('file'), 0, 1),
  })) {
    it(`the archive stays readable if a file ${title} while it is read, and lists the file`, async () => {
      await writeFile(inSource('file'), bytes(LARGE));
      let isFirst = true;
      const onChunk = async (): Promise<void> => {
        if (isFirst) await change();
        isFirst = false;
      };
      const { file, summary } = await archive([source], { onChunk });
      summary.changed.should.eql(['home/file']);
      const restored = await readFile(path.join(await unpack(file), 'home/file'));
      restored.length.should.equal(LARGE);
      restored.subarray(0, 1_000_000).equals(bytes(LARGE).subarray(0, 1_000_000)).should.be.true();
    });
  }

  it('files that vanish while the archive is read are skipped', async () => {
    for (let index = 0; index < 100; index++) await writeFile(inSource(`f${index}`), bytes(200_000));
    let isFirst = true;
    const onChunk = async (): Promise<void> => {
      if (isFirst) for (const name of await readdir(source)) await unlink(inSource(name));
      isFirst = false;
    };
    const { file, summary } = await archive([source], { onChunk });
    summary.skipped.length.should.be.above(50);
    summary.skipped.every(({ reason }) => reason === 'vanished').should.be.true();
    (summary.entries + summary.skipped.length).should.equal(101);
    await unpack(file);
  });

  it('files and folders that can’t be read are skipped with the code of the error', async function () {
    if (process.platform === 'win32') this.skip('not on Windows');
    await writeFile(inSource('readable'), '');
    await writeFile(inSource('unreadable'), '', { mode: 0 });
    await mkdir(inSource('closed'), { mode: 0 });
    await chmod(folder, 0o755);
    const summary = archiveInChild(this);
    summary.entries.should.equal(3);
    summary.skipped.should.eql([
      { path: 'home/unreadable', reason: 'EACCES' },
      { path: 'home/closed', reason: 'EACCES' },
    ]);
  });

  /** Writes the archive in this thread, where a test can make the system fail. */
  async function archiveHere(): Promise<{ file: Buffer; summary: ArchiveSummary }> {
    const summary = newSummary();
    const chunks: Buffer[] = [];
    const memory = Buffer.alloc(100_000);
    const advance = (length: number): unknown => chunks.push(Buffer.from(memory.subarray(0, length)));
    const walked = walkSources({ sources: [source], isExcluded: () => false });
    await writeTar(walked, { room: () => memory, advance }, summary);
    return { file: Buffer.concat(chunks), summary };
  }

  let restore = (): void => undefined;
  afterEach(() => restore());

  /** Makes one call of a function of `node:fs` fail: the first one for which the condition is true. */
  function failOnce(
    name: 'readSync' | 'fstatSync' | 'lstatSync' | 'readlinkSync',
    code: string,
    condition: (...args: unknown[]) => boolean,
  ): void {
    const original = fs[name] as (...args: unknown[]) => unknown;
    restore = () => void Object.assign(fs, { [name]: original });
    const replacement = (...args: unknown[]): unknown => {
      if (!condition(...args)) return original(...args);
      restore();
      throw Object.assign(new Error(code), { code });
    };
    Object.assign(fs, { [name]: replacement });
  }

  for (const code of ['EIO', 'ETIMEDOUT', 'EHOSTDOWN', 'EACCES', 'EUCLEAN', 'EBADMSG', 'ESTALE']) {
    it(`a file whose reading fails with ${code} is skipped, and never unpacked with zeros`, async () => {
      for (const name of ['a', 'b']) await writeFile(inSource(name), bytes(300_000));
      for (const [position, contents] of [
        [0, [300_000]],
        [100_000, [0, 300_000]],
      ] as const) {
        failOnce('readSync', code, (...args) => Number(args[4]) >= position);
        const { file, summary } = await archiveHere();
        summary.should.containEql({ entries: 2, changed: [] });
        const [{ path: failed, reason } = { path: '', reason: '' }] = summary.skipped.splice(0);
        reason.should.equal(code);
        const target = await unpack(file);
        const sizes = await Promise.all(
          (await readdir(path.join(target, 'home'))).map(async (name) => {
            const content = await readFile(path.join(target, 'home', name));
            if (failed !== `home/${name}`) content.equals(bytes(300_000)).should.be.true();
            return content.length;
          }),
        );
        sizes.sort((one, other) => one - other).should.eql(contents);
      }
    });
  }

  it('the other names of a file whose reading failed are read again', async () => {
    await writeFile(inSource('a'), bytes(300_000));
    await link(inSource('a'), inSource('b'));
    failOnce('readSync', 'EIO', (...args) => Number(args[4]) >= 100_000);
    const { file, summary } = await archiveHere();
    summary.skipped.should.have.length(1);
    const target = path.join(await unpack(file), 'home');
    const sizes = await Promise.all(
      ['a', 'b'].map(async (name) => (await stat(path.join(target, name))).size),
    );
    sizes.sort((one, other) => one - other).should.eql([0, 300_000]);
  });

  it('a name whose file was changed since its other name was archived gets its own content', async () => {
    await writeFile(inSource('a'), 'old');
    await link(inSource('a'), inSource('b'));
    async function* walked(): AsyncGenerator<WalkedEntry> {
      yield { path: 'home/a', type: 'file', localPath: inSource('a') };
      // In place, which has the same inode for certain.
      await writeFile(inSource('a'), 'new');
      yield { path: 'home/b', type: 'file', localPath: inSource('b') };
    }
    const chunks: Buffer[] = [];
    const memory = Buffer.alloc(1_024);
    const advance = (length: number): unknown => chunks.push(Buffer.from(memory.subarray(0, length)));
    await writeTar(walked(), { room: () => memory, advance }, newSummary());
    const target = await unpack(Buffer.concat(chunks));
    (await contentsOf(path.join(target, 'home'))).should.eql({ a: 'old', b: 'new' });
  });

  it('entries whose attributes or targets can’t be read are skipped with the code of the error', async () => {
    await writeFile(inSource('file'), 'content');
    await symlink('file', inSource('link'));
    let stats = 0;
    for (const [name, entry, condition] of [
      ['fstatSync', 'home/file', () => (stats += 1) === 2],
      ['lstatSync', 'home/link', (file: unknown) => String(file).endsWith('link')],
      ['readlinkSync', 'home/link', () => true],
    ] as const) {
      failOnce(name, 'EREMOTEIO', condition);
      const { summary } = await archiveHere();
      summary.skipped.should.eql([{ path: entry, reason: 'EREMOTEIO' }]);
    }
  });

  it('a file that the system refuses to read is skipped, not archived as zeros', async function () {
    // The kernel has no speed for the loopback interface.
    const interfaces = '/sys/class/net/lo';
    if (!(await readFile(`${interfaces}/speed`).catch((error: unknown) => error instanceof Error)))
      this.skip('this system has no loopback interface');
    const { summary } = await archive([interfaces]);
    summary.skipped.should.containEql({ path: 'lo/speed', reason: 'EINVAL' });
    summary.changed.should.not.containEql('lo/speed');
  });

  it('a file without a size that can’t be read is skipped, and one that has content counts as changed', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const walked = Readable.from([
      { path: 'self/mem', type: 'file', localPath: '/proc/self/mem' },
      { path: 'self/status', type: 'file', localPath: '/proc/self/status' },
    ]) as AsyncIterable<WalkedEntry>;
    const summary = newSummary();
    await writeTar(walked, { room: () => Buffer.alloc(1_024), advance: () => undefined }, summary);
    summary.skipped.should.eql([{ path: 'self/mem', reason: 'EIO' }]);
    summary.should.containEql({ entries: 1, bytes: 0, changed: ['self/status'] });
  });

  it('a file that has become a link, or lost its folder, since it was listed has vanished', async () => {
    await writeTree(source, { a: '-> elsewhere', b: '' });
    const walked = Readable.from([
      { path: 'home/a', type: 'file', localPath: inSource('a') },
      { path: 'home/b/c', type: 'file', localPath: inSource('b', 'c') },
    ]) as AsyncIterable<WalkedEntry>;
    const summary = newSummary();
    await writeTar(walked, { room: () => Buffer.alloc(1_024), advance: () => undefined }, summary);
    summary.skipped.map(({ reason }) => reason).should.eql(['vanished', 'vanished']);
  });

  it('a folder that has become a link since it was listed is skipped', async () => {
    await mkdir(inSource('folder'));
    await writeFile(inSource('folder', 'inside'), '');
    await writeTree(folder, { 'outside/secret': 'secret' });
    const walk = walkSources({ sources: [source], isExcluded: () => false });
    const found: string[] = [];
    for await (const entry of walk) {
      found.push('skipped' in entry ? `${entry.path} ${entry.skipped}` : entry.path);
      if (entry.path !== 'home/folder' || 'skipped' in entry) continue;
      await rm(inSource('folder'), { recursive: true });
      await symlink('../outside', inSource('folder'));
    }
    found.should.eql(['home', 'home/folder', 'home/folder vanished']);
  });

  it('an empty source is invalid input, because a disk may not be mounted', async () => {
    await rejected(archive([source]), 'invalid_input', 'invalid_input_source_empty');
    await writeFile(inSource('file'), '');
    await rejected(archive([source], { exclude: ['*'] }), 'invalid_input', 'invalid_input_source_empty');
    await rejected(archive([inSource('missing')]), 'local_file', 'local_file_no_backup_source');
    await rejected(archive(['/dev/null']), 'local_file', 'local_file_not_regular');
    await rejected(archive(['/']), 'invalid_input', 'invalid_input_source_root');
  });

  it('an archive that is abandoned closes its files', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const open = async (): Promise<number> => {
      const targets = await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      );
      return targets.filter((target) => target.startsWith(source)).length;
    };
    for (let index = 0; index < 20; index++) await writeFile(inSource(`f${index}`), bytes(300_000));
    const options = { sources: [source], exclude: [], compression: 'gzip' as const };
    const content = archiveContent(options, newSummary());
    await content.next();
    should(await open()).be.above(0);
    await content.return(undefined);
    should(await open()).equal(0);
  });
});
