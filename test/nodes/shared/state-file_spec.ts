/** The encrypted state file, on a real disk. */
import fs, {
  type FileHandle,
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { StateFile } from '../../../nodes/shared/runtime/state-file';
import { execFileSync } from 'node:child_process';
import { FakeClock } from '../../support/clock';
import { useFileHandles } from '../../support/file-handles';

describe('StateFile', () => {
  let userDir: string;
  let warnings: string[];

  beforeEach(async () => {
    userDir = await mkdtemp(path.join(tmpdir(), 'state-'));
    warnings = [];
  });
  afterEach(() => rm(userDir, { recursive: true, force: true }));

  const replace = useFileHandles();

  const open = (options: { userDir?: string | undefined; secret?: string | undefined } = {}): StateFile =>
    new StateFile({
      userDir: 'userDir' in options ? options.userDir : userDir,
      secret: () => ('secret' in options ? options.secret : 'secret'),
      warn: (text) => warnings.push(text),
    });
  const file = (): string => path.join(userDir, '.cloud-drive-state');
  const aside = (): string => `${file()}.unreadable`;

  it('StateFile returns the stored values after a restart', async () => {
    const state = open();
    await state.set('tokens', 'a', { refreshToken: 'canary' });
    await state.set('sessions', 'a', 5);
    should(open().get('tokens', 'a')).eql({ refreshToken: 'canary' });
    should(open().get('sessions', 'a')).equal(5);
    should(open().get('tokens', 'b')).be.undefined();
    warnings.should.eql([]);
  });

  it('StateFile deletes a value that is set to undefined', async () => {
    const state = open();
    await state.set('tokens', 'a', 1);
    await state.set('tokens', 'a', undefined);
    should(open().get('tokens', 'a')).be.undefined();
  });

  it('StateFile encrypts the file and makes it readable only for its owner', async () => {
    await open().set('tokens', 'a-canary-id', 'canary-token');
    (await readFile(file())).toString('latin1').should.not.match(/canary/);
    ((await stat(file())).mode & 0o777).should.equal(0o600);
  });

  it('StateFile restricts the permissions of a temporary file left by a crash', async () => {
    await writeFile(`${file()}.new`, 'half', { mode: 0o644 });
    await open().set('tokens', 'a', 1);
    ((await stat(file())).mode & 0o777).should.equal(0o600);
    (await readdir(userDir)).should.eql(['.cloud-drive-state']);
  });

  it('StateFile starts empty with another secret, and warns once it has renamed the old file', async () => {
    await open().set('tokens', 'a', 1);
    const other = open({ secret: 'another' });
    should(other.get('tokens', 'a')).be.undefined();
    warnings.should.eql([]);
    await other.set('tokens', 'b', 1);
    await other.set('tokens', 'b', 2);
    warnings.should.eql(['state_unreadable']);
  });

  it('StateFile renames a file of another secret before its first write', async () => {
    await open().set('tokens', 'a', 'canary');
    await chmod(file(), 0o644);
    const old = await readFile(file());
    const other = open({ secret: 'another' });
    should(other.get('tokens', 'a')).be.undefined();
    (await readdir(userDir)).should.eql(['.cloud-drive-state']);
    await other.set('tokens', 'b', 1);
    await other.set('tokens', 'c', 1);
    (await readdir(userDir)).should.eql(['.cloud-drive-state', '.cloud-drive-state.unreadable']);
    (await readFile(aside())).equals(old).should.be.true();
    ((await stat(aside())).mode & 0o777).should.equal(0o600);
    should(open({ secret: 'another' }).get('tokens', 'b')).equal(1);
    warnings.should.eql(['state_unreadable']);
  });

  it('StateFile reads the file again with the former secret and renames at most one', async () => {
    await open().set('tokens', 'a', 1);
    await open({ secret: 'another' }).set('tokens', 'b', 2);
    const again = open();
    should([again.get('tokens', 'a'), again.get('tokens', 'b')]).eql([1, undefined]);
    await again.set('tokens', 'c', 3);
    (await readdir(userDir)).should.eql(['.cloud-drive-state', '.cloud-drive-state.unreadable']);
    should(open().get('tokens', 'a')).equal(1);
    should(open({ secret: 'another' }).get('tokens', 'b')).equal(2);
  });

  it('StateFile renames an unreadable file of another owner whose permissions it can not change', async () => {
    await open().set('tokens', 'a', 1);
    const old = await readFile(file());
    const own = fs.chmod;
    fs.chmod = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    try {
      await open({ secret: 'another' }).set('tokens', 'b', 1);
    } finally {
      fs.chmod = own;
    }
    (await readFile(aside())).equals(old).should.be.true();
    should(open({ secret: 'another' }).get('tokens', 'b')).equal(1);
  });

  it('StateFile does not overwrite an unreadable file that it can not rename, and warns', async () => {
    await open().set('tokens', 'a', 1);
    const old = await readFile(file());
    await mkdir(path.join(aside(), 'in the way'), { recursive: true });
    await open({ secret: 'another' }).set('tokens', 'b', 1);
    (await readFile(file())).equals(old).should.be.true();
    warnings.should.eql(['state_not_writable']);
  });

  describe('with a secret that replaces the one that Node-RED generated', () => {
    const openBoth = (secret: string | undefined): StateFile =>
      new StateFile({
        userDir,
        secret: () => secret,
        formerSecret: () => 'generated',
        warn: (text) => warnings.push(text),
      });
    beforeEach(() => open({ secret: 'generated' }).set('tokens', 'a', 1));

    it('StateFile writes the file with both secrets, before anything uses it', async () => {
      for (let start = 0; start < 2; start++) {
        const state = openBoth('own');
        await state.flush();
        should(state.get('tokens', 'a')).equal(1);
      }
      for (const secret of ['own', 'generated']) should(open({ secret }).get('tokens', 'a')).equal(1);
      await open({ secret: 'own' }).set('tokens', 'a', 2);
      should(open({ secret: 'own' }).get('tokens', 'a')).equal(2);
      warnings.should.eql([]);
      should(open({ secret: 'generated' }).get('tokens', 'a')).be.undefined();
    });

    it('StateFile reads the file if encryption was turned off, and writes nothing', async () => {
      const before = await readFile(file());
      const state = openBoth(undefined);
      should(state.get('tokens', 'a')).equal(1);
      await state.set('tokens', 'a', 2);
      (await readFile(file())).equals(before).should.be.true();
      warnings.should.eql(['state_no_secret']);
    });
  });

  for (const [description, bytes] of Object.entries({
    'the start of a file for two secrets': Buffer.from([2, 0, 0]),
    'a file for two secrets with a wrong length': Buffer.alloc(40, 2),
    'an empty file': Buffer.alloc(0),
    'half a file': Buffer.alloc(20, 1),
    noise: Buffer.alloc(500, 7),
  })) {
    it(`StateFile starts empty with ${description} and stores new values`, async () => {
      await writeFile(file(), bytes);
      const state = open();
      should(state.get('tokens', 'a')).be.undefined();
      await state.set('tokens', 'a', 1);
      warnings.should.eql([description === 'noise' ? 'state_newer' : 'state_unreadable']);
      should(open().get('tokens', 'a')).equal(1);
    });
  }

  it('StateFile keeps a file of a newer version under another name, and says so', async () => {
    await open().set('tokens', 'a', 1);
    const newer = Buffer.concat([Buffer.of(3), (await readFile(file())).subarray(1)]);
    await writeFile(file(), newer);
    const state = open();
    should(state.get('tokens', 'a')).be.undefined();
    await state.set('tokens', 'b', 1);
    warnings.should.eql(['state_newer']);
    (await readFile(aside())).equals(newer).should.be.true();
  });

  it('StateFile does not overwrite a file while it cannot be read, and then adds what was stored since', async () => {
    const clock = new FakeClock('manual');
    await open().set('tokens', 'before', 1);
    await rename(file(), `${file()}.moved`);
    await symlink(file(), file());
    const state = new StateFile({
      ...{ userDir, clock, secret: () => 'secret' },
      warn: (text) => warnings.push(text),
    });
    should(state.get('tokens', 'before')).be.undefined();
    await state.set('tokens', 'a', 1);
    should(state.get('tokens', 'a')).equal(1);
    (await readlink(file())).should.equal(file());
    warnings.should.eql(['state_not_read']);
    await rename(`${file()}.moved`, file());
    await clock.advance(3_000);
    await state.flush();
    should(open().entries('tokens')).eql([
      ['before', 1],
      ['a', 1],
    ]);
    should(state.get('tokens', 'before')).equal(1);
  });

  it('StateFile flushes its folder after it has renamed the new file, so that a power failure doesn’t bring the old one back', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    const flushed: string[] = [];
    replace<FileHandle['sync']>('sync', (real) => {
      return async function (this: FileHandle) {
        const [name, names] = [await readlink(`/proc/self/fd/${this.fd}`), await readdir(userDir)];
        flushed.push(`${path.relative(userDir, name)} of ${names.join()}`);
        return real.call(this);
      };
    });
    await open().set('tokens', 'a', 1);
    flushed.should.eql(['.cloud-drive-state.new of .cloud-drive-state.new', ' of .cloud-drive-state']);
  });

  it('StateFile writes concurrent changes together', async () => {
    const state = open();
    await Promise.all(Array.from({ length: 200 }, (_, index) => state.set('watch', String(index), index)));
    const again = open();
    Array.from({ length: 200 }, (_, index) => again.get('watch', String(index))).should.eql(
      Array.from({ length: 200 }, (_, index) => index),
    );
  });

  describe('with another Node-RED that uses the same user directory', () => {
    const openFor = (flowFile: string, secret = 'secret'): StateFile =>
      new StateFile({ userDir, flowFile, secret: () => secret, warn: (text) => warnings.push(text) });

    it('StateFile keeps the entries that another Node-RED has stored, changed or deleted', async () => {
      const [one, other] = [openFor('flows.json'), openFor('other.json')];
      await one.set('tokens', 'one', 1);
      await other.set('tokens', 'other', 1);
      await one.set('tokens', 'one', 2);
      await other.set('tokens', 'deleted', 1);
      await one.set('uploads', 'one', 1);
      await other.set('tokens', 'deleted', undefined);
      await one.set('uploads', 'one', undefined);
      await other.set('tokens', 'other', 2);
      const state = openFor('flows.json');
      should(state.entries('tokens').sort()).eql([
        ['one', 2],
        ['other', 2],
      ]);
      should(state.entries('uploads')).eql([]);
      (await readdir(userDir)).should.eql(['.cloud-drive-state']);
    });

    it('StateFile keeps the entries of two that write at the same moment', async () => {
      const both = [openFor('flows.json'), openFor('other.json')];
      for (let turn = 0; turn < 50; turn++)
        await Promise.all(both.map((state, index) => state.set('tokens', `${index} ${turn}`, turn)));
      openFor('flows.json').entries('tokens').length.should.equal(100);
      warnings.should.eql([]);
    });

    it('StateFile keeps the entries that another process stores after the last look at the file', async () => {
      const lock = `${file()}.lock`;
      const otherDir = path.join(userDir, 'other');
      await new StateFile({ userDir: otherDir, secret: () => 'secret', warn: () => undefined }).set(
        'tokens',
        'b',
        2,
      );
      const clock = new FakeClock();
      clock.onSleep = () => {
        renameSync(path.join(otherDir, '.cloud-drive-state'), file());
        rmSync(lock);
      };
      writeFileSync(lock, '');
      const state = new StateFile({
        userDir,
        clock,
        secret: () => 'secret',
        warn: (text) => warnings.push(text),
      });
      await state.set('tokens', 'a', 1);
      should(open().entries('tokens')).eql([
        ['b', 2],
        ['a', 1],
      ]);
      (await readdir(userDir)).sort().should.eql(['.cloud-drive-state', 'other']);
    });

    it('StateFile keeps the entries of two whose flow files have the same name', async () => {
      const both = [openFor('one/flows.json'), openFor('other/flows.json')];
      for (let turn = 0; turn < 50; turn++)
        await Promise.all(both.map((state, index) => state.set('tokens', `${index} ${turn}`, turn)));
      openFor('flows.json').entries('tokens').length.should.equal(100);
      warnings.should.eql([]);
    });

    it('StateFile finds its entries again after a restart if the other one has another secret', async () => {
      const [one, other] = [openFor('flows.json', 'one'), openFor('other.json', 'other')];
      for (let turn = 0; turn < 3; turn++) {
        await one.set('tokens', 'one', turn);
        await other.set('tokens', 'other', turn);
        should(openFor('flows.json', 'one').get('tokens', 'one')).equal(turn);
        should(openFor('other.json', 'other').get('tokens', 'other')).equal(turn);
      }
      await one.set('tokens', 'one', 3);
      should(openFor('other.json', 'other').get('tokens', 'other')).equal(2);
    });

    it('StateFile writes everything again if its file was deleted', async () => {
      const state = openFor('flows.json');
      await state.set('tokens', 'a', 1);
      await rm(file());
      await state.set('tokens', 'b', 1);
      should(openFor('flows.json').entries('tokens').length).equal(2);
    });
  });

  it('StateFile stores values in memory without a user directory and warns once', async () => {
    const state = open({ userDir: undefined });
    await state.set('tokens', 'a', 1);
    await state.set('tokens', 'a', 2);
    should(state.get('tokens', 'a')).equal(2);
    state.isAvailable.should.be.false();
    warnings.should.eql(['state_no_user_dir']);
  });

  it('StateFile writes nothing if credentials are not encrypted, and warns once', async () => {
    const state = open({ secret: undefined });
    await state.set('tokens', 'a', 1);
    (await readdir(userDir)).should.eql([]);
    warnings.should.eql(['state_no_secret']);
  });

  describe('after a failed write', () => {
    let clock: FakeClock;
    let blocked: string;
    let state: StateFile;

    /** A file in place of the directory makes every write fail, also for root. */
    const block = (): Promise<void> => writeFile(blocked, '');
    const saved = (): unknown => open({ userDir: blocked }).get('tokens', 'a');

    beforeEach(async () => {
      clock = new FakeClock('manual');
      blocked = path.join(userDir, 'user');
      await block();
      state = new StateFile({
        userDir: blocked,
        clock,
        secret: () => 'secret',
        warn: (text) => warnings.push(text),
      });
      await state.set('tokens', 'a', 'rotated');
      should(saved()).be.undefined();
    });

    it('StateFile writes again every three seconds, also after many failures and later changes', async () => {
      for (let failures = 1; failures < 12; failures++) {
        if (failures % 4 === 0) await state.set('tokens', 'a', `rotated ${failures}`);
        await clock.untilSleeping();
        await clock.advance(3_000);
        await state.flush();
      }
      new Set(clock.sleeps).should.eql(new Set([3_000]));
      await rm(blocked);
      await clock.advance(3_000);
      await state.flush();
      should(saved()).equal('rotated 8');
      clock.sleeping.should.equal(0);
    });

    it('StateFile writes everything with the next change', async () => {
      await rm(blocked);
      await state.set('tokens', 'b', 1);
      should(saved()).equal('rotated');
      clock.sleeping.should.equal(0);
    });

    it('StateFile writes when it is flushed on close', async () => {
      await rm(blocked);
      await state.flush();
      should(saved()).equal('rotated');
    });

    it('StateFile warns once per problem, and again when the problem returns', async () => {
      await state.set('tokens', 'a', 'second');
      await state.flush();
      warnings.should.eql(['state_not_writable']);
      await rm(blocked);
      await state.flush();
      await rm(blocked, { recursive: true });
      await block();
      await state.set('tokens', 'a', 'third');
      await state.flush();
      warnings.should.eql(['state_not_writable', 'state_not_writable']);
    });
  });

  for (const inPlace of ['the state file', 'the file that was put aside']) {
    it(`StateFile does not block on a FIFO in place of ${inPlace}`, async () => {
      const isAside = inPlace !== 'the state file';
      if (isAside) await writeFile(file(), 'noise');
      execFileSync('mkfifo', [isAside ? aside() : file()]);
      const state = open();
      should(state.get('tokens', 'a')).be.undefined();
      await state.set('tokens', 'a', 1);
      should(state.get('tokens', 'a')).equal(1);
      warnings.should.eql([isAside ? 'state_newer' : 'state_not_read']);
    });
  }

  it('StateFile changes no permissions of what a link in place of an unreadable state file leads to', async () => {
    await writeFile(`${file()}.other`, 'other', { mode: 0o644 });
    await symlink(`${file()}.other`, file());
    await open().set('tokens', 'a', 1);
    ((await stat(`${file()}.other`)).mode & 0o777).should.equal(0o644);
    should(open().get('tokens', 'a')).equal(1);
  });

  it('StateFile does not read a device in place of the state file', async () => {
    await symlink('/dev/zero', file());
    const state = open();
    should(state.get('tokens', 'a')).be.undefined();
    await state.set('tokens', 'a', 1);
    (await readlink(file())).should.equal('/dev/zero');
    warnings.should.eql(['state_not_read']);
  });

  it('StateFile warns with a text of its own if the list of restores can’t be written', async () => {
    await mkdir(`${file()}.new/in the way`, { recursive: true });
    const state = new StateFile({
      userDir,
      notWritableText: 'state_not_writable_restores',
      secret: () => 'secret',
      warn: (text) => warnings.push(text),
      resolved: (text) => warnings.push(`resolved: ${text}`),
    });
    await state.set('swaps', 'a', 1);
    await rm(`${file()}.new`, { recursive: true });
    await state.flush();
    warnings.should.eql(['state_not_writable_restores', 'resolved: state_not_writable_restores']);
  });

  it('StateFile warns once if the directory is read-only and stores values in memory', async () => {
    // A file in place of the directory makes every write fail, also for root.
    const blocked = path.join(userDir, 'file');
    await writeFile(blocked, '');
    const state = open({ userDir: path.join(blocked, 'user') });
    await state.set('tokens', 'a', 1);
    await state.set('tokens', 'a', 2);
    should(state.get('tokens', 'a')).equal(2);
    warnings.should.eql(['state_not_writable']);
  });
});
