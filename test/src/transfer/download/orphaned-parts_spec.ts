/** Part files on disk: which of them a download may resume or remove. */
import {
  link,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
  open,
  type FileHandle,
} from 'node:fs/promises';
import should from 'should';
import {
  OrphanedParts,
  removeOrphanedPart,
  PartLock,
  isLocked,
} from '../../../../src/transfer/download/orphaned-parts';
import { newPartName } from '../../../../src/fs/reserved-names';
import { currentOwner, startTimeOf } from '../../../../src/fs/part-owner';
import { FakeClock } from '../../../support/clock';
import { useDisk } from '../../../support/disk';

const DAY = 24 * 3_600;
const [KEY, OTHER_KEY] = ['0123456789abcdef', 'fedcba9876543210'];

describe('OrphanedParts', () => {
  const disk = useDisk();
  const fileNames = async (): Promise<string[]> => (await readdir(disk())).sort();
  const find = (target = 'out'): Promise<OrphanedParts> => OrphanedParts.find(disk(), target);
  async function claim(parts: OrphanedParts): Promise<PartLock | undefined> {
    await writeFile(disk('sample'), '');
    const created = await stat(disk('sample'));
    await rm(disk('sample'));
    return parts.claim(KEY, created, { clock: new FakeClock(), signal: undefined });
  }
  const { pidNamespace } = currentOwner();
  let count: number;

  beforeEach(() => {
    count = 0;
  });

  interface Part {
    target?: string;
    key?: string;
    pid?: number;
    startTime?: string;
    content?: string;
    /** Seconds since the last write. */
    age?: number;
  }

  /** By default of an ended process with the PID of this one. @returns the file name */
  async function addPart({
    target = 'out',
    key = KEY,
    pid = process.pid,
    startTime = '1',
    content = 'x',
    age = 0,
  }: Part = {}): Promise<string> {
    const name = `.${target}.${key}.${pidNamespace}-${pid}-${startTime}-00000000-${count++}.part`;
    await writeFile(disk(name), content);
    const time = Date.now() / 1_000 - age;
    await utimes(disk(name), time, time);
    return name;
  }

  it('OrphanedParts removes, but never claims, a part that was already linked to its target', async () => {
    const name = await addPart({ age: DAY });
    await link(disk(name), disk('out'));
    const { mtimeMs } = await stat(disk('out'));
    const found = await find();
    should(await claim(found)).be.undefined();
    await found.remove();
    (await fileNames()).should.eql(['out']);
    (await stat(disk('out'))).mtimeMs.should.equal(mtimeMs);
  });

  it('OrphanedParts neither claims nor touches what a link with the name of a part leads to', async () => {
    const name = await addPart({ age: DAY });
    await rename(disk(name), disk('other'));
    await symlink('other', disk(name));
    const { mtimeMs } = await stat(disk('other'));
    const found = await find();
    should(await claim(found)).be.undefined();
    await found.remove();
    (await stat(disk('other'))).mtimeMs.should.equal(mtimeMs);
    (await fileNames()).should.eql([name, 'other']);
  });

  it('OrphanedParts claims the longest part of a content, and the next one if another download is faster', async () => {
    await addPart({ content: 'a' });
    const longest = await addPart({ content: 'abcde' });
    for (const content of ['abcd', 'ab', 'abc']) await addPart({ content });
    await addPart({ key: OTHER_KEY, content: 'abcdef' });
    const found = await find();
    await rm(disk(longest));
    const lock = await claim(found);
    (await readFile(disk(lock?.fileName ?? ''), 'utf8')).should.equal('abcd');
    lock?.unlock();
  });

  it('removeOrphanedPart removes only parts that no download uses', async () => {
    await writeFile(disk('notes.txt'), '');
    const part = await addPart({});
    const locked = new PartLock(newPartName('out', KEY));
    await writeFile(disk(locked.fileName), '');
    for (const fileName of ['notes.txt', part, locked.fileName]) await removeOrphanedPart(disk(), fileName);
    (await fileNames()).should.eql([locked.fileName, 'notes.txt'].sort());
    locked.unlock();
  });

  it('OrphanedParts lets only one download claim a part, until it is unlocked', async () => {
    await addPart();
    const [first, second] = [await find(), await find()];
    const lock = await claim(first);
    should(await claim(second)).be.undefined();
    (await fileNames()).should.deepEqual([lock?.fileName]);
    should(await claim(await find())).be.undefined();
    lock?.unlock();
    const next = await claim(await find());
    should(next?.fileName).be.a.String().and.not.equal(lock?.fileName);
    next?.unlock();
  });

  it('OrphanedParts gives a claimed part a recent modification time, so that other processes see it in use', async () => {
    await addPart({ age: DAY });
    const lock = await claim(await find());
    const { mtimeMs } = await stat(disk(lock?.fileName ?? ''));
    (Date.now() - mtimeMs).should.be.below((DAY * 1_000) / 2);
    lock?.unlock();
  });

  it('OrphanedParts claims no empty part', async () => {
    await addPart({ content: '' });
    should(await claim(await find())).be.undefined();
  });

  it('OrphanedParts removes all parts of the target, and parts of other targets after a week', async () => {
    await addPart({ key: OTHER_KEY });
    await addPart({ content: '' });
    await addPart({ target: 'other', age: 8 * DAY });
    const remaining = [
      await addPart({ target: 'other', age: 6 * DAY }),
      // Its owner is running and may wait for the service.
      await addPart({ pid: process.ppid, startTime: startTimeOf(process.ppid) ?? '', age: 60 }),
    ];
    const lock = new PartLock(newPartName('out', KEY));
    await writeFile(disk(lock.fileName), 'x');
    await writeFile(disk('.out.part'), 'x');
    const folder = `.out.${KEY}.1-ffffffff.part`;
    await mkdir(disk(folder));
    const brokenLink = `.out.${KEY}.1-eeeeeeee.part`;
    await symlink('nowhere', disk(brokenLink));
    await (await find()).remove();
    lock.unlock();
    (await fileNames()).should.deepEqual(
      [...remaining, lock.fileName, folder, brokenLink, '.out.part'].sort(),
    );
  });

  it('OrphanedParts removes no part whose owner has continued since it was found', async () => {
    const pid = process.ppid;
    const part = await addPart({ pid, startTime: startTimeOf(pid) ?? '', age: 2 * 3_600 });
    const found = await find();
    await utimes(disk(part), new Date(), new Date());
    await found.remove();
    (await fileNames()).should.deepEqual([part]);
  });

  it('OrphanedParts doesn’t look for other parts if their names are known', async () => {
    const [known, other] = [await addPart({ key: OTHER_KEY }), await addPart()];
    const found = await OrphanedParts.find(disk(), 'out', [known]);
    should(await claim(found)).be.undefined();
    await found.remove();
    (await fileNames()).should.deepEqual([other]);
  });

  it('OrphanedParts finds nothing in a folder that can’t be read', async () => {
    const found = await OrphanedParts.find(disk('none'), 'out');
    found.has(KEY).should.be.false();
    await found.remove();
  });

  it('OrphanedParts waits for parts of the same target, and of no other, that are being closed', async () => {
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const lock = new PartLock(newPartName('out', KEY));
    await writeFile(disk(lock.fileName), 'x');
    lock.unlockAfter(closed);
    should(await claim(await find('other'))).be.undefined();
    let isFound = false;
    const found = find().finally(() => (isFound = true));
    for (let count = 0; count < 3; count++) await find('other');
    isFound.should.be.false();
    close();
    const next = await claim(await found);
    should(next).be.an.instanceof(PartLock);
    next?.unlock();
  });
});

