import { execFileSync } from 'node:child_process';
import fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { keepAccess } from '../../../../src/transfer/download/commit';
import { downloadFixture } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';

const NOBODY = 65534;

/** File systems without hard links, such as FAT, where an empty file reserves the name. */
describe('commit on a disk without hard links', () => {
  const fixture = downloadFixture();
  const { link } = fs;

  function failLinks(code: string, before = () => Promise.resolve()): void {
    fs.link = async () => {
      await before();
      throw Object.assign(new Error(code), { code });
    };
  }

  beforeEach(() => failLinks('EPERM'));
  afterEach(() => {
    fs.link = link;
  });

  it('commit gives each of several concurrent downloads its own number', async () => {
    await fs.writeFile(fixture.path('out'), 'old');
    await Promise.all([1, 2, 3].map(() => fixture.toDisk(fixture.path('out'), { overwrite: 'rename' })));
    (await fixture.fileNames()).sort().should.deepEqual(['out', 'out (1)', 'out (2)', 'out (3)']);
    (await fs.readFile(fixture.path('out'), 'utf8')).should.equal('old');
    for (const name of ['out (1)', 'out (2)', 'out (3)'])
      (await fs.readFile(fixture.path(name), 'utf8')).should.equal('hello');
  });

  it('commit keeps what another program writes to the file that reserves the name', async () => {
    const { open } = fs;
    fs.open = async (...args: Parameters<typeof open>) => {
      const handle = await open(...args);
      if (args[1] === 'wx' && String(args[0]).endsWith('out')) await handle.writeFile('theirs');
      return handle;
    };
    try {
      await rejected(fixture.toDisk(fixture.path('out'), { overwrite: 'error' }), 'conflict');
    } finally {
      fs.open = open;
    }
    (await fixture.fileNames()).should.deepEqual(['out']);
    (await fs.readFile(fixture.path('out'), 'utf8')).should.equal('theirs');
  });

  it('commit keeps a file that is created during the download, and fails with conflict', async () => {
    const onProgress = (): void => void fs.writeFile(fixture.path('out'), 'theirs');
    await rejected(fixture.toDisk(fixture.path('out'), { overwrite: 'error', onProgress }), 'conflict');
    (await fixture.fileNames()).should.deepEqual(['out']);
    (await fs.readFile(fixture.path('out'), 'utf8')).should.equal('theirs');
  });

  for (const [code, text] of [
    ['ENOSPC', 'local_file_full'],
    ['ENOENT', 'local_file_missing'],
  ] as const) {
    it(`commit reserves no name after an error that has nothing to do with links: ${code}`, async () => {
      failLinks(code);
      await rejected(fixture.toDisk(fixture.path('out'), { overwrite: 'rename' }), 'local_file', text);
      (await fixture.fileNames()).should.be.empty();
    });
  }

  it('commit reports the error of the disk if the name can’t be reserved', async () => {
    failLinks('EPERM', () => fs.rm(fixture.folder, { recursive: true, force: true }));
    await rejected(
      fixture.toDisk(fixture.path('out'), { overwrite: 'rename' }),
      'local_file',
      'local_file_missing',
    );
    await fs.mkdir(fixture.folder);
  });
});

describe('keepAccess', () => {
  const fixture = downloadFixture();

  /** @returns owner, group and permissions of a part file after it got those of a file of root */
  async function keptBy(
    user: number,
    existing: { group: number; mode: number },
  ): Promise<(number | string)[]> {
    const [part, replaced] = [fixture.path('part'), fixture.path('existing')];
    for (const path of [part, replaced]) await fs.writeFile(path, '');
    await fs.chown(replaced, 0, existing.group);
    await fs.chmod(replaced, existing.mode);
    await fs.chown(part, user, user);
    await fs.chmod(dirname(part), 0o755);
    process.seteuid?.(user);
    try {
      await keepAccess(part, await fs.lstat(replaced));
    } finally {
      process.seteuid?.(0);
    }
    const { uid, gid, mode } = await fs.lstat(part);
    return [uid, gid, (mode & 0o777).toString(8)];
  }

  for (const [user, mode, expected] of [
    [0, 0o640, [0, NOBODY - 1, '640']],
    [NOBODY, 0o600, [NOBODY, NOBODY, '600']],
    [NOBODY, 0o664, [NOBODY, NOBODY, '644']],
    [NOBODY, 0o660, [NOBODY, NOBODY, '600']],
  ] as const) {
    it(`user ${user} replaces a file of root with permissions ${mode.toString(8)}, and gives its group no more than all users`, async function () {
      // Only root can act as two users.
      if (process.geteuid?.() !== 0) this.skip('needs root');
      (await keptBy(user, { group: NOBODY - 1, mode })).should.eql(expected);
    });
  }

  it('a file that another user has put in place of the part file isn’t given to the owner of the replaced one', async function () {
    if (process.geteuid?.() !== 0) this.skip('needs root');
    const [part, existing] = [fixture.path('part'), fixture.path('existing')];
    for (const path of [part, existing]) await fs.writeFile(path, '');
    await fs.chown(part, NOBODY, NOBODY);
    await keepAccess(part, await fs.lstat(existing));
    (await fs.lstat(part)).uid.should.equal(NOBODY);
  });

  it('a hard link in place of the part file is left as it is', async () => {
    const [part, secret] = [fixture.path('part'), fixture.path('secret')];
    await fs.writeFile(secret, '');
    await fs.chmod(secret, 0o600);
    await fs.link(secret, part);
    await keepAccess(part, Object.assign(await fs.lstat(secret), { mode: 0o666 }));
    ((await fs.lstat(secret)).mode & 0o777).should.equal(0o600);
  });

  it('a FIFO in place of the part file isn’t waited for', async () => {
    const [part, existing] = [fixture.path('part'), fixture.path('existing')];
    await fs.writeFile(existing, '');
    execFileSync('mkfifo', [part]);
    await keepAccess(part, await fs.lstat(existing));
  });
});
