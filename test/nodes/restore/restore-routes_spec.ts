/** The admin endpoints of the restore node's dialog, against the local drive. */
import { hostname } from 'node:os';
import should from 'should';
import { toIncludeLine } from '../../../nodes/restore/entry-tree';
import { readablePath } from '../../../src/fs/path-bytes';
import { createPathMatcher } from '../../../src/core/globs/path-globs';
import { NS_PER_MS } from '../../../src/backup/restic/json-file';
import type {
  BackupEntries,
  BrowsedBackups,
  CheckedBackup,
  WorkState,
} from '../../../nodes/shared/contract/dialog-api';
import { TestClock } from '../../local-drive';
import { AdminCalls } from '../../support/node-red/account-admin';
import { encrypted } from '../../support/archive/encrypted';
import { writeTree } from '../../support/archive/tree';
import { tarGz } from '../../support/archive/tar-builder';
import { useDisk } from '../../support/disk';
import { CREDENTIALS, customAccount } from '../../support/node-red/account';
import { useDrive } from '../../support/node-red/flow-drive';
import { DiskRepository } from '../../support/snapshots/disk-repository';
import { importFolder } from '../../support/snapshots/drive-repository';
import type { NodeRed } from '../../support/node-red/node-red';
import { sharedFlows, sharedNodeRed } from '../../support/node-red/shared-node-red';

const PASSPHRASE = 'canary correct horse';
const FILES = tarGz(
  { name: 'docs/a.txt', content: 'hello' },
  { name: 'docs/b', type: '2', linkName: 'a.txt' },
);

