/** The backup node as docs/nodes/backup.md describes it. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { generateAgeKeys } from '../../src/backup/archive/age';
import type { DriveFile } from '../../src/index';
import { contentsOf, describeTree, varyAttributes, writeTree } from '../support/archive/tree';
import { FakeClock, replaceSystemClock, restoreSystemClock } from '../support/clock';
import { bytes } from '../support/content';
import { useDisk } from '../support/disk';
import { CREDENTIALS } from '../support/node-red/account';
import { fileRequests, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, type LoadOptions, type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { MINE, minimalAccount, withMinimalService } from '../support/node-red/minimal-account';
import { failed, passed } from '../support/node-red/outcome';
import { itLong } from '../support/run/long';

const PRIVATE = 'AGE-SECRET-KEY-1CANARY';
const TWO = 'age1d7tfe93h80x6akt6xvvtjx9yhznymrjweeeklxfxt67wd9pl29kqwjvn5y, age1x';
/** Its first slot is empty. */
const WITH_GAP = Object.assign(new Array<string>(2), { 1: 'HOME' });
const PASSPHRASE = 'canary-passphrase correct horse';

const backup = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-backup', ...more });
const restore = (more: object = {}): FlowNode => ({ id: 'r', type: 'cloud-drive-restore', ...more });

interface Sent extends NodeMessage {
  payload: DriveFile;
  backup: {
    number: number | null;
    date: string;
    complete: boolean;
    entries: number;
    bytes: number;
    changed: string[];
    skipped: string[];
  };
  pruned: { kept: DriveFile[]; removed: DriveFile[]; failed: (DriveFile & { error: { code: string } })[] };
}

