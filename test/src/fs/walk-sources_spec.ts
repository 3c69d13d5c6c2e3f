/** Why entries are left out of an archive, and which sources have vanished. */
import fs from 'node:fs';
import fsPromises, { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import should from 'should';
import { openEntry } from '../../../src/backup/entries/source-entry';
import { fromThreadError, toThreadError } from '../../../src/core/threads/thread-error';
import {
  type WalkedEntry,
  findLostSource,
  skipReason,
  sourceDevices,
  walkSources,
} from '../../../src/fs/walk-sources';
import { DriveError } from '../../../src/index';
import { useDisk } from '../../support/disk';

describe('sources of an archive', () => {
  const disk = useDisk();
  const isExcluded = (): boolean => false;

  it('a source on another file system than before is lost, and so is an empty or missing one', async () => {
    const sources = [disk('a'), disk('b')];
    for (const source of sources) {
      await mkdir(source);
      await writeFile(`${source}/file`, '');
    }
    const devices = await sourceDevices(sources);
    should(await findLostSource({ sources, isExcluded }, devices)).be.undefined();
    should(await findLostSource({ sources, isExcluded }, [devices[0], -1])).equal(sources[1]);
    await rm(disk('b', 'file'));
    should(await findLostSource({ sources, isExcluded }, devices)).equal(sources[1]);
    await rm(disk('a'), { recursive: true });
    should(await findLostSource({ sources, isExcluded }, devices)).equal(sources[0]);
  });

  it('the folder in which a download looks at the disk for a moment isn’t backed up, unless it has content', async () => {
    const probes = ['.sync-probe-Ab12Cd', '.sync-probe-Ab12Ce'].map((name) => disk('home', name));
    for (const probe of probes) {
      await mkdir(probe, { recursive: true });
      await writeFile(`${probe}/case`, probe === probes[0] ? '' : 'content');
    }
    const paths: string[] = [];
    for await (const { path } of walkSources({ sources: [disk('home')], isExcluded })) paths.push(path);
    paths.should.eql(['home', 'home/.sync-probe-Ab12Ce', 'home/.sync-probe-Ab12Ce/case']);
  });

  it('folders come in the order of their names, whatever the disk returns', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `home/${(index * 7) % 30}`);
    for (const name of names) await mkdir(disk(name), { recursive: true });
    const paths: string[] = [];
    for await (const { path } of walkSources({ sources: [disk('home')], isExcluded })) paths.push(path);
    paths.should.eql(['home', ...names.sort()]);
  });

  it('what is outside isn’t read when a folder of the source is replaced by a link during the walk', async () => {
    const write = async (top: string, text: string): Promise<void> => {
      await mkdir(disk(top, 'b'), { recursive: true });
      for (const name of ['file', 'b/file', `b/${text}`]) await writeFile(disk(top, name), text);
    };
    await mkdir(disk('home'));
    await write('home/a', 'inside');
    await write('outside', 'outside');
    const swap = async (): Promise<void> => {
      await rename(disk('home', 'a'), disk('moved'));
      await symlink(disk('outside'), disk('home', 'a'));
    };
    for (const swapAt of ['home', 'home/a', 'home/a/file', 'home/a/b']) {
      for await (const entry of walkSources({ sources: [disk('home')], isExcluded })) {
        entry.path.should.not.containEql('outside');
        if (entry.path === swapAt && !('skipped' in entry)) await swap();
        const opened = openEntry(entry);
        if (!('content' in opened) || !opened.content) continue;
        const buffer = Buffer.alloc(7);
        buffer.toString('utf8', 0, opened.content.fill(buffer)).should.equal('inside');
        opened.content.close();
      }
      await rm(disk('home', 'a'));
      await rename(disk('moved'), disk('home', 'a'));
    }
  });

  it('an entry that is missing or has another type when it is opened is left out', async () => {
    await writeFile(disk('file'), '');
    await mkdir(disk('folder'));
    const open = (type: 'file' | 'directory' | 'symlink', name: string) =>
      openEntry({ path: `home/${name}`, type, localPath: disk(name) });
    for (const [type, name] of [
      ['directory', 'file'],
      ['symlink', 'folder'],
      ['file', 'folder'],
      ['directory', 'missing'],
      ['file', 'missing'],
    ] as const) {
      open(type, name).should.eql({ path: `home/${name}`, skipped: 'vanished' });
    }
    const skipped = { path: 'home/socket', skipped: 'socket' };
    openEntry(skipped).should.eql(skipped);
  });

  it('an entry that can’t be read is left out because it has vanished, or with the code of its error', () => {
    const error = (code?: string): Error => Object.assign(new Error(), { code });
    skipReason(error('ENOENT'), 'home/a').should.equal('vanished');
    skipReason(error('EACCES'), 'home/a').should.equal('EACCES');
    const other = new DriveError('cancelled');
    (() => skipReason(other, 'home/a')).should.throw(other);
  });

  it('what a worker thread throws keeps its class, its code and its message', () => {
    const drive = new DriveError('conflict', { text: 'conflict_local_file', params: { path: 'a' } });
    const sent = fromThreadError(toThreadError(drive));
    sent.should.be.instanceof(DriveError).and.match({ code: 'conflict', text: 'conflict_local_file' });
    fromThreadError(toThreadError(Object.assign(new Error('a'), { code: 'EIO' }))).should.match({
      message: 'a',
      code: 'EIO',
    });
    fromThreadError(toThreadError('no error')).message.should.equal('no error');
  });

  describe('on a disk that reports a file as missing although it is there', () => {
    const missing = (): never => {
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    };
    const real = { opendir: fsPromises.opendir, openSync: fs.openSync };
    afterEach(() => {
      fsPromises.opendir = real.opendir;
      fs.openSync = real.openSync;
    });

    it('a folder and a file count as failures, and only what has really vanished doesn’t', async () => {
      await mkdir(disk('home', 'a'), { recursive: true });
      await writeFile(disk('home', 'file'), 'x');
      const entries: WalkedEntry[] = [];
      for await (const entry of walkSources({ sources: [disk('home')], isExcluded })) {
        entries.push(entry);
        if (entry.path === 'home/a') fsPromises.opendir = missing;
      }
      entries.at(-1)!.should.eql({ path: 'home/a', skipped: 'ENOENT' });
      const file = { path: 'home/file', type: 'file', localPath: disk('home', 'file') } as const;
      fs.openSync = missing;
      openEntry(file).should.eql({ path: 'home/file', skipped: 'ENOENT' });
      await rm(disk('home', 'file'));
      openEntry(file).should.eql({ path: 'home/file', skipped: 'vanished' });
    });
  });
});
