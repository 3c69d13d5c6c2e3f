/** Downloads to disk: docs/nodes/download.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { lstat, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import should from 'should';
import { bytes } from '../../support/content';
import { downloadFixture } from '../../support/client/download-fixture';
import { rejected } from '../../support/client/rejected';
import type { Seen } from '../../support/http/scripted-service';

const isContent = ({ query }: Seen): boolean => query.get('alt') === 'media';

describe('download to disk', () => {
  const at = downloadFixture();
  const inFolder = (name: string): string => join(at.folder, name);
  const read = (name: string): Promise<string> => readFile(inFolder(name), 'utf8');

  for (const size of [0, 1, 131_071, 131_072, 262_145, 5_000_001]) {
    it(`writes ${size} bytes`, async () => {
      at.content = bytes(size);
      const { path, file } = await at.toDisk(inFolder('out'));
      path.should.equal(inFolder('out'));
      should(file.size).equal(String(size));
      (await readFile(path)).equals(at.content).should.be.true();
      (await at.names()).should.deepEqual(['out']);
    });
  }

  it('makes the folders that lead to the file', async () => {
    const { path } = await at.toDisk(inFolder('a/b/c.txt'));
    path.should.equal(inFolder('a/b/c.txt'));
    (await read('a/b/c.txt')).should.equal('hello');
  });

  it("puts the file's own name into an existing folder, or behind a separator", async () => {
    (await at.toDisk(at.folder)).path.should.equal(inFolder('file.bin'));
    (await at.toDisk(inFolder('new/'))).path.should.equal(inFolder('new/file.bin'));
  });

  it('never leaves the folder, whatever the name', async () => {
    for (const name of ['../../up', '/etc/passwd', '..', 'a/b', 'nul', '\u0000', 'x'.repeat(300)]) {
      at.file = { ...at.file, name };
      const { path } = await at.toDisk(inFolder('in/'));
      path.should.startWith(inFolder('in/'));
      path.slice(inFolder('in/').length).should.not.match(/\//);
    }
    (await at.names()).should.deepEqual(['in']);
    (await readdir(inFolder('in'))).length.should.equal(7);
  });

  it('takes the name from the headers where there is no metadata, else the id', async () => {
    at.restart({ service: { kind: 'custom' } });
    let headers: Record<string, string> = {
      'Content-Disposition': "attachment; filename*=UTF-8''%C3%A9.txt",
    };
    at.fault = (seen) => (isContent(seen) ? { body: 'x', headers } : { status: 405 });
    (await at.toDisk(at.folder)).path.should.equal(inFolder('é.txt'));
    headers = {};
    (await at.toDisk(at.folder)).path.should.equal(inFolder('F'));
    headers = { 'Content-Disposition': 'attachment; filename=other.txt' };
    (await at.toDisk(at.folder, { overwrite: 'error' })).path.should.equal(inFolder('other.txt'));
    at.wire.seen.length = 0;
    await rejected(at.toDisk(inFolder('F'), { overwrite: 'error' }), 'conflict');
    at.fetches().should.be.empty();
  });

  describe('where the file exists', () => {
    beforeEach(() => writeFile(inFolder('out.tar'), 'old'));

    it('replaces it, in one step', async () => {
      const seen: string[] = [];
      at.content = bytes(1_000_000);
      const { path } = await at.toDisk(inFolder('out.tar'), {
        onProgress: () => void read('out.tar').then((text) => seen.push(text)),
      });
      path.should.equal(inFolder('out.tar'));
      (await readFile(path)).equals(at.content).should.be.true();
      should(seen[0]).equal('old');
    });

    it('takes the first free number', async () => {
      (await at.toDisk(inFolder('out.tar'), { overwrite: 'rename' })).path.should.equal(
        inFolder('out (1).tar'),
      );
      (await at.toDisk(inFolder('out.tar'), { overwrite: 'rename' })).path.should.equal(
        inFolder('out (2).tar'),
      );
      (await read('out.tar')).should.equal('old');
      (await read('out (2).tar')).should.equal('hello');
    });

    it('gives two who come at once two names', async () => {
      const both = await Promise.all([1, 2].map(() => at.toDisk(inFolder('new'), { overwrite: 'rename' })));
      both
        .map(({ path }) => path)
        .sort()
        .should.deepEqual([inFolder('new'), inFolder('new (1)')]);
    });

    it('refuses before it fetches', async () => {
      const error = await rejected(at.toDisk(inFolder('out.tar'), { overwrite: 'error' }), 'conflict');
      error.should.match({ text: 'conflict_local_file', params: { path: inFolder('out.tar') } });
      at.fetches().should.be.empty();
      (await at.names()).should.deepEqual(['out.tar']);
    });

    it('refuses, too, where the file comes to be meanwhile', async () => {
      at.fault = (seen) => {
        if (isContent(seen)) execFileSync('touch', [inFolder('late')]);
        return undefined;
      };
      await rejected(at.toDisk(inFolder('late'), { overwrite: 'error' }), 'conflict', 'conflict_local_file');
      (await at.names()).sort().should.deepEqual(['late', 'out.tar']);
      (await read('late')).should.equal('');
    });

    it('keeps it when the download fails', async () => {
      at.fault = (seen) => (isContent(seen) ? { status: 404 } : undefined);
      await rejected(at.toDisk(inFolder('out.tar')), 'not_found');
      (await read('out.tar')).should.equal('old');
      (await at.names()).should.deepEqual(['out.tar']);
    });

    it('writes to the file behind a link', async () => {
      await symlink('out.tar', inFolder('link'));
      await at.toDisk(inFolder('link'));
      (await lstat(inFolder('link'))).isSymbolicLink().should.be.true();
      (await read('out.tar')).should.equal('hello');
    });
  });

  it('refuses devices, FIFOs and paths below a file, naming the path; nothing is asked for', async () => {
    execFileSync('mkfifo', [inFolder('fifo')]);
    await writeFile(inFolder('plain'), 'x');
    await symlink('nowhere', inFolder('dangling'));
    for (const [path, text] of [
      ['/dev/null', 'local_file_not_regular'],
      [inFolder('fifo'), 'local_file_not_regular'],
      [inFolder('plain/below'), 'local_file_not_folder'],
      [inFolder('plain/below/it'), 'local_file_not_folder'],
      [inFolder('dangling/below'), 'local_file_not_folder'],
      ['/proc/none/x', 'local_file_missing'],
    ] as const) {
      const error = await rejected(at.toDisk(path), 'local_file', text);
      should(error.params['path']).equal(path);
    }
    at.wire.seen.should.be.empty();
  });

  for (const overwrite of ['replace', 'rename'] as const) {
    it(`says, before it fetches, where a file should be that is a folder or a pipe (${overwrite})`, async () => {
      await mkdir(inFolder('in/file.bin'), { recursive: true });
      execFileSync('mkfifo', [inFolder('in/pipe')]);
      for (const [name, text, reason] of [
        ['file.bin', 'local_file_folder_there', 'EISDIR'],
        ['pipe', 'local_file_not_regular', 'not a regular file'],
      ] as const) {
        at.file = { ...at.file, name };
        if (overwrite === 'replace') {
          const error = await rejected(at.toDisk(inFolder('in')), 'local_file', text);
          should(error.params).deepEqual({ path: inFolder(`in/${name}`), reason });
          at.fetches().should.be.empty();
        } else {
          (await at.toDisk(inFolder('in'), { overwrite })).path.should.containEql(' (1)');
        }
      }
      const left = overwrite === 'replace' ? [] : ['file (1).bin', 'pipe (1)'];
      (await readdir(inFolder('in'))).sort().should.deepEqual([...left, 'file.bin', 'pipe'].sort());
    });
  }

  it('says, too, where a folder comes to be meanwhile, and leaves nothing', async () => {
    at.fault = (seen) => {
      if (isContent(seen)) execFileSync('mkdir', [inFolder('out')]);
      return undefined;
    };
    await rejected(at.toDisk(inFolder('out')), 'local_file', 'local_file_folder_there');
    (await at.names()).should.deepEqual(['out']);
  });

  it('takes a name as long as the disk does', async () => {
    const path = inFolder('x'.repeat(255));
    (await at.toDisk(path)).path.should.equal(path);
  });

  it('says that a name is too long', async () => {
    const error = await rejected(at.toDisk(inFolder('x'.repeat(256))), 'local_file');
    error.text.should.equal('local_file_name_too_long');
  });

  describe('on a disk of its own', () => {
    beforeEach(function () {
      // Only root may, and not in every container.
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at.folder]).status !== 0) this.skip();
    });
    afterEach(() => spawnSync('umount', [at.folder]));

    it('says that it is full, leaves the old file and gives the room back', async () => {
      await writeFile(inFolder('out'), 'old');
      at.content = bytes(2_000_000);
      const error = await rejected(at.toDisk(inFolder('out')), 'local_file', 'local_file_full');
      should(error.params).deepEqual({ path: inFolder('out'), reason: 'ENOSPC' });
      (await at.names()).should.deepEqual(['out']);
      (await read('out')).should.equal('old');
    });

    it('says that it is read-only, before it fetches', async () => {
      execFileSync('mount', ['-o', 'remount,ro', at.folder]);
      await rejected(at.toDisk(inFolder('out')), 'local_file', 'local_file_read_only');
      await rejected(at.toDisk(inFolder('new/out')), 'local_file', 'local_file_read_only');
      at.fetches().should.be.empty();
    });
  });
});
