/** The backup node with the format `snapshot`, as docs/snapshots.md describes it. */
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { idOf, seal } from '../../src/backup/restic/crypto';
import { lockJson } from '../../src/backup/restic/snapshot-file';
import type { SnapshotInfo, SnapshotSummary } from '../../src/backup/restic/snapshot-request';
import { needsProgram } from '../support/archive/programs';
import { contentsOf, writeTree } from '../support/archive/tree';
import { bytes } from '../support/content';
import { useDisk } from '../support/disk';
import { CREDENTIALS } from '../support/node-red/account';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, type LoadOptions, type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { MINE, minimalAccount, withMinimalService } from '../support/node-red/minimal-account';
import { failed, passed } from '../support/node-red/outcome';
import { DiskRepository, restic } from '../support/snapshots/disk-repository';
import { addRepository, exportFolder } from '../support/snapshots/drive-repository';

const PASSPHRASE = 'canary-passphrase correct horse';
/** Without a user directory, as in the test helper. */
const CACHE = path.join(tmpdir(), '.cloud-drive-snapshots');

const backup = (more: object = {}): FlowNode => ({
  id: 'n',
  type: 'cloud-drive-backup',
  format: 'snapshot',
  ...more,
});

interface Sent extends NodeMessage {
  payload: SnapshotInfo;
  backup: Omit<SnapshotSummary, 'skipped'> & { skipped: string[] };
  pruned: {
    kept: SnapshotInfo[];
    removed: SnapshotInfo[];
    failed: (SnapshotInfo & { error: { code: string } })[];
    freedBytes: number;
  };
}