describe('backup node', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  let folder: string;
  let onDrive: string;
  let tests = 0;

  beforeEach(async () => {
    onDrive = `/Backups ${++tests}`;
    folder = await drive().files.addFolder(onDrive.slice(1));
    await writeTree(disk('home'), { 'a.txt': 'hello', 'docs/b.txt': 'world', 'empty/': '' });
  });

  const loadNodes = (more: object = {}, options: LoadOptions = {}, others: FlowNode[] = []) =>
    load([backup({ folder: onDrive, ...more }), ...others], { url: drive().url, ...options });
  const run = async (flow: LoadedFlow, msg: object = {}): Promise<Sent> =>
    passed(await flow.run('n', { filename: disk('home'), ...msg })) as Sent;
  const names = (): string[] => drive().files.untrashedNames(folder);
  const today = (): string => {
    const now = new Date();
    const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
    return parts.map((part) => String(part).padStart(2, '0')).join('-');
  };

  it('backup uploads a folder as a numbered archive and says what is in it', async () => {
    const flow = await loadNodes();
    const days = [today()];
    const sent = await run(flow, { payload: 'from before', topic: 'mine' });
    days.push(today());
    const { date } = sent.backup;
    days.should.containEql(date);
    const name = `home-${date}-0001.tar.gz`;
    names().should.eql([name]);
    should(sent).containEql({ filename: disk('home'), topic: 'mine' });
    should(sent.payload).have.properties('id', 'size', 'md5Checksum').and.have.property('name', name);
    should(sent.backup).eql({
      number: 1,
      date,
      entries: 5,
      bytes: 10,
      complete: true,
      changed: [],
      skipped: [],
    });
    should(sent.pruned).eql({ kept: [], removed: [], failed: [] });
    should(flow.statuses('n').at(-1)?.text).startWith(`${name} · `);
    should((await run(flow)).backup.number).equal(2);
    const list = execFileSync('tar', ['-tz'], { input: await drive().files.contentOf(sent.payload.id) });
    list
      .toString()
      .trim()
      .split('\n')
      .sort()
      .should.eql(['home/', 'home/a.txt', 'home/docs/', 'home/docs/b.txt', 'home/empty/']);
  });

  it('backup stores several sources in an archive that is named after the first', async () => {
    await writeTree(disk(), { 'other/c': 'c', 'single.txt': 'file' });
    const filename = [disk('other'), disk('home') + path.sep, disk('single.txt')];
    const sent = await run(await loadNodes({ compression: 'none', targetName: '{name}' }), { filename });
    should(sent.payload.name).equal('other.tar');
    should(sent.backup).containEql({ number: null, entries: 8 });
  });

  for (const [targetName, word] of [
    ['a\nb', 'contains a line break'],
    ['../outside', 'contains a slash'],
    ['/outside', 'contains a slash'],
  ] as const) {
    it(`backup rejects the archive name ${JSON.stringify(targetName)} of a message`, async () => {
      const flow = await loadNodes({ targetName: 'called', targetNameType: 'msg' });
      const msg = { filename: disk('home'), called: targetName };
      failed(await flow.run('n', msg), 'invalid_input', 'targetName', word, 'No request was made');
      names().should.be.empty();
    });
  }

  it('backup names an archive after a source with a line break', async () => {
    await writeTree(disk(), { 'two\nlines/a': 'a' });
    await run(await loadNodes({ targetName: '{name}' }), { filename: disk('two\nlines') });
    names().should.eql(['two_lines.tar.gz']);
  });

  it('backup leaves out what the patterns exclude', async () => {
    await writeTree(disk('home'), { 'node_modules/x/y': 'y', 'docs/c.log': 'c' });
    const sent = await run(await loadNodes({ exclude: ' node_modules \n\n*.log', compression: 'none' }));
    should(sent.backup.entries).equal(5);
  });

  it('backup creates missing folders unless that is turned off', async () => {
    const missing = `${onDrive}/deep/er`;
    failed(
      await (await loadNodes({ folder: missing, createFolders: false })).run('n', { filename: disk('home') }),
      'not_found',
      missing,
    );
    names().should.be.empty();
    await helper.unload();
    await run(await loadNodes({ folder: missing }));
    names().should.eql(['deep']);
  });

  it('backup removes only its own old archives, after the new one', async () => {
    const others = ['homes-2020-01-01-0001.tar.gz', 'home-2020-01-01-0001.zip', 'home-latest.tar.gz'];
    // In the order of their numbers: the dates may be those of a wrong clock.
    const own = ['home-2020-01-01-0001.tar.gz', 'home-2020-01-03-0003.tar.gz', 'home-2020-01-02-0007.tar.gz'];
    for (const name of [...others, ...own])
      await drive().files.add({ name, parent: folder, content: 'x', mimeType: 'application/gzip' });
    const sent = await run(await loadNodes({ keepNewest: 2, mode: 'permanent' }));
    const name = `home-${sent.backup.date}-0008.tar.gz`;
    should(sent.pruned.kept.map((file) => file.name)).eql([name, own[2]]);
    should(sent.pruned.removed.map((file) => file.name)).eql([own[1], own[0]]);
    names()
      .sort()
      .should.eql([...others, own[2], name].sort());
  });

  it('backup reports archives that could not be removed as partial_failure, with the new archive', async () => {
    const name = 'home-2020-01-01-0001.tar.gz';
    const old = await drive().files.add({ name, parent: folder, content: 'x', mimeType: 'application/gzip' });
    const match = { method: 'PATCH', path: new RegExp(`${old}$`) };
    drive().faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match, times: 99 });
    const flow = await loadNodes({ keepNewest: 1 });
    const ending = await flow.run('n', { filename: disk('home') });
    const { payload, backup: stored, pruned } = ending.msg as Sent;
    failed(ending, 'partial_failure', `home-${stored.date}-0002.tar.gz`, '1 of 1');
    should(payload.name).equal(`home-${stored.date}-0002.tar.gz`);
    should(pruned.failed).have.length(1);
    should(pruned.failed[0]).containDeep({ id: old, name, error: { code: 'permission_denied' } });
    names().should.have.length(2);
  });

  for (const [passphrase, code, word] of [
    ['${UNSET_PASSPHRASE}', 'not_configured', 'UNSET_PASSPHRASE'],
    ['$(UNSET_PASSPHRASE)', 'not_configured', 'UNSET_PASSPHRASE'],
    ['two\nlines', 'invalid_input', 'passphrase contains a control character (at position 4)'],
    ['a tab\t', 'invalid_input', 'control character (at position 6)'],
  ] as const) {
    it(`backup with the passphrase ${JSON.stringify(passphrase)} is ${code}, and requests nothing`, async () => {
      const credentials = { account: CREDENTIALS, n: { passphrase } };
      const flow = await loadNodes({ encryption: 'passphrase' }, { credentials });
      failed(await flow.run('n', { filename: disk('home') }), code, word);
      fileRequests(drive()).should.be.empty();
    });
  }

  for (const [problem, settings, msg, words] of [
    ['no path', {}, { filename: undefined }, ['source', 'msg.filename']],
    ['an empty path', {}, { filename: '' }, ['source']],
    ['a path that is an object', {}, { filename: {} }, ['source', '{}']],
    ['an empty array', {}, { filename: [] }, ['source']],
    ['an array with an empty slot', {}, { filename: WITH_GAP }, ['source', 'undefined']],
    ['the same name twice', {}, { filename: ['HOME', 'HOME/'] }, ['home']],
    ['an empty folder', {}, { filename: 'HOME/empty' }, ['empty']],
    ['a folder of which everything is excluded', { exclude: '*' }, {}, ['home']],
    ['an unknown placeholder', { targetName: '{day}' }, {}, ['{day}', '{number}']],
    ['an open brace', { targetName: 'a{name' }, {}, ['{name']],
    ['a slash in the name', { targetName: 'a/{name}' }, {}, ['targetName', 'slash']],
    [
      'an extension in the name',
      { targetName: '{name}-{number}.tar.gz' },
      {},
      ['targetName', '“{name}-{number}.tar.gz”', 'Remove .tar.gz'],
    ],
    [
      'placeholders without a separator',
      { targetName: '{name}{number}' },
      {},
      ['“{name}{number}”', 'separator'],
    ],
    ['an empty name', { targetName: '' }, {}, ['targetName', 'is empty']],
    ['an unset name', { targetName: 'x', targetNameType: 'msg' }, {}, ['targetName', 'msg.x']],
    ['an unset folder', { folder: 'x', folderType: 'msg' }, {}, ['folder', 'msg.x']],
    ['no passphrase', { encryption: 'passphrase' }, {}, ['passphrase']],
    ['no public key', { encryption: 'recipients' }, {}, ['recipients', 'age1']],
    [
      'two keys of which one is wrong',
      { encryption: 'recipients', recipients: TWO },
      {},
      ['Key 2 in recipients'],
    ],
    ['a malformed key', { encryption: 'recipients', recipients: '\nage1x' }, {}, ['Key 1 in recipients']],
    ['a private key', { encryption: 'recipients', recipients: PRIVATE }, {}, ['Key 1', 'private key']],
    ['a malformed pattern', { exclude: '[z-a]' }, {}, []],
    ['an unknown encryption', { encryption: 'zip' }, {}, ['encryption', 'passphrase']],
    ['an unknown compression', { compression: 'xz' }, {}, ['compression', "'xz'", 'gzip']],
    ['a negative rule', { daily: -1 }, {}, ['daily', '-1']],
    ['a negative delay', { jitter: -1 }, {}, ['jitter', '-1']],
  ] as const) {
    it(`backup refuses ${problem} before it requests anything`, async () => {
      const flow = await loadNodes({ keepNewest: 1, ...settings });
      const filename = 'filename' in msg ? inHome(msg.filename) : disk('home');
      const error = failed(await flow.run('n', { filename }), 'invalid_input', ...words);
      fileRequests(drive()).should.be.empty();
      JSON.stringify([error, flow.statuses('n'), flow.logged()]).should.not.containEql(PRIVATE);
    });
  }
  const inHome = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inHome);
    return typeof value === 'string' ? value.replace('HOME', disk('home')) : value;
  };

  it('backup reports a missing source or a pipe before it requests anything', async () => {
    execFileSync('mkfifo', [disk('pipe')]);
    const flow = await loadNodes();
    const [missing, pipe] = [disk('nowhere'), disk('pipe')];
    failed(await flow.run('n', { filename: missing }), 'local_file', missing, 'source of the backup');
    failed(await flow.run('n', { filename: pipe }), 'local_file', pipe);
    fileRequests(drive()).should.be.empty();
  });

  it('backup lists what it could not include, and logs the reasons once', async () => {
    execFileSync('mkfifo', [disk('home', 'pipe')]);
    const flow = await loadNodes();
    const sent = await run(flow);
    should(sent.backup).containEql({ skipped: ['home/pipe'], entries: 5, complete: true });
    const { fill, shape, text } = flow.statuses('n').at(-1) ?? {};
    should({ fill, shape }).eql({ fill: 'yellow', shape: 'dot' });
    should(text).match(/^home-.*-0001\.tar\.gz · .* · 1 skipped$/);
    const warnings = flow.logged().filter((line) => line.includes('home/pipe'));
    warnings.should.have.length(1);
    warnings[0]!.should.containEql('home/pipe (named pipe)');
  });

  for (const format of ['archive', 'snapshot'])
    it(`backup of the format ${format} says that its folder is new, also if the folder was deleted`, async () => {
      await drive().files.remove(folder);
      const credentials = { account: CREDENTIALS, n: { passphrase: PASSPHRASE } };
      const flow = await loadNodes({ format }, { credentials });
      for (const isNew of [true, false]) {
        await run(flow);
        const { fill, text } = flow.statuses('n').at(-1) ?? {};
        should(fill).equal(isNew ? 'yellow' : 'green');
        String(text).endsWith(' · new folder').should.equal(isNew);
        const warnings = flow.logged().filter((line) => line.includes(`The folder ${onDrive} was missing`));
        warnings.should.have.length(1);
      }
    });

  it('backup doesn’t call a folder new that comes with the message, such as one per month', async () => {
    const flow = await loadNodes({ folder: 'folder', folderType: 'msg' });
    await run(flow, { folder: `${onDrive}/2026-11` });
    should(flow.statuses('n').at(-1)?.fill).equal('green');
    flow.logged().join().should.not.containEql('was missing');
  });

  it('backup says in a yellow status that archives are from another path, and keeps them', async () => {
    await writeTree(disk('other', 'home'), { 'a.txt': 'other' });
    const flow = await loadNodes({ keepNewest: 1, minimum: 0 });
    await run(flow, { filename: disk('other', 'home') });
    for (let times = 0; times < 2; times++) await run(flow);
    names().should.have.length(2);
    const { fill, shape, text } = flow.statuses('n').at(-1) ?? {};
    should({ fill, shape }).eql({ fill: 'yellow', shape: 'dot' });
    should(text).match(/^home-.*-0003\.tar\.gz · .* · 1 archive of another backup$/);
    flow.logged().join().should.containEql('same names from another machine or path (1)');
  });

  describe('with restore', () => {
    let keys: { identity: string; recipient: string };
    before(async () => {
      keys = await generateAgeKeys();
    });

    /** Names, links, modes and times that are easily lost. */
    async function writeOddTree(): Promise<void> {
      const long = 'n'.repeat(200);
      await writeTree(disk('home'), {
        [`${long}/${long}.txt`]: 'long',
        'ünï\u0301/日本語 🎉.txt': 'unicode',
        'with space, "quotes" and\nnewline': 'odd',
        '-rf': 'dash',
        '.hidden/.also': 'hidden',
        link: '-> a.txt',
        broken: '-> /no/such/file',
        up: '-> ../elsewhere',
        zero: '',
      });
      await writeFile(disk('home', 'large.bin'), bytes(1_500_000));
      await writeFile(disk('home', 'run.sh'), '#!/bin/sh');
      await chmod(disk('home', 'run.sh'), 0o755);
      await varyAttributes(disk('home'));
    }

    for (const [title, settings, secret, given] of [
      ['without encryption', {}, () => ({}), () => ({})],
      [
        'with a passphrase',
        { encryption: 'passphrase', compression: 'none' },
        () => ({ passphrase: PASSPHRASE }),
        () => ({ passphrase: PASSPHRASE }),
      ],
      [
        'with a passphrase of a variable that ends in a line break',
        { encryption: 'passphrase' },
        () => ({ passphrase: `${PASSPHRASE}\n` }),
        () => ({ passphrase: PASSPHRASE }),
      ],
      ['for a public key', { encryption: 'recipients' }, () => ({}), () => ({ identity: keys.identity })],
    ] as const) {
      // Deriving a key from a passphrase takes a second.
      const register = title.endsWith('line break') ? itLong : it;
      register(`an odd tree comes back identical ${title}`, async () => {
        await writeOddTree();
        const node = { ...settings, recipients: 'recipients' in settings ? '' : keys.recipient };
        const credentials = { account: CREDENTIALS, n: secret(), r: given() };
        const flow = await loadNodes(node, { credentials }, [restore({ folder: onDrive })]);
        const sent = await run(flow);
        should(sent.payload.name).endWith('encryption' in settings ? '.age' : '.gz');
        passed(await flow.run('r', { filename: disk('restored') }));
        (await describeTree(disk('restored', 'home'))).should.eql(await describeTree(disk('home')));
        const seen = JSON.stringify([sent, flow.messages('ended'), flow.statuses('n'), flow.logged()]);
        seen.should.not.match(/canary-passphrase|AGE-SECRET-KEY/);
        const stored = await drive().files.contentOf(sent.payload.id);
        if ('encryption' in settings) should(stored.includes('unicode')).be.false();
      });
    }

    it('a round as in the specification: dated archives in a folder, found by number, old ones removed', async () => {
      const year = `${onDrive}/2026`;
      const flow = await loadNodes({ folder: year, keepNewest: 2, mode: 'permanent' }, {}, [
        restore({ folder: year, which: 'number', overwrite: 'replace' }),
      ]);
      const dates: string[] = [];
      for (const number of [1, 2, 3]) {
        await writeFile(disk('home', 'a.txt'), `night ${number}`);
        const { backup: stored } = await run(flow);
        should(stored.number).equal(number);
        dates.push(stored.date);
      }
      const [yearFolder] = drive().files.in(folder);
      const left = drive().files.in(yearFolder!.id);
      left
        .map(({ name }) => name)
        .should.eql([2, 3].map((number) => `home-${dates[number - 1]}-000${number}.tar.gz`));
      const filename = disk('restored');
      const sent = passed(await flow.run('r', { payload: '0002', filename }));
      should(sent['restored']).containDeep({ number: 2, date: dates[1], entries: 5 });
      (await contentsOf(disk('restored', 'home'))).should.eql({
        ...(await contentsOf(disk('home'))),
        'a.txt': 'night 2',
      });
      failed(await flow.run('r', { payload: 1, filename }), 'not_found', '1');
    });
  });

  describe('while it runs', () => {
    let endStall: () => void;
    const match = { path: '/upload/' };
    beforeEach(async () => {
      await writeFile(disk('home', 'large.bin'), bytes(8_000_000));
      const until = new Promise<void>((resolve) => (endStall = resolve));
      drive().faults.add({
        kind: 'stallRequest',
        bytes: 1_000_000,
        until,
        match: { ...match, method: 'PUT' },
      });
    });
    afterEach(() => {
      endStall();
      restoreSystemClock();
    });
    const stalled = (): Promise<unknown> =>
      drive().traffic.until(() => drive().requests.to('PUT', /upload/).length > 0);

    it('backup sends its progress to the second output', async () => {
      const flow = await loadNodes({ progress: true, outputs: 2, compression: 'none' });
      endStall();
      const ending = await flow.run('n', { filename: disk('home'), topic: 'mine' });
      const { payload, backup } = passed(ending) as Sent;
      const last = ending.second.at(-1)!;
      should(last).containEql({ topic: 'mine', file: payload });
      should(last.payload).containDeep({
        transferred: Number(payload.size),
        entries: backup.entries,
        bytes: backup.bytes,
      });
    });

    // More than the buffers of a connection hold, so that there is progress after the stall. Half of it can be compressed.
    const content = bytes(48_000_000);
    for (let start = 0; start < content.length; start += 1_000_000) content.fill(0, start, start + 500_000);

    for (const compression of ['none', 'gzip'] as const) {
      it(`backup shows items, size and the rate at which it reads in its status, with compression ${compression}`, async () => {
        await writeFile(disk('home', 'large.bin'), content);
        const clock = new FakeClock();
        replaceSystemClock(clock);
        const flow = await loadNodes({ compression });
        drive().faults.clear();
        // The first progress is shown after a second.
        const until = (): Promise<void> => Promise.resolve(clock.elapse(1_100));
        drive().faults.add({ kind: 'stallRequest', bytes: 1_000_000, until, match: { method: 'PUT' } });
        passed(await flow.run('n', { filename: disk('home') }));
        const shown = flow.statuses('n').filter(({ fill }) => fill === 'blue');
        const text = shown.map((status) => status.text).join('\n');
        const [, read, rate] = /^\d items? · (\d+(?:\.\d)?) MB · ([\d.]+) MB\/s$/m.exec(text) ?? [];
        should(Number(rate)).be.approximately(Number(read) / 1.1, 0.2, text);
      });
    }

    for (const way of ['msg.cancel', 'a deploy'] as const) {
      it(`backup stops with ${way}, stores and removes nothing, and works the next time`, async () => {
        const name = 'home-2020-01-01-0001.tar.gz';
        await drive().files.add({ name, parent: folder, content: 'x', mimeType: 'application/gzip' });
        const flow = await loadNodes({ keepNewest: 1 });
        const running = flow.run('n', { filename: disk('home') });
        await stalled();
        if (way === 'msg.cancel') {
          await flow.run('n', { cancel: true });
          failed(await running, 'cancelled');
        } else {
          await flow.redeploy('n', { name: 'changed' });
        }
        names().should.eql([name]);
        endStall();
        const { date } = (await run(flow)).backup;
        names().should.eql([`home-${date}-0002.tar.gz`]);
      });
    }
  });

  it('backup works with a service without upload sessions, and leaves no temporary file', async () => {
    const before = await readdir(path.dirname(disk()));
    await withMinimalService(async (service, id) => {
      const account = minimalAccount(service);
      const nodes = [
        backup({ account: 'mine', folder: id }),
        restore({ account: 'mine', folder: id }),
        account,
      ];
      const flow = await load(nodes, { credentials: MINE });
      await run(flow);
      passed(await flow.run('r', { filename: disk('restored') }));
      (await contentsOf(disk('restored', 'home'))).should.eql(await contentsOf(disk('home')));
    });
    const after = await readdir(path.dirname(disk()));
    after.filter((name) => !before.includes(name) && /backup|archive/.test(name)).should.be.empty();
  });

  it('an archive on a service without a folder MIME type in the account can be restored', async () => {
    await withMinimalService(async (service, id) => {
      const account = minimalAccount(service, { folderMimeType: '' });
      const ofFolder = { account: 'mine', folder: id };
      const flow = await load([backup(ofFolder), restore(ofFolder), account], {
        credentials: MINE,
      });
      await run(flow);
      passed(await flow.run('r', { filename: disk('restored') }));
      (await contentsOf(disk('restored', 'home'))).should.eql(await contentsOf(disk('home')));
    });
  });

  it('backup of a disk that is not mounted uploads nothing and removes nothing', async () => {
    const name = 'home-2020-01-01-0001.tar.gz';
    await drive().files.add({ name, parent: folder, content: 'x', mimeType: 'application/gzip' });
    await rm(disk('home'), { recursive: true });
    await mkdir(disk('home'));
    const flow = await loadNodes({ keepNewest: 1 });
    failed(await flow.run('n', { filename: disk('home') }), 'invalid_input', disk('home'));
    names().should.eql([name]);
  });
});
