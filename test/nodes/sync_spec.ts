/** The sync folder node as docs/nodes/sync.md describes it. */
import { existsSync } from 'node:fs';
import { mkdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import should from 'should';
import type { SyncSummary } from '../../src/index';
import { MINIMAL_FOLDER } from '../local-drive/minimal-service';
import { contentsOf, writeTree } from '../support/archive/tree';
import { bytes } from '../support/content';
import { useDisk } from '../support/disk';
import { holdRequest } from '../support/http/hold-request';
import { fileRequests, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { MINE, minimalAccount, withMinimalService } from '../support/node-red/minimal-account';
import { failed, passed } from '../support/node-red/outcome';

const sync = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-sync', ...more });
/** 2026-01-02T03:04:05Z, in seconds. */
const TIME = 1_767_323_045;

interface Sent extends NodeMessage {
  payload: SyncSummary;
  changes: {
    path: string;
    action: string;
    id?: string;
    size?: number;
    reason?: string;
    error?: { code: string; message: string };
  }[];
}

describe('sync folder node', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  let folder: string;
  let onDrive: string;
  let tests = 0;

  beforeEach(async () => {
    onDrive = `/Synchronized ${++tests}`;
    folder = await drive().files.addFolder(onDrive.slice(1));
    await writeTree(disk('home'), { 'a.txt': 'hello', 'docs/b.txt': 'world', 'empty/': '' });
  });

  const loadNodes = (nodes: FlowNode[]) => load(nodes, { url: drive().url, service: 'google' });
  const loadNode = (more: object = {}) => loadNodes([sync(more)]);
  const message = (more: object = {}): NodeMessage => ({ filename: disk('home'), payload: onDrive, ...more });
  const run = async (flow: LoadedFlow, more: object = {}): Promise<Sent> =>
    passed(await flow.run('n', message(more))) as Sent;
  const counts = (summary: object): object =>
    Object.fromEntries(Object.entries(summary).filter(([, value]) => typeof value === 'number' && value > 0));
  const actions = ({ changes }: Sent): string[] =>
    changes.map((change) => `${change.action} ${change.path}`).sort();

  /** Paths and contents of the folder on the drive. */
  async function contentsOnDrive(id = folder, above = ''): Promise<Record<string, string>> {
    const contents: Record<string, string> = {};
    for (const file of drive()
      .files.in(id)
      .filter(({ trashed }) => !trashed)) {
      const name = `${above}${file.name}`;
      if (file.content === undefined)
        Object.assign(contents, { [`${name}/`]: '' }, await contentsOnDrive(file.id, `${name}/`));
      else contents[name] = (await drive().files.contentOf(file.id)).toString();
    }
    return contents;
  }
  const find = (name: string, parent = folder) =>
    drive()
      .files.in(parent)
      .find((file) => file.name === name && !file.trashed);
  const add = (name: string, content: string, more: object = {}): Promise<string> =>
    drive().files.add({ name, parent: folder, content, modifiedTime: TIME * 1_000, ...more });

  it('sync uploads new and changed files with their times, and says what it did', async () => {
    await utimes(disk('home', 'a.txt'), TIME, TIME);
    const flow = await loadNode();
    const sent = await run(flow, { topic: 'mine' });
    should(sent).containEql({ filename: disk('home'), topic: 'mine' });
    should(sent.payload).eql({
      ...{ direction: 'up', dryRun: false, created: 2, updated: 0, unchanged: 0 },
      ...{ removed: 0, skipped: 0, failed: 0, bytes: 10 },
    });
    actions(sent).should.containDeep(['created a.txt', 'created docs/b.txt']);
    (await contentsOnDrive()).should.eql(await contentsOf(disk('home')));
    const { id, modifiedTime } = find('a.txt')!;
    should(modifiedTime).equal(TIME * 1_000);
    should(sent.changes.find((change) => change.path === 'a.txt')).eql({
      ...{ path: 'a.txt', action: 'created', id, size: 5 },
    });
    should(flow.statuses('n').at(-1)).containEql({ fill: 'green', shape: 'dot', text: '2 created' });

    should(counts((await run(flow)).payload)).eql({ unchanged: 2 });
    should(flow.statuses('n').at(-1)).containEql({ text: '2 unchanged' });
    await writeFile(disk('home', 'a.txt'), 'HELLO');
    await utimes(disk('home', 'docs/b.txt'), TIME, TIME);
    const second = await run(flow);
    should(counts(second.payload)).eql({ updated: 2, bytes: 5 });
    second.changes.should.containDeep([{ path: 'docs/b.txt', action: 'updated', reason: 'time' }]);
    should(find('a.txt')).have.property('id', id);
    (await drive().files.contentOf(id)).toString().should.equal('HELLO');
  });

  for (const direction of ['up', 'down'] as const) {
    it(`sync says in its status that it waits for another run to the same folder, ${direction}`, async () => {
      await add('c.txt', 'from the drive');
      const flow = await loadNodes([sync({ direction }), sync({ id: 'other', direction })]);
      const match = direction === 'up' ? { path: /upload/ } : { path: /files\/[^/]+$/ };
      const { release, reached } = holdRequest(drive(), match);
      const first = flow.run('n', message());
      await reached;
      const second = flow.run('other', message());
      const shown = await flow.status('other', ({ fill }) => fill === 'yellow');
      shown.should.containEql({ shape: 'ring' });
      should(shown.text).endWith(':status.queued');
      release();
      passed(await first);
      passed(await second);
      const colors = flow.statuses('other').map(({ fill }) => fill ?? 'none');
      colors.should.eql(['none', 'blue', 'yellow', 'blue', 'green']);
    });
  }

  it('a dry run says that another run is in progress, and another one doesn’t', async () => {
    const flow = await loadNodes([sync(), sync({ id: 'plan', dryRun: true })]);
    const { release, reached } = holdRequest(drive());
    const warnings = (): string[] =>
      flow.logged().filter((entry) => entry.includes('Another run with this folder'));
    const first = flow.run('n', message());
    await reached;
    passed(await flow.run('plan', message()));
    await flow.status('plan', ({ text }) => String(text).endsWith('(dry run) · run in progress'));
    warnings().should.have.length(1);
    release();
    passed(await first);
    passed(await flow.run('plan', message()));
    should(flow.statuses('plan').at(-1)?.text).not.containEql('in progress');
    warnings().should.have.length(1);
  });

  for (const [dryRun, isDryRun] of [
    [undefined, false],
    [false, false],
    [true, true],
    ['true', true],
    ['false', true],
  ] as const) {
    it(`sync ${isDryRun ? 'changes nothing' : 'uploads'} if dryRun is ${typeof dryRun} ${dryRun}`, async () => {
      const flow = await loadNode(dryRun === undefined ? {} : { dryRun });
      should((await run(flow)).payload.dryRun).equal(isDryRun);
      should(find('a.txt') === undefined).equal(isDryRun);
    });
  }

  it('sync downloads new and changed files with their times', async () => {
    await add('a.txt', 'from the drive');
    await add('deep.txt', 'deep', { parent: await drive().files.addFolder('new', folder) });
    const flow = await loadNode({ direction: 'down' });
    const sent = await run(flow, { filename: disk('fresh', 'target') });
    should(counts(sent.payload)).eql({ created: 2, bytes: 18 });
    (await contentsOf(disk('fresh', 'target'))).should.eql({
      'a.txt': 'from the drive',
      'new/': '',
      'new/deep.txt': 'deep',
    });
    should((await stat(disk('fresh', 'target', 'a.txt'))).mtimeMs).equal(TIME * 1_000);
    should(counts((await run(flow, { filename: disk('fresh', 'target') })).payload)).eql({ unchanged: 2 });
    const other = await run(flow);
    should(counts(other.payload)).eql({ created: 1, updated: 1, bytes: 18 });
    (await contentsOf(disk('home'))).should.containEql({ 'a.txt': 'from the drive', 'docs/b.txt': 'world' });
  });

  for (const direction of ['up', 'down'] as const) {
    it(`a dry run emits exactly what a run would do, and changes nothing (${direction})`, async () => {
      await add('a.txt', 'changed');
      await add('extra.txt', 'extra');
      const settings = { direction, extra: 'delete', exclude: 'empty' };
      const planned = await loadNode({ ...settings, dryRun: true });
      const before = [await contentsOnDrive(), await contentsOf(disk('home'))];
      const plan = await run(planned);
      [await contentsOnDrive(), await contentsOf(disk('home'))].should.eql(before);
      should(plan.payload).containEql({ dryRun: true, created: 1, updated: 1, removed: 1 });
      should(planned.statuses('n').at(-1)).containEql({
        ...{ fill: 'green', shape: 'ring', text: '1 to create · 1 to update · 1 to remove (dry run)' },
      });
      await planned.redeploy('n', { ...settings, dryRun: false });
      const done = await run(planned);
      done.payload.should.eql({ ...plan.payload, dryRun: false });
      actions(done).should.eql(actions(plan));
    });
  }

  it('sync creates the missing folders of a path on the drive, unless that is turned off or it is a dry run', async () => {
    const payload = `${onDrive}/deep/er`;
    const flow = await loadNode({ createFolders: false });
    failed(await flow.run('n', message({ payload })), 'not_found', payload);
    await flow.redeploy('n', { createFolders: true, dryRun: true });
    should(counts((await run(flow, { payload })).payload)).eql({ created: 2, bytes: 10 });
    drive().files.in(folder).should.be.empty();
    await flow.redeploy('n', { createFolders: true, dryRun: false });
    await run(flow, { payload });
    Object.keys(await contentsOnDrive()).should.containDeep(['deep/er/a.txt']);
  });

  it('sync includes and excludes files by patterns, and never removes what they filter out', async () => {
    await add('keep.log', 'log');
    await add('old.txt', 'old');
    await writeTree(disk('home'), { 'cache/x.txt': 'x', 'new.log': 'log', 'c.md': 'md' });
    const flow = await loadNode({ include: '*.txt\n*.log', exclude: ' *.log \n\ncache', extra: 'delete' });
    const sent = await run(flow);
    should(counts(sent.payload)).eql({ created: 2, removed: 1, bytes: 10 });
    const left = Object.keys(await contentsOnDrive()).filter((name) => !name.endsWith('/'));
    left.sort().should.eql(['a.txt', 'docs/b.txt', 'keep.log']);
  });

  it('sync compares checksums if that is selected', async () => {
    await utimes(disk('home', 'a.txt'), TIME, TIME);
    await add('a.txt', 'HELLO');
    const flow = await loadNode({ compare: 'time', include: 'a.txt' });
    should(counts((await run(flow)).payload)).eql({ unchanged: 1 });
    await flow.redeploy('n', { compare: 'checksum', include: 'a.txt' });
    should(counts((await run(flow)).payload)).eql({ updated: 1, bytes: 5 });
  });

  it('sync moves extra files to the trash or deletes them, within the limit', async () => {
    for (const name of ['x1', 'x2']) await add(name, name);
    const flow = await loadNode({ extra: 'trash', maxRemovals: 1 });
    failed(await flow.run('n', message()), 'conflict', '2', '1');
    (await contentsOnDrive()).should.eql({ x1: 'x1', x2: 'x2' });
    await flow.redeploy('n', { extra: 'trash', maxRemovals: '2' });
    should(counts((await run(flow)).payload)).eql({ created: 2, removed: 2, bytes: 10 });
    const inFolder = () => drive().files.in(folder);
    inFolder()
      .filter(({ trashed }) => trashed)
      .should.have.length(2);
    await writeTree(disk('home'), { x3: 'x3' });
    await run(flow);
    await rm(disk('home', 'x3'));
    await flow.redeploy('n', { extra: 'delete', maxRemovals: '' });
    should(counts((await run(flow)).payload)).containEql({ removed: 1 });
    should(inFolder().find(({ name }) => name === 'x3')).be.undefined();
  });

  it('sync deletes extra files on disk, but nothing if the folder on the drive is empty', async () => {
    const flow = await loadNode({ direction: 'down', extra: 'delete' });
    failed(await flow.run('n', message()), 'conflict');
    (await contentsOf(disk('home'))).should.have.property('a.txt', 'hello');
    await add('new.txt', 'new');
    should(counts((await run(flow)).payload)).eql({ created: 1, removed: 2, bytes: 3 });
    (await contentsOf(disk('home'))).should.have.property('new.txt').and.not.have.property('a.txt');
  });

  it('sync skips symbolic links, follows them, or stops', async () => {
    await symlink('a.txt', disk('home', 'link.txt'));
    const flow = await loadNode({ include: '*.txt' });
    const skipped = await run(flow);
    should(counts(skipped.payload)).eql({ created: 2, skipped: 1, bytes: 10 });
    skipped.changes.should.containDeep([{ path: 'link.txt', action: 'skipped', reason: 'symlink' }]);
    await flow.redeploy('n', { symlinks: 'follow' });
    should(counts((await run(flow)).payload)).containEql({ created: 1, unchanged: 2 });
    (await contentsOnDrive()).should.have.property('link.txt', 'hello');
    await flow.redeploy('n', { symlinks: 'error' });
    failed(await flow.run('n', message()), 'conflict', 'link.txt');
  });

  it('sync exports Google documents in the selected format, and otherwise skips them', async () => {
    await add('Notes', 'text', { mimeType: 'application/vnd.google-apps.document' });
    const flow = await loadNode({ direction: 'down' });
    const sent = await run(flow);
    should(counts(sent.payload)).eql({ skipped: 1 });
    sent.changes.should.containDeep([{ path: 'Notes', reason: 'workspace_document' }]);
    await flow.redeploy('n', { direction: 'down', exportFormat: ' txt ' });
    should(counts((await run(flow)).payload)).containEql({ created: 1 });
    (await contentsOf(disk('home'))).should.have.property('Notes.txt');
  });

  it('sync reports files that failed as partial_failure, after the others', async () => {
    const flow = await loadNode({ extra: 'delete' });
    await add('extra.txt', 'extra');
    const match = { method: 'POST', path: /upload/ };
    drive().faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match });
    const ending = await flow.run('n', message());
    failed(ending, 'partial_failure', '1 of');
    const { payload, changes } = ending.msg as Sent;
    should(counts(payload)).eql({ created: 1, failed: 1, bytes: 5 });
    const [failure] = changes.filter(({ action }) => action === 'failed');
    should(failure?.error).have.property('code', 'permission_denied');
    should(failure?.error?.message).be.a.String().and.not.be.empty();
    (await contentsOnDrive()).should.have.property('extra.txt');
    should(flow.statuses('n').at(-1)).containEql({ fill: 'red', shape: 'ring' });
    should(counts((await run(flow)).payload)).eql({ created: 1, unchanged: 1, removed: 1, bytes: 5 });
  });

  it('a full drive stops sync, which says what was done', async () => {
    const flow = await loadNode();
    const match = { method: 'POST', path: /upload/ };
    drive().faults.add({ kind: 'error', status: 403, reason: 'storageQuotaExceeded', match, times: 9 });
    const ending = await flow.run('n', message());
    failed(ending, 'quota_exceeded');
    should((ending.msg as Sent).payload).containEql({ created: 0 });
  });

  for (const [problem, settings, msg, words] of [
    ['no path', {}, { filename: undefined }, ['localPath', 'msg.filename']],
    ['an empty path', {}, { filename: ' ' }, ['localPath']],
    ['a path that is an object', {}, { filename: {} }, ['localPath', '{}']],
    ['no folder', {}, { payload: undefined }, ['folder', 'msg.payload']],
    ['a time stamp as the folder', {}, { payload: 1_767_323_045_000 }, ['folder', 'number']],
    ['a relative path as the folder', {}, { payload: 'a/b' }, ['folder']],
    ['an unset variable', { folder: 'NO_SUCH', folderType: 'env' }, {}, ['NO_SUCH']],
    ['an unknown direction', { direction: 'both' }, {}, ['direction', 'up, down']],
    ['an unknown comparison', { compare: 'size' }, {}, ['compare', 'time, checksum']],
    ['an unknown choice for extra files', { extra: 'move' }, {}, ['extra', 'keep, trash, delete']],
    ['an unknown choice for links', { symlinks: 'copy' }, {}, ['symlinks', 'skip, follow, error']],
    ['trash on disk', { direction: 'down', extra: 'trash' }, {}, ['trash']],
    ['a negative limit', { maxRemovals: -1 }, {}, ['maxRemovals', '-1']],
    ['a limit that is no number', { maxRemovals: 'all' }, {}, ['maxRemovals']],
    ['a negative delay', { jitter: -1 }, {}, ['jitter', '-1']],
    ['a malformed pattern', { include: '[z-a]' }, {}, []],
    ['a malformed exclusion', { exclude: '[z-a]' }, {}, []],
    ['an open bracket', { include: 'ok\n*.jp[g' }, {}, ['*.jp[g', 'include', 'write [[]']],
    ['an open brace', { exclude: '*.{jpg' }, {}, ['*.{jpg', 'exclude', 'write [{]']],
    ['a format that is no text', { exportFormat: {} }, {}, ['exportFormat']],
  ] as const) {
    it(`sync refuses ${problem} before it requests anything`, async () => {
      const flow = await loadNode(settings);
      failed(await flow.run('n', message(msg)), 'invalid_input', ...words);
      fileRequests(drive()).should.be.empty();
    });
  }

  it('sync refuses a path on disk that isn’t a folder before it requests anything', async () => {
    const flow = await loadNode();
    for (const name of ['nowhere', 'home/a.txt'])
      failed(await flow.run('n', message({ filename: disk(name) })), 'local_file', disk(name));
    fileRequests(drive()).should.be.empty();
  });

  it('sync reports a folder on disk that can’t be created', async function () {
    if (!existsSync('/proc')) this.skip('needs Linux');
    const flow = await loadNode({ direction: 'down' });
    failed(await flow.run('n', message({ filename: '/proc/none/x' })), 'local_file', '/proc');
  });

  it('sync waits a random time before it starts, which msg.cancel ends', async () => {
    const flow = await loadNode({ jitter: 1_000_000 });
    const running = flow.run('n', message());
    await flow.run('n', { cancel: true });
    failed(await running, 'cancelled');
    fileRequests(drive()).should.be.empty();
  });

  it('sync takes a folder as another node emits it, and resolves relative paths as core nodes do', async () => {
    const flow = await loadNode();
    const filename = path.relative(process.cwd(), disk('home'));
    should((await run(flow, { filename, payload: { id: folder, name: 'x' } })).payload.created).equal(2);
    should((await run(flow, { payload: folder })).payload.unchanged).equal(2);
  });

  describe('while it runs', () => {
    let endStall: () => void;
    beforeEach(async () => {
      await mkdir(disk('home', 'large'));
      await writeFile(disk('home', 'large', 'large.bin'), bytes(5_500_000));
      const until = new Promise<void>((resolve) => (endStall = resolve));
      const match = { path: '/upload/', method: 'PUT' };
      drive().faults.add({ kind: 'stallRequest', bytes: 1_000_000, until, match });
    });
    afterEach(() => endStall());
    const stalled = (): Promise<unknown> =>
      drive().traffic.until(() => drive().requests.to('PUT', /upload/).length > 0);

    it('sync sends its progress to the second output', async () => {
      const flow = await loadNode({ progress: true, outputs: 2 });
      endStall();
      const ending = await flow.run('n', message({ topic: 'mine' }));
      passed(ending);
      const last = ending.second.at(-1)!;
      should(last).containEql({ topic: 'mine' });
      should(last.payload).containEql({ transferred: 5_500_010, total: 5_500_010, percent: 100 });
      should(last.payload).containEql({ files: 3, totalFiles: 3 });
    });

    for (const way of ['msg.cancel', 'a deploy'] as const) {
      it(`sync stops with ${way}, and continues with the next message`, async () => {
        const flow = await loadNode();
        const running = flow.run('n', message());
        await stalled();
        if (way === 'msg.cancel') {
          await flow.run('n', { cancel: true });
          failed(await running, 'cancelled');
        } else {
          await flow.redeploy('n', { name: 'changed' });
        }
        should(find('large')).be.ok();
        drive().files.in(find('large')!.id).should.be.empty();
        endStall();
        drive().requests.clear();
        const { payload } = await run(flow);
        should(payload.failed).equal(0);
        should(payload.created + payload.unchanged).equal(3);
        (await contentsOnDrive()).should.have.properties('a.txt', 'docs/b.txt', 'large/large.bin');
      });
    }
  });

  it('sync works in both directions with a service that supports only the required requests', async () => {
    await withMinimalService(async (service, id) => {
      const account = minimalAccount(service);
      const nodes = [sync({ direction: 'up' }), { ...sync({ direction: 'down' }), id: 'down' }];
      const mine = nodes.map((node) => ({ ...node, account: 'mine' }));
      const flow = await load([...mine, account], { credentials: MINE });
      // The service can't create folders.
      await rm(disk('home', 'docs'), { recursive: true });
      await rm(disk('home', 'empty'), { recursive: true });
      should(counts((await run(flow, { payload: id })).payload)).eql({ created: 1, bytes: 5 });
      const parent = service.add({ name: 'docs', parent: id, mimeType: MINIMAL_FOLDER });
      service.add({ name: 'b.txt', parent, content: 'world' });
      const ending = await flow.run('down', message({ payload: id, filename: disk('back') }));
      should((passed(ending) as Sent).payload).containEql({ created: 2, failed: 0 });
      (await contentsOf(disk('back'))).should.eql({ 'a.txt': 'hello', 'docs/': '', 'docs/b.txt': 'world' });
    });
  });
});
