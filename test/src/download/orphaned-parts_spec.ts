/** Part files on the disk: who may go on with them, and who clears them away. */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import should from 'should';
import { OrphanedParts, release, releaseAfter, reserve } from '../../../src/download/orphaned-parts';
import { useDisk } from '../../support/disk';

const DAY = 24 * 3_600;
const [KEY, OTHER_KEY] = ['0123456789abcdef', 'fedcba9876543210'];

describe('what downloads have left', () => {
  const disk = useDisk();
  const names = async (): Promise<string[]> => (await readdir(disk())).sort();
  const left = (target = 'out'): Promise<OrphanedParts> => OrphanedParts.find(disk(), target);
  /** A process that has been there. */
  let dead: number;
  let parts: number;

  before(() => {
    dead = spawnSync(process.execPath, ['--version']).pid;
  });
  beforeEach(() => {
    parts = 0;
  });

  interface Part {
    target?: string;
    key?: string;
    pid?: number;
    content?: string;
    /** Seconds since it was written. */
    age?: number;
  }

  /** @returns its name */
  async function part({
    target = 'out',
    key = KEY,
    pid = dead,
    content = 'x',
    age = 0,
  }: Part = {}): Promise<string> {
    const name = `.${target}.${key}.${pid}-0000000${parts++}.part`;
    await writeFile(disk(name), content);
    const time = Date.now() / 1_000 - age;
    await utimes(disk(name), time, time);
    return name;
  }

  it('is offered by its content, the longest first, and the next where somebody else was faster', async () => {
    await part({ content: 'a' });
    const longest = await part({ content: 'abcde' });
    for (const content of ['abcd', 'ab', 'abc']) await part({ content });
    await part({ key: OTHER_KEY, content: 'abcdef' });
    const found = await left();
    await rm(disk(longest));
    const mine = await found.claim(KEY);
    (await readFile(disk(mine ?? ''), 'utf8')).should.equal('abcd');
    release(mine ?? '');
  });

  it('is taken by one, who has it for itself until it is released', async () => {
    await part();
    const [first, second] = [await left(), await left()];
    const mine = await first.claim(KEY);
    should(await second.claim(KEY)).be.undefined();
    (await names()).should.deepEqual([mine]);
    should(await (await left()).claim(KEY)).be.undefined();
    release(mine ?? '');
    const again = await (await left()).claim(KEY);
    should(again).be.a.String().and.not.equal(mine);
    release(again ?? '');
  });

  it('is not gone on with where nothing is in it', async () => {
    await part({ content: '' });
    should(await (await left()).claim(KEY)).be.undefined();
  });

  it('is cleared away: all of the same target, and of others what is older than a week', async () => {
    await part({ key: OTHER_KEY });
    await part({ content: '' });
    await part({ target: 'other', age: 8 * DAY });
    const stay = [
      await part({ target: 'other', age: 6 * DAY }),
      // The one who writes it may wait for the service.
      await part({ pid: process.ppid, age: 60 }),
    ];
    const inUse = reserve('out', KEY);
    await writeFile(disk(inUse), 'x');
    await writeFile(disk('.out.part'), 'x');
    const folder = `.out.${KEY}.${dead}-ffffffff.part`;
    await mkdir(disk(folder));
    const toNowhere = `.out.${KEY}.${dead}-eeeeeeee.part`;
    await symlink('nowhere', disk(toNowhere));
    await (await left()).clear();
    release(inUse);
    (await names()).should.deepEqual([...stay, inUse, folder, toNowhere, '.out.part'].sort());
  });

  it('is nothing in a folder that can’t be read', async () => {
    const found = await OrphanedParts.find(disk('none'), 'out');
    should(await found.claim(KEY)).be.undefined();
    await found.clear();
  });

  it('is waited for while it is being closed, by who downloads to the same target and by nobody else', async () => {
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const mine = reserve('out', KEY);
    await writeFile(disk(mine), 'x');
    releaseAfter(mine, closed);
    should(await (await left('other')).claim(KEY)).be.undefined();
    let isFound = false;
    const found = left().finally(() => (isFound = true));
    for (let looks = 0; looks < 3; looks++) await left('other');
    isFound.should.be.false();
    close();
    const taken = await (await found).claim(KEY);
    should(taken).be.a.String();
    release(taken ?? '');
  });
});
