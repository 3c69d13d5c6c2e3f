/** The restore node as docs/nodes/restore.md describes it. */
import { chmod, readdir, rm } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { generateAgeKeys } from '../../src/backup/archive/age';
import { encrypted } from '../support/archive/encrypted';
import { indexedArchive } from '../support/archive/indexed-archive';
import { packed } from '../support/archive/packed';
import { END_MARK, tar, tarGz, tarItem } from '../support/archive/tar-builder';
import { contentsOf, writeTree } from '../support/archive/tree';
import { useDisk } from '../support/disk';
import { CREDENTIALS } from '../support/node-red/account';
import { fileRequests, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, type LoadOptions, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const PASSPHRASE = 'canary-passphrase correct horse';
const IDENTITY = 'CANARY_IDENTITY';

const restore = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-restore', ...more });

describe('restore node', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  let folder: string;
  let path: string;
  let tests = 0;

  beforeEach(async () => {
    const name = `Backups ${++tests}`;
    path = `/${name}`;
    folder = await drive().files.addFolder(name);
  });

  const target = (): string => disk('target');
  const addArchive = (name: string, content: Buffer = tarGz({ name: 'home/a.txt', content: name })) =>
    drive().files.add({ name, parent: folder, content });
  const loadNode = (more: object = {}, options: LoadOptions = {}) =>
    load([restore({ folder: path, ...more })], { url: drive().url, ...options });
  /** Restores to `target`. */
  const run = async (more: object = {}, payload?: unknown, options: LoadOptions = {}) => {
    const flow = await loadNode(more, options);
    const ending = await flow.run('n', { payload, filename: target(), topic: 'mine' });
    await helper.unload();
    return ending;
  };
  const inFolder = (payload: unknown): unknown =>
    typeof payload === 'string' ? payload.replace('PATH', path) : payload;
  const restored = (): Promise<Record<string, string>> => contentsOf(target());

  it('restore unpacks the newest archive and says what it restored', async () => {
    await addArchive('home-2026-11-22-0042.tar.gz');
    await addArchive('home-2026-11-21-0041.tar.gz');
    const flow = await loadNode();
    const sent = passed(await flow.run('n', { payload: 'from before', filename: target(), topic: 'mine' }));
    const { file, ...rest } = sent['restored'] as { file: object };
    should(rest).eql({ number: 42, date: '2026-11-22', entries: 1, bytes: 27 });
    should(file).have.properties('id', 'size', 'md5Checksum');
    should(file).have.property('name', 'home-2026-11-22-0042.tar.gz');
    should(sent).containEql({ payload: target(), filename: target(), topic: 'mine' });
    should(await restored()).eql({ 'home/': '', 'home/a.txt': 'home-2026-11-22-0042.tar.gz' });
    (await readdir(disk())).should.eql(['target']);
    should(flow.statuses('n').at(-1)).eql({ fill: 'green', shape: 'dot', text: '1 item · 27 B' });
  });

  it('restore leaves out the top folder if the node is set to, and refuses an archive with several', async () => {
    await addArchive('home-0001.tar.gz');
    // As Node-RED substitutes an environment variable.
    passed(await run({ stripTop: 'false' }));
    should(await restored()).eql({ 'home/': '', 'home/a.txt': 'home-0001.tar.gz' });
    await rm(target(), { recursive: true });
    const options = { stripTop: true, overwrite: 'replace' };
    passed(await run(options));
    should(await restored()).eql({ 'a.txt': 'home-0001.tar.gz' });
    await addArchive('home-0002.tar.gz', tarGz({ name: 'a/a' }, { name: 'b/b' }));
    failed(
      await run(options),
      'invalid_input',
      '“home-0002.tar.gz” has more at its top than one folder: b. Nothing',
    );
    should(await restored()).eql({ 'a.txt': 'home-0001.tar.gz' });
  });

  it('restore says that an archive is incomplete, and the dot of the status is yellow', async () => {
    await addArchive('home-0001.incomplete.tar.gz');
    const flow = await loadNode({ which: 'file' });
    const msg = { payload: `${path}/home-0001.incomplete.tar.gz`, filename: target() };
    const { restored } = passed(await flow.run('n', msg)) as { restored?: object };
    should(restored).containEql({ number: 1, complete: false });
    const text = '1 item · 27 B · incomplete';
    should(flow.statuses('n').at(-1)).eql({ fill: 'yellow', shape: 'dot', text });
  });

  for (const [title, settings, payload, name] of [
    ['a number', { which: 'number' }, 41, 'home-2026-11-21-0041.tar.gz'],
    ['a number as text', { which: 'number' }, ' 0041 ', 'home-2026-11-21-0041.tar.gz'],
    ['a day', { which: 'date' }, '2026-11-21', 'home-2026-11-21-0041.tar.gz'],
    ['a Date', { which: 'date' }, new Date(2026, 10, 21, 12), 'home-2026-11-21-0041.tar.gz'],
    ['a path', { which: 'file' }, 'PATH/other.tar', 'other.tar'],
    ['a pattern', { pattern: 'oth*' }, undefined, 'other.tar'],
  ] as const) {
    it(`restore takes the archive of ${title}`, async () => {
      await addArchive('home-2026-11-21-0041.tar.gz');
      await addArchive('home-2026-11-22-0042.tar.gz');
      await addArchive('other.tar', tar({ name: 'home/a.txt', content: 'other.tar' }));
      const sent = passed(await run(settings, inFolder(payload)));
      should((sent['restored'] as { file: object }).file).have.property('name', name);
      should(await restored()).have.property('home/a.txt', name);
    });
  }

  for (const name of [
    '../../outside.tar',
    '..\n.tar',
    '/etc/a.tar',
    '...tar',
    'a\\..\\b.tar',
    'a\r\nb.tar',
  ]) {
    it(`restore writes nothing outside its folder for an archive that is called ${JSON.stringify(name)}`, async () => {
      await addArchive(name, tar({ name: 'home/a.txt', content: 'a' }));
      passed(await run());
      should(await restored()).eql({ 'home/': '', 'home/a.txt': 'a' });
      (await readdir(disk())).should.eql(['target']);
    });
  }

  it('restore takes the result of an upload node as the file', async () => {
    const id = await addArchive('home.tgz');
    passed(await run({ which: 'file' }, { id, name: 'home.tgz' }));
    should(await restored()).have.property('home/a.txt', 'home.tgz');
  });

  it('restore unpacks only the entries that a pattern selects', async () => {
    const content = tar({ name: 'home/a.txt', content: 'a' }, { name: 'home/b.log', content: 'b' });
    await addArchive('home.tar', content);
    const flow = await loadNode({ include: '\n *.log \n' });
    passed(await flow.run('n', { filename: target() }));
    should(await restored()).eql({ 'home/': '', 'home/b.log': 'b' });
    should(flow.statuses('n').at(-1)).have.property('text', '1 item · 1 B · no index');
  });

  it('the status says nothing of an index that is there, but of a small archive that is read completely', async () => {
    await writeTree(disk('home'), { 'a.txt': 'hello', 'b.log': 'hello' });
    await addArchive('home.tar.gz', await packed(disk('home')));
    const flow = await loadNode({ include: 'home' });
    passed(await flow.run('n', { filename: target() }));
    should(flow.statuses('n').at(-1)).have.property('text', '3 items · 10 B');
  });

  it('restore changes nothing in a folder that is not empty, unless files may be replaced', async () => {
    await addArchive('home.tar', tar({ name: 'a', content: 'new' }));
    await writeTree(target(), { a: 'old', b: 'old' });
    failed(await run(), 'conflict', target());
    should(await restored()).eql({ a: 'old', b: 'old' });
    passed(await run({ overwrite: 'replace' }));
    should(await restored()).eql({ a: 'new', b: 'old' });
  });

  for (const [problem, blocked] of [
    ['written', '.cloud-drive-restores.new'],
    ['read', '.cloud-drive-restores'],
  ] as const) {
    it(`restore changes nothing if its record can't be ${problem}, and names the file`, async () => {
      await addArchive('home-0001.tar.gz');
      await writeTree(disk(), { [`user/${blocked}/x/`]: '', 'target/home/a.txt': 'old' });
      helper.settings({ userDir: disk('user') });
      try {
        const ending = await run({ overwrite: 'replace' });
        failed(ending, 'local_file', 'recorded (E', disk('user/.cloud-drive-restores'));
      } finally {
        helper.settings({});
      }
      (await restored()).should.deepEqual({ 'home/': '', 'home/a.txt': 'old' });
      (await readdir(disk())).should.eql(['target', 'user']);
    });
  }

  it('restore works with Google Drive', async () => {
    await addArchive('home-2026-11-22-0042.tar.gz');
    passed(await run({}, undefined, { service: 'google' }));
    should(await restored()).have.property('home/a.txt');
  });

  for (const [problem, settings, msg, words] of [
    ['no number', { which: 'number' }, { payload: 'latest' }, ['select', 'msg.payload', "'latest'"]],
    ['a negative number', { which: 'number' }, { payload: -1 }, ['select', '-1']],
    ['no date', { which: 'date' }, { payload: 'yesterday' }, ['select', 'msg.payload', "'yesterday'"]],
    ['an impossible date', { which: 'date' }, { payload: '2026-02-31' }, ['select', 'msg.payload']],
    ['no file', { which: 'file' }, { payload: undefined }, ['select', 'msg.payload']],
    ['no path on disk', {}, { filename: undefined }, ['localPath', 'msg.filename']],
    ['an empty path on disk', {}, { filename: ' ' }, ['localPath']],
    ['an unknown choice', { which: 'oldest' }, {}, ['which', "'oldest'", 'newest']],
    ['an unknown way to overwrite', { overwrite: 'yes' }, {}, ['overwrite', 'replace']],
    ['a malformed glob for entries', { include: 'a\n[z-a]' }, {}, ['[z-a]']],
    ['a malformed pattern', { pattern: '[z-a]' }, {}, ['[z-a]']],
    ['a negative limit', { maxRatio: -1 }, {}, ['maxRatio', '-1', "Correct the value in the node's dialog"]],
    ['a relative path', { folder: 'Backups/2026' }, {}, ['folder', "'Backups/2026'"]],
    ['an unset folder', { folder: 'x', folderType: 'msg' }, {}, ['folder', 'msg.x']],
    ['an unset variable', { folder: 'UNSET_X', folderType: 'env' }, {}, ['folder', 'UNSET_X']],
  ] as const) {
    it(`restore refuses ${problem} before it requests anything`, async () => {
      const flow = await loadNode(settings);
      const ending = await flow.run('n', { payload: 1, filename: target(), ...msg });
      failed(ending, 'invalid_input', ...words);
      fileRequests(drive()).should.be.empty();
      (await readdir(disk())).should.be.empty();
    });
  }

  for (const [missing, settings, payload, words] of [
    ['archive', {}, undefined, ['/Backups', '*']],
    ['number', { which: 'number' }, 7, ['/Backups', '7']],
    ['date', { which: 'date' }, '2020-01-01', ['/Backups']],
    ['folder', { folder: '/Elsewhere' }, undefined, ['Elsewhere']],
    ['entry', { which: 'file', include: 'nothing*' }, 'PATH/other.tar', ['other.tar', 'nothing*']],
  ] as const) {
    it(`restore reports that there is no such ${missing}, and changes nothing`, async () => {
      await addArchive('notes.txt', Buffer.from('no archive'));
      if (missing !== 'archive') await addArchive('other.tar', tar({ name: 'a', content: 'x' }));
      failed(await run(settings, inFolder(payload)), 'not_found', ...words);
      (await readdir(disk())).should.be.empty();
    });
  }

  it('restore refuses an archive that writes outside the folder', async () => {
    await addArchive('evil.tar', tar({ name: '../outside', content: 'x' }));
    failed(await run(), 'bad_response', 'evil.tar', '../outside');
    (await readdir(disk())).should.be.empty();
  });

  it('restore refuses an archive that unpacks to more than the limit, and names the setting', async () => {
    await addArchive('bomb.tar.gz', bombOf1100Mebibytes());
    failed(
      await run(),
      'too_large',
      'bomb.tar.gz',
      '1.1 GiB',
      'the limit is 1 GiB',
      '100 times',
      '“Unpack limit” is empty',
    );
    await addArchive('zeros.tar.gz', tarGz({ name: 'zeros', content: Buffer.alloc(100_000) }));
    const limited = await run({ maxRatio: '3', pattern: 'zeros*' });
    failed(limited, 'too_large', 'zeros.tar.gz', '3 times', '(“Unpack limit”)');
    (await readdir(disk())).should.be.empty();
  });

  describe('with encrypted archives', () => {
    let keys: { identity: string; recipient: string };
    let archives: [string, Buffer][];
    before(async () => {
      keys = await generateAgeKeys();
      const content = tarGz({ name: 'a', content: 'secret' });
      archives = [
        ['p.tar.gz.age', await encrypted(content, { passphrase: PASSPHRASE })],
        ['r.tar.gz.age', await encrypted(content, { recipients: [keys.recipient] })],
      ];
      process.env[IDENTITY] = keys.identity;
    });
    after(() => {
      delete process.env[IDENTITY];
    });
    beforeEach(async () => {
      for (const [name, content] of archives) await addArchive(name, content);
    });

    for (const [title, pattern, credentials] of [
      ['a passphrase', 'p*', () => ({ passphrase: PASSPHRASE })],
      ['a passphrase and a line break', 'p*', () => ({ passphrase: `${PASSPHRASE}\r\n` })],
      ['a private key', 'r*', () => ({ identity: keys.identity })],
      ['a private key from the environment', 'r*', () => ({ identity: `\${${IDENTITY}}` })],
      [
        'a passphrase, next to a private key',
        'p*',
        () => ({ passphrase: PASSPHRASE, identity: keys.identity }),
      ],
      [
        'a private key, next to a passphrase',
        'r*',
        () => ({ passphrase: PASSPHRASE, identity: keys.identity }),
      ],
    ] as const) {
      it(`restore decrypts with ${title}, which appears nowhere`, async () => {
        const flow = await loadNode(
          { pattern, progress: true, outputs: 2 },
          {
            credentials: { account: CREDENTIALS, n: credentials() },
          },
        );
        const ending = await flow.run('n', { filename: target() });
        passed(ending);
        should(await restored()).eql({ a: 'secret' });
        const seen = JSON.stringify([ending, flow.statuses('n'), flow.logged()]);
        seen.should.not.match(/canary-passphrase|AGE-SECRET-KEY/);
      });
    }

    const ACTIONS = ['restore', 'check', 'list'];
    for (const [title, pattern, credentials, words, actions = ['restore']] of [
      ['no passphrase', 'p*', {}, 'encrypted with a passphrase, but none is entered'],
      ['only a private key', 'p*', { identity: 'other' }, 'p.tar.gz.age'],
      ['no private key', 'r*', {}, 'encrypted for public keys, but no private key is entered'],
      ['only a passphrase', 'r*', { passphrase: PASSPHRASE }, 'r.tar.gz.age'],
      [
        'another passphrase',
        'p*',
        { passphrase: 'canary-passphrase other' },
        "passphrase doesn't decrypt the archive “p.tar.gz.age”",
        ACTIONS,
      ],
      [
        'another private key',
        'r*',
        { identity: 'other' },
        "private key doesn't decrypt the archive “r.tar.gz.age”",
        ACTIONS,
      ],
    ] as const) {
      it(`restore with ${title} is invalid_input, and nothing is written`, async () => {
        const own =
          'identity' in credentials ? { identity: (await generateAgeKeys()).identity } : credentials;
        const flow = await loadNode({ pattern }, { credentials: { account: CREDENTIALS, n: own } });
        for (const action of actions) {
          await flow.redeploy('n', { action });
          const error = failed(await flow.run('n', { filename: target() }), 'invalid_input', words);
          (await readdir(disk())).filter((name) => !name.startsWith('.')).should.be.empty();
          const seen = JSON.stringify([error, flow.statuses('n'), flow.logged()]);
          seen.should.not.match(/canary-passphrase|AGE-SECRET-KEY/);
        }
      });
    }

    for (const [property, reference] of [
      ['passphrase', '${UNSET_SECRET}'],
      ['passphrase', '$(UNSET_SECRET)'],
      ['identity', '$(UNSET_SECRET)'],
    ] as const) {
      it(`restore with ${reference} as ${property} is not_configured, and nothing is requested`, async () => {
        const credentials = { account: CREDENTIALS, n: { [property]: reference } };
        const flow = await loadNode({}, { credentials });
        const ending = await flow.run('n', { filename: target() });
        failed(ending, 'not_configured', property, 'UNSET_SECRET', 'restart Node-RED');
        fileRequests(drive()).should.be.empty();
      });
    }
  });

  describe('while it runs', () => {
    const SIZE = 3_000_000;
    let endStall: () => void;
    beforeEach(async () => {
      await addArchive('home-2026-11-22-0042.tar', tar({ name: 'a', content: Buffer.alloc(SIZE, 'x') }));
      const until = new Promise<void>((resolve) => (endStall = resolve));
      drive().faults.add({ kind: 'stallResponse', bytes: 1_000_000, until, match: { query: 'alt=media' } });
    });
    afterEach(() => endStall());
    const stalled = (): Promise<unknown> =>
      drive().traffic.until(() => fileRequests(drive()).some((url) => url.includes('alt=media')));

    it('restore reports its progress in the status and on the second output', async () => {
      const flow = await loadNode({ progress: true, outputs: 2 });
      const running = flow.run('n', { filename: target() });
      await stalled();
      endStall();
      const ending = await running;
      passed(ending);
      should(ending.second.at(-1)?.payload).match({ percent: 100, transferred: SIZE + 2_048 - (SIZE % 512) });
      should(ending.second.at(-1)).have.propertyByPath('file', 'name');
    });

    for (const way of ['msg.cancel', 'a deploy'] as const) {
      it(`restore stops with ${way}, changes nothing, and works the next time`, async () => {
        await writeTree(target(), { a: 'old' });
        const flow = await loadNode({ overwrite: 'replace' });
        const running = flow.run('n', { filename: target() });
        await stalled();
        if (way === 'msg.cancel') {
          await flow.run('n', { cancel: true });
          failed(await running, 'cancelled');
        } else {
          await flow.redeploy('n', { name: 'changed' });
        }
        should(await restored()).eql({ a: 'old' });
        endStall();
        passed(await flow.run('n', { filename: target() }));
        should(await restored())
          .have.property('a')
          .with.length(SIZE);
        (await readdir(disk())).should.eql(['target']);
      });
    }
  });

  describe('with another action', () => {
    const names = ['home', 'home/a.txt', 'home/b.txt'];
    const home = tarGz(
      { name: 'home/', type: '5', mode: 0o755 },
      { name: 'home/a.txt', content: 'hello' },
      { name: 'home/b.txt', content: 'more' },
    );

    it('check reads the newest archive, writes nothing, and says what it found', async () => {
      await addArchive('home-0001.tar.gz', home);
      const flow = await loadNode({ action: 'check', maxAge: 1 });
      const { payload, ...rest } = passed(await flow.run('n', { filename: target() }));
      const { file, age, milliseconds, ...counts } = payload as Record<string, unknown>;
      should(counts).eql({ ok: true, entries: 3, files: 2, folders: 1, bytes: 9 });
      should(file).have.property('name', 'home-0001.tar.gz');
      should([age, milliseconds].map((value) => typeof value)).eql(['number', 'number']);
      should(rest).not.have.property('differences');
      should(await readdir(disk())).be.empty();
      should(flow.statuses('n').at(-1)).eql({ fill: 'green', shape: 'dot', text: '3 items · 9 B' });
    });

    it('check lists the differences from a folder, which are an error only if that is set', async () => {
      await addArchive('home-0001.tar.gz', home);
      await writeTree(disk('home'), { 'a.txt': 'hello', 'c.txt': '' });
      await chmod(disk('home'), 0o700);
      const settings = { action: 'check', compareWith: disk('home') };
      const differences = { missing: ['home/b.txt'], extra: ['home/c.txt'], different: ['home'] };
      const sent = passed(await run(settings));
      should(sent['differences']).eql(differences);
      const ending = await run({ ...settings, failOnDifferences: true });
      failed(ending, 'conflict', 'extra: 1, different: 1');
    });

    it('check of the age alone requests only the list, and reports an outdated backup', async () => {
      await addArchive('home-0001.tar.gz', home);
      const sent = passed(await run({ action: 'check', depth: 'age', maxAge: 1 }));
      should(Object.keys(sent.payload as object)).eql(['ok', 'file', 'age']);
      failed(
        await run({ action: 'check', depth: 'age', maxAge: 1, pattern: 'other*' }),
        'outdated',
        'other*',
      );
    });

    const incomplete = { allowIncomplete: true, which: 'newest' };
    const STATUSES: [string, object, string, object][] = [
      ['of a check', { action: 'check' }, '', { fill: 'green', text: '3 items · 9 B' }],
      [
        'of a check of the age',
        { action: 'check', depth: 'age' },
        '',
        { fill: 'green', text: /status\.done$/ },
      ],
      [
        'of a check of the age of an incomplete archive',
        { action: 'check', depth: 'age', ...incomplete },
        '.incomplete',
        { fill: 'yellow', text: 'incomplete' },
      ],
      [
        'of a check of an incomplete archive',
        { action: 'check', ...incomplete },
        '.incomplete',
        { fill: 'yellow', text: '3 items · 9 B · incomplete' },
      ],
      [
        'of a comparison with a folder that is the same',
        { action: 'check', compareWith: 'same' },
        '',
        { fill: 'green', text: '3 items · 9 B' },
      ],
      [
        'of a comparison with one difference',
        { action: 'check', compareWith: 'one' },
        '',
        { fill: 'yellow', text: '1 difference' },
      ],
      [
        'of a comparison of an incomplete archive with differences',
        { action: 'check', compareWith: 'two', ...incomplete },
        '.incomplete',
        { fill: 'yellow', text: '2 differences · incomplete' },
      ],
      [
        'of a comparison that fails',
        { action: 'check', compareWith: 'two', failOnDifferences: true },
        '',
        { fill: 'red', shape: 'ring', text: /status\.conflict$/ },
      ],
      [
        'of a backup that is missing',
        { action: 'check', maxAge: 1, pattern: 'other' },
        '',
        { fill: 'red', shape: 'ring', text: /status\.outdated$/ },
      ],
      ['of a list', { action: 'list' }, '', { fill: 'green', text: '3 items · 9 B · no index' }],
      [
        'of a list of an incomplete archive',
        { action: 'list', ...incomplete },
        '.incomplete',
        { fill: 'yellow', text: '3 items · 9 B · incomplete · no index' },
      ],
    ];
    for (const [title, { compareWith, ...settings }, mark, expected] of STATUSES as [
      string,
      { compareWith?: string },
      string,
      object,
    ][])
      it(`the status ${title} is a text`, async () => {
        await addArchive(`home-0001${mark}.tar.gz`, home);
        const files = { 'a.txt': 'hello', 'b.txt': 'more' };
        await writeTree(disk('same/home'), files);
        await writeTree(disk('one/home'), { ...files, 'b.txt': 'MORE' });
        await writeTree(disk('two/home'), { ...files, 'b.txt': 'MORE', c: '' });
        for (const name of ['same', 'one', 'two']) await chmod(disk(name, 'home'), 0o755);
        for (const name of ['same', 'one', 'two'])
          for (const file of Object.keys(files)) await chmod(disk(name, 'home', file), 0o644);
        const folder = compareWith === undefined ? '' : disk(compareWith, 'home');
        const flow = await loadNode({ ...settings, compareWith: folder });
        await flow.run('n', {});
        should(flow.statuses('n').at(-1)).match(expected);
      });

    for (const action of ['check', 'list'])
      it(`the status of a ${action} counts what was read`, async () => {
        await addArchive('home-0001.tar.gz', home);
        const flow = await loadNode({ action });
        passed(await flow.run('n', {}));
        const blue = flow.statuses('n').filter(({ fill }) => fill === 'blue');
        should(blue[0]?.text).endWith('status.working');
        should(blue.at(-1)).match({ shape: 'dot', text: /^[1-3] items? · \d B$/ });
      });

    it('list can be cancelled between the messages of two entries', async () => {
      const items = Array.from({ length: 1_000 }, (_, index) => ({ name: `home/${index}` }));
      for (const content of [tarGz(...items), indexedArchive(items)]) {
        await addArchive('home-0001.tar.gz', content);
        const flow = await loadNode({ action: 'list', output: 'each' });
        flow.node('n-out1').once('input', () => flow.node('n').receive({ cancel: true }));
        const { sent, error } = await flow.run('n', {});
        should(error?.cause?.code).equal('cancelled');
        sent.length.should.be.within(1, 5);
        await helper.unload();
      }
    });

    for (const maxAge of [-1, 'soon'])
      it(`check refuses the age ${maxAge}`, async () => {
        failed(await run({ action: 'check', maxAge }), 'invalid_input', 'maxAge');
      });

    it('list returns the entries, and with them the archive', async () => {
      await addArchive('home-2026-11-22-0042.tar.gz', home);
      const flow = await loadNode({ action: 'list', include: 'home/*.txt' });
      const { payload, archive } = passed(await flow.run('n', { filename: target() })) as Record<
        string,
        unknown
      >;
      should((payload as { path: string }[]).map(({ path }) => path)).eql(names.slice(1));
      should(archive).containEql({
        number: 42,
        date: '2026-11-22',
        complete: true,
        indexed: false,
        entries: 3,
      });
      should(flow.statuses('n').at(-1)).eql({
        fill: 'green',
        shape: 'dot',
        text: '3 items · 9 B · no index',
      });
    });

    it('list sends one message for each entry, if that is set', async () => {
      await addArchive('home-0001.tar.gz', home);
      const flow = await loadNode({ action: 'list', output: 'each' });
      const parts = { id: 'outer', index: 0 };
      const ending = await flow.run('n', { filename: target(), parts });
      const messages = ending.sent as { payload: { path: string }; parts: object; archive: object }[];
      should(messages.map(({ payload }) => payload.path)).eql(names);
      should(messages[2]?.parts).containEql({ index: 2, count: 3, type: 'array', len: 1, parts });
      should(messages[2]?.archive).containEql({ entries: 3, bytes: 9 });
    });

    it('an archive with an index is listed from it, and one with a wrong index with a warning', async () => {
      await writeTree(disk('home'), { 'a.txt': 'hello' });
      const content = await packed(disk('home'));
      await addArchive('home-0001.tar.gz', content);
      const flow = await loadNode({ action: 'list' });
      const { archive } = passed(await flow.run('n', {})) as { archive?: object };
      should(archive).containEql({ indexed: true, entries: 2 });
      should(flow.statuses('n').at(-1)).containEql({ text: '2 items · 5 B' });
      await helper.unload();
      const wrong = Buffer.from(content);
      wrong.writeUInt8(wrong.readUInt8(wrong.length - 20) ^ 1, wrong.length - 20);
      await addArchive('home-0002.tar.gz', wrong);
      const second = await loadNode({ action: 'list' });
      const listed = passed(await second.run('n', {})) as { archive?: object };
      should(listed.archive).containEql({ indexed: false, entries: 2 });
      should(second.logged().join()).match(/\(hash\).*whole archive was read/);
    });

    it('an incomplete archive is chosen as a file, or if that is allowed, and the dot of the status is yellow', async () => {
      await addArchive('home-0001.incomplete.tar.gz', home);
      for (const action of ['list', 'check']) {
        failed(await run({ action }), 'not_found');
        failed(await run({ action, which: 'number' }, 1), 'not_found');
        failed(await run({ action, which: 'date' }, new Date()), 'not_found');
        const flow = await loadNode({ action, which: 'file' });
        const sent = passed(await flow.run('n', { payload: `${path}/home-0001.incomplete.tar.gz` }));
        should(action === 'list' ? sent['archive'] : sent.payload).containEql({ complete: false });
        should(flow.statuses('n').at(-1)).match({ fill: 'yellow', text: /incomplete/ });
        await helper.unload();
      }
      const { restored } = passed(await run({ allowIncomplete: true })) as { restored?: object };
      should(restored).containEql({ complete: false });
    });
  });
});

/** Small: the content consists of gzip members that are all the same. */
function bombOf1100Mebibytes(): Buffer {
  const zeros = gzipSync(Buffer.alloc(10 * 1024 ** 2));
  const start = gzipSync(tarItem({ name: 'zeros', size: 1_100 * 1024 ** 2 }));
  return Buffer.concat([start, ...Array<Buffer>(110).fill(zeros), gzipSync(END_MARK)]);
}