describe('backup node with snapshots', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  let folder: string;
  let onDrive: string;
  let tests = 0;

  const useEmptyFolder = async (): Promise<void> => {
    onDrive = `/Snapshots ${++tests}`;
    folder = await drive().files.addFolder(onDrive.slice(1));
  };

  beforeEach(async () => {
    await useEmptyFolder();
    await addRepository(drive(), folder, PASSPHRASE);
    await writeTree(disk('home'), { 'a.txt': 'hello', 'docs/b.txt': 'world', 'empty/': '' });
  });
  after(() => rm(CACHE, { recursive: true, force: true }));

  const loadNode = (
    more: object = {},
    { passphrase = PASSPHRASE, ...options }: LoadOptions & { passphrase?: string } = {},
  ): Promise<LoadedFlow> =>
    load([backup({ folder: onDrive, ...more })], {
      url: drive().url,
      credentials: { account: CREDENTIALS, n: { passphrase } },
      ...options,
    });
  const run = async (flow: LoadedFlow, msg: object = {}): Promise<Sent> =>
    passed(await flow.run('n', { filename: disk('home'), ...msg })) as Sent;
  const addLock = (content: Buffer): Promise<string> => {
    const parent = drive()
      .files.in(folder)
      .find(({ name }) => name === 'locks')!.id;
    const mimeType = 'application/octet-stream';
    return drive().files.add({ name: idOf(content), parent, content, mimeType });
  };
  const snapshotsOnDrive = (): string[] =>
    drive()
      .files.in(folder)
      .filter(({ name, trashed }) => name === 'snapshots' && !trashed)
      .flatMap(({ id }) => drive().files.untrashedNames(id));

  it('backup stores a folder as a snapshot, and says what is new in it', async () => {
    await useEmptyFolder();
    const flow = await loadNode({ tags: ' nightly \n\nhome' });
    const sent = await run(flow, { payload: 'from before', topic: 'mine' });
    should(sent).containEql({ filename: disk('home'), topic: 'mine' });
    const { id, shortId, time, tree, ...rest } = sent.payload;
    should(rest).eql({
      parent: null,
      paths: [disk('home')],
      hostname: hostname(),
      tags: ['nightly', 'home'],
    });
    id.should.match(/^[0-9a-f]{64}$/);
    id.should.startWith(shortId);
    tree.should.match(/^[0-9a-f]{64}$/);
    should(Math.abs(Date.now() - Date.parse(time))).be.below(3_600_000);
    const { addedBytes, uploadedBytes, requests, ...counts } = sent.backup;
    should(counts).eql({
      complete: true,
      ...{ entries: 5, files: 2, folders: 3, bytes: 10 },
      ...{ newFiles: 2, changedFiles: 0, unchangedFiles: 0 },
      ...{ changed: [], skipped: [] },
    });
    for (const number of [addedBytes, uploadedBytes, requests]) should(number).be.above(0);
    should(sent.pruned).eql({ kept: [], removed: [], failed: [], freedBytes: 0 });
    snapshotsOnDrive().should.eql([id]);
    should(flow.statuses('n').at(-1)).match({ fill: 'green', shape: 'dot', text: /^5 items · .+ uploaded$/ });
  });

  it('a second backup sends only what has changed, and restic finds nothing wrong with either', async function () {
    needsProgram(this, 'restic');
    const flow = await loadNode();
    const large = bytes(3_000_000);
    await writeFile(disk('home/large.bin'), large);
    const first = await run(flow);
    should(first.backup.uploadedBytes).be.above(large.length);
    await writeFile(disk('home/docs/b.txt'), 'changed');
    await writeFile(disk('home/new.txt'), 'new');
    const second = await run(flow);
    should(second.payload.parent).equal(first.payload.id);
    should(second.backup).containEql({ newFiles: 1, changedFiles: 1, unchangedFiles: 2 });
    should(second.backup.uploadedBytes).be.below(20_000);
    const repository = disk('repository');
    await exportFolder(drive(), folder, repository);
    restic(repository, ['check', '--read-data'], PASSPHRASE);
    for (const [{ payload }, text] of [
      [first, 'world'],
      [second, 'changed'],
    ] as const) {
      const target = disk(`restored-${text}`);
      restic(repository, ['restore', payload.id, '--target', target], PASSPHRASE);
      const restored = await contentsOf(path.join(target, disk('home')));
      should(restored).have.property('docs/b.txt', text);
    }
    should(await contentsOf(path.join(disk('restored-changed'), disk('home')))).eql(
      await contentsOf(disk('home')),
    );
  });

  it('backup removes old snapshots of this machine and these paths by the rules', async () => {
    const flow = await loadNode({ keepNewest: 1, mode: 'permanent' });
    await writeTree(disk('other'), { 'x.txt': 'x' });
    const other = await run(flow, { filename: disk('other') });
    const first = await run(flow);
    await writeFile(disk('home/a.txt'), 'changed');
    const { payload, pruned } = await run(flow);
    should(pruned.removed).eql([first.payload]);
    should(pruned.kept).eql([payload]);
    snapshotsOnDrive().sort().should.eql([other.payload.id, payload.id].sort());
  });

  it('a source that is lost during the run makes the snapshot incomplete, and nothing is removed', async () => {
    await writeTree(disk('mounted'), { 'x.txt': 'x' });
    const filename = [disk('home'), disk('mounted')];
    const flow = await loadNode({ keepNewest: 1 });
    const first = await run(flow, { filename });
    await writeFile(disk('home/a.txt'), 'changed');
    const until = () => rm(disk('mounted'), { recursive: true });
    // The first upload is the lock, the next one is a pack.
    drive().faults.add({ kind: 'delay', until, match: { method: 'POST', path: /upload/, nth: 2 } });
    const { error, msg, sent } = await flow.run('n', { filename });
    should(error?.cause?.code).equal('partial_failure');
    error!.message.should.containEql(disk('mounted'));
    sent.should.be.empty();
    const { payload, backup: summary, pruned } = msg as Sent;
    should(payload.tags).eql(['incomplete']);
    should(summary.complete).be.false();
    should(pruned.removed).be.empty();
    snapshotsOnDrive().sort().should.eql([first.payload.id, payload.id].sort());
    // The next complete one replaces it.
    await writeTree(disk('mounted'), { 'x.txt': 'x' });
    const third = await run(flow, { filename });
    should(third.pruned.removed.map(({ id }) => id)).containDeep([payload.id, first.payload.id]);
  });

  it('skipped entries make the dot of the status yellow, and are named in a warning', async function () {
    const { createServer } = await import('node:net');
    const server = createServer().listen(disk('home/socket'));
    try {
      const flow = await loadNode();
      const { backup: summary } = await run(flow);
      should(summary).containEql({ complete: true, skipped: ['home/socket'] });
      should(flow.statuses('n').at(-1)).match({
        fill: 'yellow',
        text: /^5 items · .+ uploaded · 1 skipped$/,
      });
    } finally {
      server.close();
    }
  });

  it('progress goes to the second output', async () => {
    const flow = await loadNode({ progress: true, outputs: 2 });
    const { second } = await flow.run('n', { filename: disk('home') });
    should(second.at(-1)).have.property('payload').with.properties('transferred', 'entries', 'bytes');
  });

  it('backup creates missing folders unless that is turned off', async () => {
    await useEmptyFolder();
    const missing = `${onDrive}/deep/er`;
    const flow = await loadNode({ folder: missing, createFolders: false });
    failed(await flow.run('n', { filename: disk('home') }), 'not_found', missing);
    await helper.unload();
    await run(await loadNode({ folder: missing }));
    drive().files.untrashedNames(folder).should.eql(['deep']);
  });

  it('a folder with other content isn’t a repository, and nothing is changed', async () => {
    await useEmptyFolder();
    await drive().files.add({ name: 'notes.txt', parent: folder, content: 'mine' });
    const flow = await loadNode();
    failed(await flow.run('n', { filename: disk('home') }), 'conflict', 'notes.txt', 'Nothing was changed');
    drive().files.untrashedNames(folder).should.eql(['notes.txt']);
  });

  it('another passphrase than the repository’s is invalid_input, and appears nowhere', async () => {
    await run(await loadNode());
    await helper.unload();
    const wrong = 'canary-passphrase that is wrong';
    const flow = await loadNode({}, { passphrase: wrong });
    const { message } = failed(
      await flow.run('n', { filename: disk('home') }),
      'invalid_input',
      'passphrase',
    );
    message.should.not.containEql('canary');
    JSON.stringify(drive().requests.all).should.not.containEql('canary');
    snapshotsOnDrive().should.have.length(1);
  });

  it('a repository that another machine has locked is waited for, and then the error names the machine', async () => {
    await run(await loadNode());
    await helper.unload();
    await exportFolder(drive(), folder, disk('copy'));
    const { key } = await DiskRepository.open(disk('copy'), PASSPHRASE);
    const who = { hostname: 'restic-machine', username: 'root', pid: 1 };
    await addLock(seal(key, lockJson({ time: Date.now(), exclusive: true, ...who })));
    const flow = await loadNode({}, { account: { retryFor: 0 } });
    const ending = await flow.run('n', { filename: disk('home') });
    failed(ending, 'conflict', 'restic-machine', 'Nothing was changed');
    const text = 'node-red-contrib-cloud-drive/cloud-drive-account:status.locked';
    should(flow.statuses('n')).containDeep([{ fill: 'yellow', shape: 'ring', text }]);
    flow
      .logged()
      .join()
      .should.containEql('Another client on restic-machine has locked the repository since ');
    snapshotsOnDrive().should.have.length(1);
  });

  it('the warning about a lock that cannot be read names no machine', async () => {
    await run(await loadNode());
    await helper.unload();
    await addLock(Buffer.from('no lock'));
    const flow = await loadNode({}, { account: { retryFor: 0 } });
    failed(await flow.run('n', { filename: disk('home') }), 'conflict', "can't be read");
    flow
      .logged()
      .join()
      .should.match(/A lock in the repository, created at .+, can't be read\. This run waits/);
  });

  it('a service without what snapshots need is refused before anything is stored', async () => {
    await withMinimalService(async (service, id) => {
      const account = minimalAccount(service);
      const credentials = { ...MINE, n: { passphrase: PASSPHRASE } };
      const flow = await load([backup({ account: 'mine', folder: id }), account], { credentials });
      failed(
        await flow.run('n', { filename: disk('home') }),
        'not_configured',
        'Use archives with this service',
      );
    });
  });

  for (const [title, settings, options, words] of [
    ['no passphrase', {}, { passphrase: '' }, ['The passphrase is empty', 'No request was made']],
    ['a passphrase of 7 characters', {}, { passphrase: '7 chars' }, ['8 characters', 'No request was made']],
    ['a pack size that is too small', { packSize: 3 }, {}, ['packSize', 'number 3', 'from 4 to 128']],
    ['a pack size that is too large', { packSize: '129' }, {}, ['packSize', "'129'", 'from 4 to 128']],
    ['a pack size that isn’t a number', { packSize: 'x' }, {}, ['packSize', "'x'", 'from 4 to 128']],
    ['more than everything unused', { maxUnused: 101 }, {}, ['maxUnused', '101', 'from 0 to 100']],
    ['negative unused space', { maxUnused: -1 }, {}, ['maxUnused', '-1', 'from 0 to 100']],
    ['a tag with a comma', { tags: 'a,b' }, {}, ['tags', '“a,b”', 'one tag per line']],
    [
      'the tag of incomplete snapshots',
      { tags: 'x\nincomplete' },
      {},
      ['tags', '“incomplete”', 'Choose another'],
    ],
    ['tags that are an array', { tags: ['a'] }, {}, ['tags must be a string with one value per line']],
    ['an unknown format', { format: 'zip' }, {}, ['format', 'archive, snapshot', "'zip'"]],
    ['a malformed pattern', { exclude: '[' }, {}, ['exclude']],
    ['a rule with a fraction', { weekly: 1.5 }, {}, ['weekly', '1.5']],
    ['an unknown mode', { mode: 'shred' }, {}, ['mode', 'trash, permanent']],
  ] as const) {
    it(`backup as a snapshot rejects ${title} before anything is sent`, async () => {
      const flow = await loadNode(settings, options);
      failed(await flow.run('n', { filename: disk('home') }), 'invalid_input', ...words);
      drive().requests.all.should.be.empty();
    });
  }

  it('backup as a snapshot ignores the settings of archives', async () => {
    const archives = { targetName: '{day}', encryption: 'recipients', recipients: 'x', compression: 'zip' };
    should((await run(await loadNode(archives))).payload.paths).eql([disk('home')]);
  });

  it('a repository in the trash is another folder: its path is not found, or leads to a new repository', async () => {
    const flow = await loadNode({ createFolders: false });
    const first = await run(flow);
    (drive().files.find(folder) as { trashed: boolean }).trashed = true;
    failed(await flow.run('n', { filename: disk('home') }), 'not_found', onDrive);
    await helper.unload();
    const byId = await loadNode({ folder });
    failed(await byId.run('n', { filename: disk('home') }), 'conflict', 'restore it from the trash');
    await helper.unload();
    const { payload, backup: counts } = await run(await loadNode());
    should(payload.parent).be.null();
    should(counts.unchangedFiles).equal(0);
    snapshotsOnDrive().should.eql([first.payload.id]);
  });

  it('a missing source is local_file, and no folder is created', async () => {
    await useEmptyFolder();
    const flow = await loadNode({ folder: `${onDrive}/new` });
    failed(await flow.run('n', { filename: disk('nowhere') }), 'local_file', 'nowhere');
    drive().files.untrashedNames(folder).should.be.empty();
  });

  it('several sources are one snapshot with all paths', async () => {
    await mkdir(disk('other'));
    await symlink('../home/a.txt', disk('other/link'));
    const filename = [disk('other'), disk('home') + path.sep];
    const sent = await run(await loadNode(), { filename });
    sent.payload.paths
      .slice()
      .sort()
      .should.eql([disk('home'), disk('other')]);
    should(sent.backup).containEql({ entries: 7, files: 2 });
  });
});
