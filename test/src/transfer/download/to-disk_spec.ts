/** Downloads to disk: docs/nodes/download.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, renameSync, symlinkSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import should from 'should';
import { CAPABILITIES } from '../../../../src/capabilities';
import { bytes } from '../../../support/content';
import { downloadFixture, isContentRequest } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';

describe('downloadToDisk', () => {
  const fixture = downloadFixture();
  const read = (name: string): Promise<string> => readFile(fixture.path(name), 'utf8');

  for (const size of [0, 1, 131_071, 131_072, 262_145, 5_000_001]) {
    it(`downloadToDisk writes ${size} bytes`, async () => {
      fixture.content = bytes(size);
      const { path, file } = await fixture.toDisk(fixture.path('out'));
      path.should.equal(fixture.path('out'));
      should(file.size).equal(String(size));
      (await readFile(path)).equals(fixture.content).should.be.true();
      (await fixture.fileNames()).should.deepEqual(['out']);
    });
  }

  it('downloadToDisk keeps the permissions and the owner of a file that it replaces', async () => {
    const path = fixture.path('out');
    await writeFile(path, 'old');
    await chmod(path, 0o640);
    // Only root can give a file away.
    const owner = process.geteuid?.() === 0 ? 12_345 : (process.getuid?.() ?? 0);
    await chown(path, owner, process.getgid?.() ?? 0);
    await fixture.toDisk(path);
    (await read('out')).should.equal('hello');
    const { mode, uid } = await lstat(path);
    [mode & 0o777, uid].should.eql([0o640, owner]);
  });

  it('downloadToDisk gives a file with a number in its name the permissions of a new file', async () => {
    await writeFile(fixture.path('out'), 'old');
    await chmod(fixture.path('out'), 0o600);
    const { path } = await fixture.toDisk(fixture.path('out'), { overwrite: 'rename' });
    const { path: fresh } = await fixture.toDisk(fixture.path('fresh'));
    (await lstat(path)).mode.should.equal((await lstat(fresh)).mode);
  });

  it('downloadToDisk creates missing folders of the path', async () => {
    const { path } = await fixture.toDisk(fixture.path('a/b/c.txt'));
    path.should.equal(fixture.path('a/b/c.txt'));
    (await read('a/b/c.txt')).should.equal('hello');
  });

  it("downloadToDisk keeps the file's own name in an existing folder, and after a trailing separator", async () => {
    (await fixture.toDisk(fixture.folder)).path.should.equal(fixture.path('file.bin'));
    (await fixture.toDisk(fixture.path('new/'))).path.should.equal(fixture.path('new/file.bin'));
  });

  it('downloadToDisk never writes outside of the folder, whatever the name of the file', async () => {
    for (const name of ['../../up', '/etc/passwd', '..', 'a/b', 'nul', '\u0000', 'x'.repeat(300)]) {
      fixture.file = { ...fixture.file, name };
      const { path } = await fixture.toDisk(fixture.path('in/'));
      path.should.startWith(fixture.path('in/'));
      path.slice(fixture.path('in/').length).should.not.match(/\//);
    }
    (await fixture.fileNames()).should.deepEqual(['in']);
    (await readdir(fixture.path('in'))).length.should.equal(7);
  });

  it('downloadToDisk takes the name from the headers, or else the id, if there is no metadata', async () => {
    fixture.restart({ service: { can: CAPABILITIES.custom } });
    let headers: Record<string, string> = {
      'Content-Disposition': "attachment; filename*=UTF-8''%C3%A9.txt",
    };
    fixture.fault = (request) => (isContentRequest(request) ? { body: 'x', headers } : { status: 405 });
    (await fixture.toDisk(fixture.folder)).path.should.equal(fixture.path('é.txt'));
    headers = {};
    (await fixture.toDisk(fixture.folder)).path.should.equal(fixture.path('F'));
    headers = { 'Content-Disposition': 'attachment; filename=other.txt' };
    (await fixture.toDisk(fixture.folder, { overwrite: 'error' })).path.should.equal(
      fixture.path('other.txt'),
    );
    fixture.service.requests.length = 0;
    await rejected(fixture.toDisk(fixture.path('F'), { overwrite: 'error' }), 'conflict');
    fixture.contentRequests().should.be.empty();
  });

  describe('if the file exists', () => {
    beforeEach(() => writeFile(fixture.path('out.tar'), 'old'));

    it('downloadToDisk replaces the file in one step', async () => {
      const texts: string[] = [];
      fixture.content = bytes(1_000_000);
      const { path } = await fixture.toDisk(fixture.path('out.tar'), {
        onProgress: () => void read('out.tar').then((text) => texts.push(text)),
      });
      path.should.equal(fixture.path('out.tar'));
      (await readFile(path)).equals(fixture.content).should.be.true();
      should(texts[0]).equal('old');
    });

    it('downloadToDisk adds the first free number to the name', async () => {
      (await fixture.toDisk(fixture.path('out.tar'), { overwrite: 'rename' })).path.should.equal(
        fixture.path('out (1).tar'),
      );
      (await fixture.toDisk(fixture.path('out.tar'), { overwrite: 'rename' })).path.should.equal(
        fixture.path('out (2).tar'),
      );
      (await read('out.tar')).should.equal('old');
      (await read('out (2).tar')).should.equal('hello');
    });

    it('downloadToDisk gives two concurrent downloads different names', async () => {
      const both = await Promise.all(
        [1, 2].map(() => fixture.toDisk(fixture.path('new'), { overwrite: 'rename' })),
      );
      both
        .map(({ path }) => path)
        .sort()
        .should.deepEqual([fixture.path('new'), fixture.path('new (1)')]);
    });

    it('downloadToDisk fails with conflict before it requests the content', async () => {
      const error = await rejected(
        fixture.toDisk(fixture.path('out.tar'), { overwrite: 'error' }),
        'conflict',
      );
      error.should.match({ text: 'conflict_local_file', params: { path: fixture.path('out.tar') } });
      fixture.contentRequests().should.be.empty();
      (await fixture.fileNames()).should.deepEqual(['out.tar']);
    });

    it('downloadToDisk fails with conflict if the file is created during the download', async () => {
      fixture.fault = (request) => {
        if (isContentRequest(request)) execFileSync('touch', [fixture.path('late')]);
        return undefined;
      };
      await rejected(
        fixture.toDisk(fixture.path('late'), { overwrite: 'error' }),
        'conflict',
        'conflict_local_file',
      );
      (await fixture.fileNames()).sort().should.deepEqual(['late', 'out.tar']);
      (await read('late')).should.equal('');
    });

    it('downloadToDisk keeps the file if the download fails', async () => {
      fixture.onContent(() => ({ status: 404 }));
      await rejected(fixture.toDisk(fixture.path('out.tar')), 'not_found');
      (await read('out.tar')).should.equal('old');
      (await fixture.fileNames()).should.deepEqual(['out.tar']);
    });

    it('downloadToDisk replaces the file that a symbolic link points to', async () => {
      await symlink('out.tar', fixture.path('link'));
      await fixture.toDisk(fixture.path('link'));
      (await lstat(fixture.path('link'))).isSymbolicLink().should.be.true();
      (await read('out.tar')).should.equal('hello');
    });
  });

  it('downloadToDisk refuses a symbolic link whose target it can’t name, because that isn’t valid UTF-8', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const target = Buffer.concat([Buffer.from(fixture.path('caf')), Buffer.of(0xe9)]);
    await writeFile(target, 'old');
    await symlink(target, fixture.path('link'));
    await rejected(fixture.toDisk(fixture.path('link')), 'local_file');
    (await readFile(target, 'utf8')).should.equal('old');
    (await fixture.fileNames()).should.have.length(2);
  });

  it('downloadToDisk writes nothing through a link that replaces the folder while it runs', async () => {
    const [inside, outside, moved] = ['inside', 'outside', 'moved'].map((name) => fixture.path(name));
    for (const folder of [inside, outside]) await mkdir(folder ?? '');
    fixture.fault = () => {
      if (!existsSync(moved ?? '')) {
        renameSync(inside ?? '', moved ?? '');
        symlinkSync(outside ?? '', inside ?? '');
      }
      return undefined;
    };
    const error = await rejected(fixture.toDisk(`${inside}/out`), 'local_file', 'local_file_folder_replaced');
    should(error.params['path']).equal(inside);
    for (const folder of [outside, moved]) (await readdir(folder ?? '')).should.be.empty();
  });

  it('downloadToDisk never gives a file the name of a part file or work folder', async () => {
    const names = [
      '.a.0123456789abcdef.00000000-1-1-00000000-0.part',
      '.home.restore-00000000-1-1-00000000-0',
      '.A.0123456789ABCDEF.00000000-1-1-00000000-0.PART ',
    ];
    for (const name of names) {
      fixture.file = { ...fixture.file, name };
      const { path } = await fixture.toDisk(`${fixture.folder}/`);
      path.should.equal(fixture.path(`_${name.trim()}`));
      const work = fixture.toDisk(fixture.path(name));
      await rejected(work, 'invalid_input', 'invalid_input_filename_reserved');
    }
    (await fixture.fileNames()).length.should.equal(names.length);
  });

  it('downloadToDisk rejects devices, FIFOs and paths below a file with their path, and sends no request', async () => {
    execFileSync('mkfifo', [fixture.path('fifo')]);
    await writeFile(fixture.path('plain'), 'x');
    await symlink('nowhere', fixture.path('dangling'));
    for (const [path, text] of [
      ['/dev/null', 'local_file_not_regular'],
      [fixture.path('fifo'), 'local_file_not_regular'],
      [fixture.path('plain/below'), 'local_file_not_folder'],
      [fixture.path('plain/below/it'), 'local_file_not_folder'],
      [fixture.path('dangling/below'), 'local_file_not_folder'],
      ['/proc/none/x', 'local_file_missing'],
    ] as const) {
      const error = await rejected(fixture.toDisk(path), 'local_file', text);
      should(error.params['path']).equal(path);
    }
    fixture.service.requests.should.be.empty();
  });

  for (const overwrite of ['replace', 'rename'] as const) {
    it(`downloadToDisk handles a folder or a FIFO in place of the file before it requests the content (${overwrite})`, async () => {
      await mkdir(fixture.path('in/file.bin'), { recursive: true });
      execFileSync('mkfifo', [fixture.path('in/pipe')]);
      for (const [name, text, reason] of [
        ['file.bin', 'local_file_folder_there', 'EISDIR'],
        ['pipe', 'local_file_not_regular', 'not a regular file'],
      ] as const) {
        fixture.file = { ...fixture.file, name };
        if (overwrite === 'replace') {
          const error = await rejected(fixture.toDisk(fixture.path('in')), 'local_file', text);
          should(error.params).deepEqual({ path: fixture.path(`in/${name}`), reason });
          fixture.contentRequests().should.be.empty();
        } else {
          (await fixture.toDisk(fixture.path('in'), { overwrite })).path.should.containEql(' (1)');
        }
      }
      const left = overwrite === 'replace' ? [] : ['file (1).bin', 'pipe (1)'];
      (await readdir(fixture.path('in'))).sort().should.deepEqual([...left, 'file.bin', 'pipe'].sort());
    });
  }

  it('downloadToDisk fails if a folder is created in place of the file during the download, and leaves nothing', async () => {
    fixture.fault = (request) => {
      if (isContentRequest(request)) execFileSync('mkdir', [fixture.path('out')]);
      return undefined;
    };
    await rejected(fixture.toDisk(fixture.path('out')), 'local_file', 'local_file_folder_there');
    (await fixture.fileNames()).should.deepEqual(['out']);
  });

  it('downloadToDisk accepts names of 255 bytes', async () => {
    const path = fixture.path('x'.repeat(255));
    (await fixture.toDisk(path)).path.should.equal(path);
  });

  it('downloadToDisk reports names of 256 bytes as too long', async () => {
    const error = await rejected(fixture.toDisk(fixture.path('x'.repeat(256))), 'local_file');
    error.text.should.equal('local_file_name_too_long');
  });

  describe('on a small disk', () => {
    beforeEach(function () {
      // Only root may mount, and not in every container.
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', fixture.folder]).status !== 0)
        this.skip('this system mounts nothing');
    });
    afterEach(() => spawnSync('umount', [fixture.folder]));

    it('downloadToDisk reports a full disk, keeps the old file and removes the part', async () => {
      await writeFile(fixture.path('out'), 'old');
      fixture.content = bytes(2_000_000);
      const error = await rejected(fixture.toDisk(fixture.path('out')), 'local_file', 'local_file_full');
      should(error.params).deepEqual({ path: fixture.path('out'), reason: 'ENOSPC' });
      (await fixture.fileNames()).should.deepEqual(['out']);
      (await read('out')).should.equal('old');
    });

    it('downloadToDisk reports a read-only disk before it requests the content', async () => {
      execFileSync('mount', ['-o', 'remount,ro', fixture.folder]);
      await rejected(fixture.toDisk(fixture.path('out')), 'local_file', 'local_file_read_only');
      await rejected(fixture.toDisk(fixture.path('new/out')), 'local_file', 'local_file_read_only');
      fixture.contentRequests().should.be.empty();
    });
  });
});
