/** Interrupted downloads to disk that are run again: docs/how-it-works.md, "Transfers that break". */
import { execFileSync, spawnSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import fs, {
  chmod,
  copyFile,
  link,
  lstat,
  readFile,
  rename,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import should from 'should';
import { parsePartName } from '../../../../src/fs/reserved-names';
import { type PartOwner, currentOwner, startTimeOf } from '../../../../src/fs/part-owner';
import { bytes, md5 } from '../../../support/content';
import { downloadFixture, isContentRequest } from '../../../support/client/download-fixture';
import { rejected } from '../../../support/client/rejected';
import { useMountedDisk } from '../../../support/mounted-disk';

const SIZE = 1_000_003;
const FETCHED = 400_000;

describe('resumed downloads to disk', () => {
  const fixture = downloadFixture();
  const partNames = async (): Promise<string[]> =>
    (await fixture.fileNames()).filter((name) => parsePartName(name) !== undefined);

  beforeEach(() => {
    fixture.content = bytes(SIZE);
    fixture.restart({ retryFor: 0 });
  });

  /** A download that fails after `fetched` bytes. @returns the path of its part file */
  async function interrupted(name = 'out', fetched = FETCHED): Promise<string> {
    fixture.onContent((request) => ({ ...fixture.respond(request), cutAfter: fetched }));
    await rejected(fixture.toDisk(fixture.path(name)), 'network');
    fixture.fault = () => undefined;
    fixture.service.requests.length = 0;
    const part = (await partNames()).find((each) => parsePartName(each)?.target === name);
    return fixture.path(part ?? 'none');
  }

  /** Renames a part as if another process had written it. @param owner replaces what differs */
  async function ownedBy(owner: Partial<PartOwner>, part: string): Promise<string> {
    const { pidNamespace, pid, startTime, token } = { ...currentOwner(), token: '00000000', ...owner };
    const path = part.replace(/[^.]+\.part$/, `${pidNamespace}-${pid}-${startTime}-${token}-0.part`);
    await rename(part, path);
    return path;
  }

  /** Renames a part as versions did that stored only a PID. */
  async function ownedByOldVersion(pid: number, part: string): Promise<string> {
    const path = part.replace(/[^.]+\.part$/, `${pid}-01234567.part`);
    await rename(part, path);
    return path;
  }

  /** Without the sleeps of the rate limiter. */
  const longSleeps = (): number[] => fixture.clock.sleeps.filter((ms) => ms > 1);

  /** Updates the part's modification time, as its owner would, whenever the download waits. */
  function keepAlive(part: string): void {
    let beats = 0;
    fixture.clock.onSleep = () => utimesSync(part, new Date(), Date.now() / 1_000 + ++beats);
  }

  async function downloads(): Promise<void> {
    await fixture.toDisk(fixture.path('out'));
    md5(await readFile(fixture.path('out'))).should.equal(md5(fixture.content));
  }

  /** @param ranges of the requests for content */
  async function downloadsWith(...ranges: (string | undefined)[]): Promise<void> {
    await downloads();
    fixture.ranges().should.deepEqual(ranges);
    (await fixture.fileNames()).should.deepEqual(['out']);
  }

  it('resumed downloads continue after the last byte that an earlier run fetched before it failed', async () => {
    await interrupted();
    await downloadsWith(`bytes=${FETCHED}-`);
  });

  it('the part of an interrupted download is readable for no more users than the file that it replaces', async () => {
    await writeFile(fixture.path('out'), 'private', { mode: 0o600 });
    ((await lstat(await interrupted())).mode & 0o777).should.equal(0o600);
  });

  it('resumed downloads continue after the last byte that an earlier run fetched before it was cancelled', async () => {
    fixture.service.onHeaders((request, { response }) => {
      if (!isContentRequest(request)) return {};
      response.writeHead(200, { 'Content-Length': String(SIZE) });
      response.write(fixture.content.subarray(0, FETCHED));
      return 'handled';
    });
    const abort = new AbortController();
    const onProgress = (): void => abort.abort();
    await rejected(
      fixture.toDisk(fixture.path('out'), { onProgress }, { signal: abort.signal }),
      'cancelled',
    );
    fixture.service.onHeaders(undefined);
    fixture.service.requests.length = 0;
    const [part = ''] = await partNames();
    const { length } = await readFile(fixture.path(part));
    length.should.be.above(0);
    await downloadsWith(`bytes=${length}-`);
  });

  for (const [what, owner] of [
    ['has ended', { pid: spawnSync(process.execPath, ['--version']).pid }],
    ['had the same PID', { startTime: '1' }],
    ['had the PID of another process', { pid: process.ppid, startTime: '1' }],
  ] as const) {
    it(`resumed downloads take over the part of a killed process at once if it ${what}`, async () => {
      await ownedBy(owner, await interrupted());
      await downloadsWith(`bytes=${FETCHED}-`);
      longSleeps().should.be.empty();
    });
  }

  it('resumed downloads take over the part of an unknown process after 15 seconds without a heartbeat', async () => {
    await ownedBy({ pidNamespace: 'ffffffff' }, await interrupted());
    await downloadsWith(`bytes=${FETCHED}-`);
    longSleeps().should.deepEqual(Array(15).fill(1_000));
  });

  it('resumed downloads take over the part of an earlier version, which has no heartbeat', async () => {
    await ownedByOldVersion(process.pid, await interrupted());
    await downloadsWith(`bytes=${FETCHED}-`);
  });

  for (const [what, disown] of [
    ['an unknown process', (part: string) => ownedBy({ pidNamespace: 'ffffffff' }, part)],
    ['an earlier version', (part: string) => ownedByOldVersion(process.ppid, part)],
  ] as const) {
    it(`resumed downloads take over the part of ${what} at once if it is older than an hour`, async () => {
      await utimes(await disown(await interrupted()), 1_000_000, 1_000_000);
      await downloadsWith(`bytes=${FETCHED}-`);
      longSleeps().should.be.empty();
    });
  }

  for (const [what, own] of [
    [
      'another process',
      (part: string) => ownedBy({ pid: process.ppid, startTime: startTimeOf(process.ppid) ?? '' }, part),
    ],
    ['another thread of this process', (part: string) => ownedBy({}, part)],
    [
      'a process with the same PID in another container',
      (part: string) => ownedBy({ pidNamespace: 'ffffffff' }, part),
    ],
    [
      'an earlier version with the same PID in another container',
      (part: string) => ownedByOldVersion(process.pid, part),
    ],
  ] as const) {
    it(`resumed downloads ignore the part that ${what} is writing`, async () => {
      const part = await own(await interrupted());
      keepAlive(part);
      await downloads();
      fixture.ranges().should.deepEqual([undefined]);
      (await readFile(part)).length.should.equal(FETCHED);
    });
  }

  it('resumed downloads can be cancelled while they wait for the heartbeat of another process', async () => {
    const part = await ownedBy({ pidNamespace: 'ffffffff' }, await interrupted());
    const abort = new AbortController();
    fixture.clock.onSleep = () => abort.abort();
    await rejected(fixture.toDisk(fixture.path('out'), {}, { signal: abort.signal }), 'cancelled');
    (await fixture.fileNames()).map((name) => fixture.path(name)).should.deepEqual([part]);
  });

  it('resumed downloads continue from run to run, with the longest of several parts', async () => {
    await interrupted();
    const part = await interrupted('out', 100_000);
    fixture.ranges().should.be.empty();
    (await readFile(part)).length.should.equal(FETCHED + 100_000);
    await writeFile(part.replace(/\d+\.part$/, '999999.part'), fixture.content.subarray(0, 1_000));
    await downloadsWith(`bytes=${FETCHED + 100_000}-`);
  });

  it('resumed downloads report first how many bytes an earlier run has fetched', async () => {
    await interrupted();
    const reports: unknown[][] = [];
    await fixture.toDisk(fixture.path('out'), { onProgress: (...report) => reports.push(report) });
    should(reports[0]).deepEqual([FETCHED, SIZE, FETCHED]);
    should(reports.at(-1)).deepEqual([SIZE, SIZE, FETCHED]);
  });

  for (const [what, change] of [
    ['bytes', () => (fixture.content = bytes(SIZE, 99))],
    ['length', () => (fixture.content = bytes(SIZE + 1))],
  ] as const) {
    it(`resumed downloads start over and remove the old part if the file on the drive has other ${what}`, async () => {
      await interrupted();
      change();
      await downloadsWith(undefined);
    });
  }

  it('resumed downloads start over if another file is downloaded to the same path', async () => {
    await interrupted();
    fixture.file = { ...fixture.file, id: 'G' };
    await downloadsWith(undefined);
  });

  it('resumed downloads request no content if the part is complete', async () => {
    await writeFile(await interrupted(), fixture.content);
    await downloadsWith();
  });

  it('resumed downloads start over if the part is longer than the file', async () => {
    await writeFile(await interrupted(), Buffer.concat([fixture.content, Buffer.alloc(1)]));
    await downloadsWith(undefined);
  });

  for (const [what, length, ranges] of [
    ['an incomplete part', FETCHED, [`bytes=${FETCHED}-`, undefined]],
    ['a part of the right length', SIZE, [undefined]],
  ] as const) {
    it(`resumed downloads fetch the content once more, without a wait, if ${what} has holes`, async () => {
      const part = await interrupted();
      const content = [fixture.content.subarray(0, 100_000), Buffer.alloc(length - 100_000)];
      await writeFile(part, Buffer.concat(content));
      await downloadsWith(...ranges);
    });
  }

  it('resumed downloads count bytes again as progress when the content is fetched once more', async () => {
    const part = await interrupted();
    fixture.restart({ retryFor: 60_000 });
    await writeFile(part, Buffer.alloc(FETCHED));
    fixture.onContent((request, index) => {
      if (index === 0) return undefined;
      fixture.clock.elapse(40_000);
      return { ...fixture.respond(request), cutAfter: 100_000 };
    });
    await downloads();
    fixture.contentRequests().should.have.length(12);
  });

  it('resumed downloads fail with checksum_mismatch, and leave nothing, if the content is wrong a second time', async () => {
    await writeFile(await interrupted(), Buffer.alloc(FETCHED));
    fixture.onContent((request) => ({ ...fixture.respond(request), body: bytes(SIZE, 2) }));
    await rejected(fixture.toDisk(fixture.path('out')), 'checksum_mismatch');
    fixture.contentRequests().should.have.length(2);
    (await fixture.fileNames()).should.be.empty();
  });

  it('resumed downloads start over if the service no longer supports ranges', async () => {
    await interrupted();
    fixture.onContent(() => ({ body: fixture.content }));
    await downloadsWith(`bytes=${FETCHED}-`);
  });

  it('resumed downloads start over if the service refuses the range', async () => {
    await interrupted();
    fixture.restart({});
    fixture.fault = ({ headers }) => (headers.range === undefined ? undefined : { status: 416 });
    await downloadsWith(`bytes=${FETCHED}-`, undefined);
  });

  it('resumed downloads leave no part if the metadata can’t identify the content', async () => {
    fixture.file = { ...fixture.file, md5Checksum: undefined, sha256Checksum: undefined };
    await interrupted();
    (await fixture.fileNames()).should.be.empty();
    fixture.file = { ...fixture.file, md5Checksum: md5(fixture.content), size: undefined };
    await interrupted();
    (await fixture.fileNames()).should.be.empty();
  });

  it('resumed downloads leave no part after an error that would occur again', async () => {
    await interrupted();
    fixture.onContent(() => ({ status: 404 }));
    await rejected(fixture.toDisk(fixture.path('out')), 'not_found');
    (await fixture.fileNames()).should.be.empty();
  });

  it('resumed downloads leave no empty part', async () => {
    await interrupted('out', 0);
    (await fixture.fileNames()).should.be.empty();
  });

  it('resumed downloads never share a part with a concurrent download', async () => {
    await interrupted();
    const counts: number[] = [];
    const onProgress = (): void => void partNames().then(({ length }) => counts.push(length));
    await Promise.all([1, 2].map(() => fixture.toDisk(fixture.path('out'), { onProgress })));
    Math.max(...counts).should.equal(2);
    fixture
      .ranges()
      .sort()
      .should.deepEqual([`bytes=${FETCHED}-`, undefined]);
    md5(await readFile(fixture.path('out'))).should.equal(md5(fixture.content));
    (await fixture.fileNames()).should.deepEqual(['out']);
  });

  it('resumed downloads remove the parts of other files after a week', async () => {
    const other = await interrupted('other');
    const old = await interrupted('old');
    await utimes(old, 1_000_000, Date.now() / 1_000 - 8 * 24 * 3_600);
    await writeFile(fixture.path('.mine.part'), 'x');
    await downloads();
    (await fixture.fileNames())
      .sort()
      .should.deepEqual(['.mine.part', other.slice(fixture.folder.length + 1), 'out']);
  });

  it('resumed downloads continue under a numbered name if the name has been taken meanwhile', async () => {
    fixture.onContent((request) => ({ ...fixture.respond(request), cutAfter: FETCHED }));
    await rejected(fixture.toDisk(fixture.path('out'), { overwrite: 'rename' }), 'network');
    fixture.fault = () => undefined;
    await writeFile(fixture.path('out'), 'old');
    const { path } = await fixture.toDisk(fixture.path('out'), { overwrite: 'rename' });
    path.should.equal(fixture.path('out (1)'));
    (await readFile(path)).equals(fixture.content).should.be.true();
    should(fixture.ranges().at(-1)).equal(`bytes=${FETCHED}-`);
  });

  it('resumed downloads write nothing to a file that a killed download had already linked to its target', async () => {
    const part = await interrupted();
    await link(part, fixture.path('out'));
    await truncate(fixture.path('out'), 5);
    const edited = await readFile(fixture.path('out'));
    const { path } = await fixture.toDisk(fixture.path('out'), { overwrite: 'rename' });
    (await readFile(fixture.path('out'))).equals(edited).should.be.true();
    (await readFile(path)).equals(fixture.content).should.be.true();
  });

  describe('in a folder that other users may write to', () => {
    beforeEach(function () {
      // Only root can act as two users.
      if (process.geteuid?.() !== 0) this.skip('needs root');
    });

    const asOther = (program: string, ...args: string[]): void =>
      void execFileSync(program, args, { uid: 65534, gid: 65534 });

    /** Leaves a part and moves it away. @returns its path, as if its process had been killed, and its new path */
    async function movedPart(): Promise<{ part: string; moved: string }> {
      const part = await ownedBy({ startTime: '1' }, await interrupted());
      const moved = fixture.path('moved');
      await rename(part, moved);
      await chmod(fixture.path('.'), 0o777);
      return { part, moved };
    }

    for (const [what, plant] of [
      ['of another user', (part: string, from: string) => asOther('cp', from, part)],
      [
        'that another user may write to',
        async (part: string, from: string) => {
          await copyFile(from, part);
          await chmod(part, 0o666);
        },
      ],
      [
        'with a link to a private file',
        async (part: string, from: string) => {
          await copyFile(from, fixture.path('private'));
          await chmod(fixture.path('private'), 0o644);
          await link(fixture.path('private'), part);
        },
      ],
      ['that is a symbolic link', (part: string, from: string) => asOther('ln', '-s', from, part)],
      ['that is a FIFO', (part: string) => asOther('mkfifo', part)],
      [
        'that anyone could read, of a file that is private now',
        async (part: string, from: string) => {
          await copyFile(from, part);
          await writeFile(fixture.path('out'), 'private', { mode: 0o600 });
        },
      ],
    ] as const) {
      for (const mode of [0o777, 0o1777]) {
        it(`a part ${what} isn’t continued in a folder with mode ${mode.toString(8)}`, async () => {
          const { part, moved } = await movedPart();
          await chmod(fixture.path('.'), mode);
          await plant(part, moved);
          const kept = await lstat(part);
          await downloads();
          fixture.ranges().should.deepEqual([undefined]);
          const [{ ino, uid, nlink }, { size }] = [await lstat(fixture.path('out')), await lstat(moved)];
          [uid, nlink, size].should.deepEqual([0, 1, FETCHED]);
          ino.should.not.equal(kept.ino);
          const other = await lstat(part).catch(() => undefined);
          should(other?.uid === 65534).equal(kept.uid === 65534);
          if (kept.nlink > 1) (await lstat(fixture.path('private'))).size.should.equal(FETCHED);
        });
      }
    }

    it('a file that takes the place of a part while it is claimed isn’t continued', async () => {
      const part = await ownedBy({ startTime: '1' }, await interrupted());
      await chmod(fixture.path('.'), 0o777);
      const planted = fixture.path('planted');
      asOther('cp', part, planted);
      const { rename: original } = fs;
      fs.rename = async (from, to) => {
        if (from === fixture.path('out') || !String(from).endsWith(part.slice(dirname(part).length))) {
          return original(from, to);
        }
        asOther('mv', planted, part);
        return original(from, to);
      };
      try {
        await downloads();
      } finally {
        fs.rename = original;
      }
      fixture.ranges().should.deepEqual([undefined]);
      (await lstat(fixture.path('out'))).uid.should.equal(0);
    });

    it('a part of this user is continued', async () => {
      const part = await ownedBy({ startTime: '1' }, await interrupted());
      await chmod(fixture.path('.'), 0o1777);
      const { ino } = await lstat(part);
      await downloadsWith(`bytes=${FETCHED}-`);
      (await lstat(fixture.path('out'))).ino.should.equal(ino);
    });
  });

  it('a part is continued where new files belong to another user, as on some network shares', async function () {
    const { geteuid } = process;
    if (!geteuid) return this.skip('not on Windows');
    const part = await interrupted();
    process.geteuid = () => geteuid() + 1;
    try {
      await downloadsWith(`bytes=${(await lstat(part)).size}-`);
    } finally {
      process.geteuid = geteuid;
    }
  });

  it('a part is continued where the group may write to new files', async () => {
    const umask = process.umask(0o002);
    try {
      await interrupted();
      await downloadsWith(`bytes=${FETCHED}-`);
    } finally {
      process.umask(umask);
    }
  });

  describe('on a disk without owners and modes', () => {
    const disk = useMountedDisk('exfat');

    it('a part on an exFAT disk is continued', async () => {
      fixture.onContent((request) => ({ ...fixture.respond(request), cutAfter: FETCHED }));
      await rejected(fixture.toDisk(disk('out')), 'network');
      fixture.fault = () => undefined;
      fixture.service.requests.length = 0;
      await fixture.toDisk(disk('out'));
      fixture.ranges().should.deepEqual([`bytes=${FETCHED}-`]);
      (await readFile(disk('out'))).equals(fixture.content).should.be.true();
    });
  });
});