describe('requests of the restore dialog', () => {
  const clock = new TestClock(Date.now());
  const drive = useDrive({ clock });
  const disk = useDisk();
  let nodeRed: NodeRed;
  let admin: AdminCalls;
  let tests = 0;
  let folder: string;
  before(async () => {
    nodeRed = await sharedNodeRed();
    admin = new AdminCalls((path, init) => nodeRed.request(path, init));
    await nodeRed.deploy([
      { id: 'tab', type: 'tab' },
      {
        ...{ id: 'account', type: 'cloud-drive-account', ...customAccount(drive().url) },
        credentials: { ...CREDENTIALS },
      },
      {
        ...{ id: 'away', type: 'cloud-drive-account', ...customAccount(drive().url) },
        credentials: { ...CREDENTIALS },
      },
      {
        ...{ id: 'n', z: 'tab', type: 'cloud-drive-restore', account: 'account', wires: [[]] },
        credentials: { passphrase: PASSPHRASE },
      },
      {
        id: 'backup',
        z: 'tab',
        type: 'cloud-drive-backup',
        account: 'account',
        wires: [[]],
        encryption: 'passphrase',
        credentials: { passphrase: PASSPHRASE },
      },
    ]);
  });
  after(() => sharedFlows.close());
  beforeEach(async () => (folder = await drive().files.addFolder(`Backups ${++tests}`)));

  const add = (name: string, content = FILES) => drive().files.add({ name, parent: folder, content });
  const body = (settings: object = {}, more: object = {}) => ({
    settings: { folder: `/Backups ${tests}`, folderType: 'str', ...settings },
    ...more,
  });
  const call = (method: string, path: string, content?: object) =>
    admin.callNode('restore', method, path, content);
  async function list(settings: object = {}): Promise<BrowsedBackups> {
    const { status, body: answer } = await call('POST', '/account/backups', body(settings));
    should(status).equal(200);
    return answer as unknown as BrowsedBackups;
  }
  async function work<Result>(path: string, content: object): Promise<WorkState<Result>> {
    const started = await call('POST', path, content);
    should(started.status).equal(202);
    const { work: id } = started.body as { work: string };
    for (;;) {
      const { body: state } = await call('GET', `/work/${id}`);
      if ((state as WorkState<Result>).state !== 'running') return state as WorkState<Result>;
    }
  }
  const entries = (backup: string, more: object = {}) =>
    work<BackupEntries>('/account/entries', body({}, { backup, ...more }));
  const check = (settings: object, more: object = {}) =>
    work<CheckedBackup>('/account/check', body(settings, more));

  it('the list has the archives of the folder, newest first, and what the settings select', async () => {
    const [first, second] = [
      await add('docs-2026-11-21-0001.tar.gz'),
      await add('docs-2026-11-22-0002.tar.gz'),
    ];
    await add('docs-2026-11-23-0003.incomplete.tar.gz');
    await add('notes.txt');
    const { backups, more, timeZone } = await list();
    more.should.be.false();
    timeZone.should.equal(Intl.DateTimeFormat().resolvedOptions().timeZone);
    backups
      .map(({ name, complete, selected }) => [name, complete, selected])
      .should.eql([
        ['docs-2026-11-23-0003.incomplete.tar.gz', false, false],
        ['docs-2026-11-22-0002.tar.gz', true, true],
        ['docs-2026-11-21-0001.tar.gz', true, false],
      ]);
    should(backups[1]).containEql({ id: second, size: FILES.length });
    const selectedBy = async (settings: object) =>
      (await list(settings)).backups.find(({ selected }) => selected)?.id;
    should(await selectedBy({ which: 'number', select: '1', selectType: 'str' })).equal(first);
    should(await selectedBy({ which: 'date', select: '2026-11-21', selectType: 'str' })).equal(first);
    should(await selectedBy({ which: 'file', select: first, selectType: 'drive' })).equal(first);
    should(await selectedBy({ which: 'number', select: 'payload', selectType: 'msg' })).be.undefined();
    should(await selectedBy({ allowIncomplete: true })).not.equal(second);
    should((await list({ pattern: '*-0001*' })).backups).have.length(1);
  });

  it('snapshots are listed by ID and source, with their times, and opened and checked with the stored passphrase', async () => {
    await writeTree(disk('docs'), { 'a.txt': 'hello' });
    const repository = await DiskRepository.create(disk('repository'), 2, PASSPHRASE);
    const timeOn = (day: number): number => new Date(2026, 10, day, 2, 30).getTime();
    for (const [day, host] of [
      [21, hostname()],
      [22, hostname()],
      [23, 'elsewhere'],
    ] as const) {
      const time = BigInt(timeOn(day)) * NS_PER_MS;
      repository.backUp(disk('docs'), { hostname: host, time });
    }
    await importFolder(drive(), folder, disk('repository'));
    const more = { secrets: { passphrase: '__PWRD__' }, node: 'n' };
    const listed = async (settings: object = {}): Promise<BrowsedBackups['backups']> => {
      const content = body({ from: 'snapshots', ...settings }, more);
      const { status, body: answer } = await call('POST', '/account/backups', content);
      should(status).equal(200, JSON.stringify(answer));
      return (answer as unknown as BrowsedBackups).backups;
    };
    const own = await listed();
    own
      .map(({ selected, complete }) => [selected, complete])
      .should.eql([
        [true, true],
        [false, true],
      ]);
    own[0]!.name.should.match(/^[0-9a-f]{8} · docs$/);
    own.map(({ time = '' }) => Date.parse(time)).should.eql([22, 21].map(timeOn));
    const all = await listed({ sources: 'any' });
    all.should.have.length(3);
    all[0]!.name.should.endWith('docs · elsewhere');
    const selectedBy = async (select: string, which: string) =>
      (await listed({ which, select, selectType: 'str' })).find(({ selected }) => selected)?.id;
    should(await selectedBy('2026-11-21', 'date')).equal(own[1]!.id);
    should(await selectedBy(own[1]!.id.slice(0, 8), 'id')).equal(own[1]!.id);
    const settings = { from: 'snapshots' };
    const opened = await work<BackupEntries>(
      '/account/entries',
      body(settings, { ...more, backup: own[1]!.id }),
    );
    should(opened).have.property('state', 'done');
    (opened as { result: BackupEntries }).result.entries
      .map(([entry, isFolder, size]) => [entry, isFolder, size])
      .should.eql([
        ['docs', true, 0],
        ['docs/a.txt', false, 5],
      ]);
    should(await check(settings, more)).containDeep({
      state: 'done',
      result: { name: own[0]!.id.slice(0, 8), complete: true, entries: 2, bytes: 5 },
    });
    const wrong = { ...more, secrets: { passphrase: 'wrong' } };
    should(await check(settings, wrong)).containDeep({ state: 'failed', error: { code: 'invalid_input' } });
  });

  it('the selected snapshot is the newest by the clock of the service, not of this machine', async () => {
    await writeTree(disk('docs'), { 'a.txt': 'hello' });
    const repository = await DiskRepository.create(disk('repository'), 2, PASSPHRASE);
    const ids = [4, 0].map((days) => {
      const time = (BigInt(Date.now()) - BigInt(days * 86_400_000)) * NS_PER_MS;
      return repository.backUp(disk('docs'), { hostname: hostname(), time });
    });
    await importFolder(drive(), folder, disk('repository'));
    const secrets = { passphrase: PASSPHRASE };
    const selected = async (): Promise<string | undefined> => {
      const content = body({ from: 'snapshots' }, { secrets });
      const { body: answer } = await call('POST', '/account/backups', content);
      return (answer as unknown as BrowsedBackups).backups.find((each) => each.selected)?.id;
    };
    should(await selected()).equal(ids[1]);
    clock.advance(-3 * 86_400);
    should(await selected()).equal(ids[0]);
    clock.advance(3 * 86_400);
  });

  it('the list says why no token can be renewed from an unreachable drive', async () => {
    drive().faults.add({ kind: 'reset', times: Infinity });
    const { body: answer } = await call('POST', '/away/backups', body({ folder: '/A' }));
    should(answer).have.propertyByPath('error', 'code').equal('network');
  });

  it('the entries of an archive come without its content being stored', async () => {
    const state = await entries(await add('docs-0001.tar.gz'));
    should(state).match({ state: 'done', result: { more: false } });
    const { result } = state as { result: BackupEntries };
    result.entries
      .map(([path, isFolder, size]) => [path, isFolder, size])
      .should.eql([
        ['docs/a.txt', false, 5],
        ['docs/b', false, 0],
      ]);
  });

  it('names that are not UTF-8, or the same to users, are entries that select what they stand for', async () => {
    const names = [
      'docs/caf\udce9',
      'docs/caf\udcea',
      'docs/\u00e9',
      'docs/e\u0301',
      'docs/line\nbreak\u0007',
    ];
    const content = tarGz(...names.map((name) => ({ name })));
    const { result } = (await entries(await add('docs-0001.tar.gz', content))) as { result: BackupEntries };
    const paths = result.entries.map(([path]) => path);
    paths.should.eql(names.map(readablePath));
    for (const [index, path] of paths.entries())
      createPathMatcher([toIncludeLine(path)])(names[index]!).should.be.true();
  });

  it('a stored passphrase is used for the node that is edited, and for no other', async () => {
    const id = await add('docs-0001.tar.gz.age', await encrypted(FILES, { passphrase: PASSPHRASE }));
    const secrets = { passphrase: '__PWRD__', identity: '' };
    should(await entries(id, { node: 'n', secrets })).have.property('state', 'done');
    for (const node of ['', 'new', 'backup', 'account'])
      should(await entries(id, { node, secrets })).match({
        state: 'failed',
        error: { code: 'not_configured' },
      });
    const wrong = await entries(id, { node: 'n', secrets: { passphrase: 'wrong' } });
    should(wrong).match({ state: 'failed', error: { code: 'invalid_input' } });
    JSON.stringify(wrong).should.not.containEql(PASSPHRASE);
    should(await entries(id, { node: 'n', secrets: { passphrase: '${NOT_SET_HERE}' } })).match({
      ...{ state: 'failed', error: { code: 'not_configured' } },
    });
  });

  it('a check has the settings of the dialog, and those of a check only with that action', async () => {
    await add('docs-0001.tar.gz');
    const settings = { action: 'check', compareWith: disk('missing'), maxAge: '1' };
    await writeTree(disk(), { 'a-file': 'content' });
    for (const compareWith of [disk('missing'), disk('a-file')])
      should(await check({ ...settings, compareWith })).match({
        state: 'failed',
        error: { code: 'local_file', message: /“Compare with”: .*(?:missing|a-file)/ },
      });
    const done = await check({ ...settings, action: 'restore' });
    should(done).match({ state: 'done', result: { name: 'docs-0001.tar.gz', entries: 2, complete: true } });
    should((done as { result: CheckedBackup }).result.differences).be.undefined();
    for (const maxAge of ['-1', 'soon', '1e999'])
      should(await check({ ...settings, compareWith: '', maxAge })).match({
        ...{ state: 'failed', error: { code: 'invalid_input', message: /^“Maximum age” must be/ } },
      });
    await drive().files.add({
      name: 'old.tar.gz',
      parent: folder,
      content: FILES,
      modifiedTime: Date.UTC(2020, 4, 17),
    });
    should(await check({ ...settings, compareWith: '', pattern: 'old*' })).match({
      ...{
        state: 'failed',
        error: { code: 'outdated', message: /“old\.tar\.gz” is .*“Maximum age” is 1 h/ },
      },
    });
  });

  it('values of messages need an example', async () => {
    await add('docs-0007.tar.gz');
    const settings = { which: 'number', select: 'payload', selectType: 'msg' };
    should(await check(settings)).match({ state: 'failed', error: { code: 'invalid_input' } });
    should(await check(settings, { examples: { select: '7' } })).have.property('state', 'done');
    should(await check(settings, { examples: { select: 'seven' } })).match({
      error: { message: /^“Number” \(example\) must be a whole number such as 42, but got 'seven'\./ },
    });
    const refused = await call('POST', '/account/backups', body({ folderType: 'msg', folder: 'x' }));
    should(refused).match({ status: 400, body: { error: { message: /^“Folder” isn't entered/ } } });
  });

  it('malformed requests are refused', async () => {
    for (const content of [
      {},
      { settings: [] },
      { settings: { from: 'tapes' } },
      body({}, { secrets: 5 }),
      body({}, { secrets: { passphrase: {} } }),
      body({}, { node: ['n'] }),
    ])
      should((await call('POST', '/account/backups', content)).status).equal(400, JSON.stringify(content));
    should((await call('POST', '/account/entries', { settings: { from: 'tapes' } })).status).equal(400);
    should((await call('GET', '/work/unknown')).status).equal(404);
    should((await call('DELETE', '/work/unknown')).status).equal(204);
  });
});