describe('PartLock', () => {
  const disk = useDisk();
  const { setInterval, clearInterval } = globalThis;
  let handle: FileHandle;
  let beat: (() => void) | undefined;
  let interval: number | undefined;

  beforeEach(async () => {
    handle = await open(disk('part'), 'w');
    await utimes(disk('part'), 1_000_000, 1_000_000);
    const timer = { unref: () => timer };
    Object.assign(globalThis, {
      setInterval: (callback: () => void, ms: number) => {
        [beat, interval] = [callback, ms];
        return timer;
      },
      clearInterval: (cleared: unknown) => {
        if (cleared === timer) beat = undefined;
      },
    });
  });
  afterEach(async () => {
    Object.assign(globalThis, { setInterval, clearInterval });
    await handle.close();
  });

  it('PartLock updates the modification time of the file every 5 seconds', async () => {
    const start = Date.now();
    new PartLock('part').startHeartbeat(handle);
    should(interval).equal(5_000);
    beat?.();
    // Waits for the update, as it waits for all operations of the handle.
    await handle.close();
    (await stat(disk('part'))).mtimeMs.should.be.within(start - 1, Date.now() + 1);
  });

  it('PartLock ends its heartbeat when it is unlocked', () => {
    const lock = new PartLock('part');
    lock.startHeartbeat(handle);
    isLocked('part').should.be.true();
    lock.unlock();
    isLocked('part').should.be.false();
    should(beat).be.undefined();
  });

  it('PartLock ends its heartbeat, but stays locked, while the file is being closed', async () => {
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const lock = new PartLock('part');
    lock.startHeartbeat(handle);
    lock.unlockAfter(closed);
    should(beat).be.undefined();
    isLocked('part').should.be.true();
    close();
    await closed;
    isLocked('part').should.be.false();
  });

  it('PartLock ignores a failed update', async () => {
    await handle.close();
    new PartLock('part').startHeartbeat(handle);
    beat?.();
    await new Promise((resolve) => setImmediate(resolve));
  });
});
