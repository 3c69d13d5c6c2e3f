/** The restore node with `from: snapshots`, as docs/snapshots.md and docs/nodes/restore.md describe it. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import os, { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import type { SnapshotInfo } from '../../src/backup/restic/snapshot-request';
import { contentsOf, writeTree } from '../support/archive/tree';
import { useDisk } from '../support/disk';
import { CREDENTIALS } from '../support/node-red/account';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';
import { withoutRestic } from '../support/snapshots/restic-oracle';
import { addRepository } from '../support/snapshots/drive-repository';

/** ms */
const DAY = 86_400_000;
const PASSPHRASE = 'canary-passphrase correct horse';
/** Without a user directory, as in the test helper. */
const CACHE = path.join(tmpdir(), '.cloud-drive-snapshots');

describe('restore node with snapshots', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  let folder: string;
  let folderId: string;
  let tests = 0;

  beforeEach(async () => {
    folder = `/Snapshots ${++tests}`;
    folderId = await drive().files.addFolder(folder.slice(1));
    await addRepository(drive(), folderId, PASSPHRASE);
    await writeTree(disk('home'), { 'a.txt': 'first', 'docs/b.txt': 'world', 'empty/': '' });
  });
  after(() => rm(CACHE, { recursive: true, force: true }));

  /** Both nodes, the restore node with these settings. */
  const loadNodes = (more: object = {}, passphrase = PASSPHRASE): Promise<LoadedFlow> => {
    const nodes: FlowNode[] = [
      { id: 'b', type: 'cloud-drive-backup', format: 'snapshot', folder },
      { id: 'r', type: 'cloud-drive-restore', from: 'snapshots', folder, ...more },
    ];
    const credentials = { account: CREDENTIALS, b: { passphrase: PASSPHRASE }, r: { passphrase } };
    return load(nodes, { url: drive().url, credentials });
  };
  const backup = async (flow: LoadedFlow): Promise<SnapshotInfo> =>
    passed(await flow.run('b', { filename: disk('home') })).payload as SnapshotInfo;
  /** A snapshot of `first`, and one of `second`. */
  const backupTwice = async (flow: LoadedFlow): Promise<[SnapshotInfo, SnapshotInfo]> => {
    const first = await backup(flow);
    await writeFile(disk('home/a.txt'), 'second');
    return [first, await backup(flow)];
  };
  const restoredText = (): Promise<string> => readFile(disk('restored/home/a.txt'), 'utf8');

  it('restore takes the newest snapshot, and says what it restored', async () => {
    const flow = await loadNodes();
    const [, second] = await backupTwice(flow);
    const msg = { payload: 'from before', filename: disk('restored'), topic: 'mine' };
    const sent = passed(await flow.run('r', msg));
    should(sent).containEql({ payload: disk('restored'), filename: disk('restored'), topic: 'mine' });
    should(sent).have.property('restored').eql({ snapshot: second, entries: 5, bytes: 11 });
    (await contentsOf(disk('restored/home'))).should.eql(await contentsOf(disk('home')));
    should(flow.statuses('r').at(-1)).eql({ fill: 'green', shape: 'dot', text: '5 items · 11 B' });
  });

  for (const [title, select] of [
    ['an ID', ({ id }: SnapshotInfo) => id],
    ['the beginning of an ID', ({ shortId }: SnapshotInfo) => ` ${shortId.toUpperCase()} `],
    ['the snapshot that backup has reported', (snapshot: SnapshotInfo) => snapshot],
  ] as const) {
    it(`restore takes an older snapshot by ${title}`, async () => {
      const flow = await loadNodes({ which: 'id' });
      const [first] = await backupTwice(flow);
      passed(await flow.run('r', { payload: select(first), filename: disk('restored') }));
      (await restoredText()).should.equal('first');
    });
  }

  it('restore takes the newest snapshot up to a date, and says that there is none', async () => {
    const flow = await loadNodes({ which: 'date' });
    await backupTwice(flow);
    // The local date, which may be the one of yesterday.
    const earlier = new Date(Date.now() - 2 * DAY).toISOString().slice(0, 10);
    const none = { payload: earlier, filename: disk('restored') };
    failed(await flow.run('r', none), 'not_found', folder, 'Choose a later date');
    for (const payload of [-1, -1.5, 0.5, Date.now() / 2 + 0.25])
      failed(
        await flow.run('r', { payload, filename: disk('restored') }),
        'not_found',
        'Choose a later date',
      );
    passed(await flow.run('r', { payload: Date.now() + DAY + 0.5, filename: disk('restored') }));
    (await restoredText()).should.equal('second');
  });

  it('restore leaves out the top folder, and restores only what is included', async () => {
    const flow = await loadNodes({ stripTop: true, include: 'home/docs' });
    await backup(flow);
    passed(await flow.run('r', { filename: disk('restored') }));
    should(await contentsOf(disk('restored'))).eql({ 'docs/': '', 'docs/b.txt': 'world' });
  });

  it('check reads a snapshot without writing, and compares it with a folder', async () => {
    const compareWith = disk('home');
    const flow = await loadNodes({ action: 'check', compareWith });
    const snapshot = await backup(flow);
    const equal = passed(await flow.run('r'));
    const { age, milliseconds, ...rest } = equal.payload as Record<string, number>;
    should(rest).eql({ ok: true, snapshot, entries: 5, files: 2, folders: 3, bytes: 10 });
    should(age).be.within(0, 1);
    should(milliseconds).be.above(0);
    should(equal).have.property('differences').eql({ missing: [], extra: [], different: [] });
    await writeFile(disk('home/a.txt'), 'other');
    const { differences } = passed(await flow.run('r')) as NodeMessage & { differences: object };
    should(differences).eql({ missing: [], extra: [], different: ['home/a.txt'] });
    should(flow.statuses('r').at(-1)).have.property('fill', 'yellow');
  });

  it('check asks only for the age of the newest snapshot if the node is set to', async () => {
    const flow = await loadNodes({ action: 'check', depth: 'age', maxAge: 1 });
    const snapshot = await backup(flow);
    const { age, ...rest } = passed(await flow.run('r')).payload as Record<string, unknown>;
    should(rest).eql({ ok: true, snapshot });
    should(age).be.within(0, 1);
  });

  it('snapshots of other machines count only if the node is set to', async () => {
    const flow = await loadNodes({ action: 'list' });
    await backup(flow);
    const own = os.hostname;
    os.hostname = () => 'another-machine';
    try {
      failed(await flow.run('r'), 'not_found', 'another-machine');
      await helper.unload();
      passed(await (await loadNodes({ action: 'list', sources: 'any' })).run('r'));
    } finally {
      os.hostname = own;
    }
  });

  it('a file that exists twice in the repository is a warning, and what is read is complete', async () => {
    withoutRestic('a folder on disk has each name once');
    const flow = await loadNodes({ action: 'check' });
    await backup(flow);
    await rm(CACHE, { recursive: true, force: true });
    const { files } = drive();
    const parent = files.in(folderId).find(({ name }) => name === 'snapshots')!.id;
    const [{ id = '', name = '' } = {}] = files.in(parent);
    const content = await files.contentOf(id);
    await files.remove(id);
    await files.add({ name, parent, content: Buffer.from('x') });
    await files.add({ name, parent, content });
    passed(await flow.run('r'));
    const warnings = flow.logged().filter((each) => each.includes('Intact copies were used'));
    warnings.should.have.length(1);
    String(warnings[0]).should.startWith('cloud-drive-restore').and.containEql(`snapshots/${name}`);
  });

  it('list sends an array of the entries, with the snapshot', async () => {
    const flow = await loadNodes({ action: 'list', include: '*.txt' });
    const snapshot = await backup(flow);
    const sent = passed(await flow.run('r'));
    (sent.payload as { path: string }[])
      .map(({ path: entry }) => entry)
      .sort()
      .should.eql(['home/a.txt', 'home/docs/b.txt']);
    should(sent)
      .have.property('snapshot')
      .eql({ ...snapshot, complete: true, entries: 5, bytes: 10 });
  });

  it('list sends a message for each entry, the last one with the count', async () => {
    const flow = await loadNodes({ action: 'list', output: 'each' });
    await backup(flow);
    const parts = { id: 'outer', index: 0 };
    const { sent } = await flow.run('r', { topic: 'mine', parts });
    sent.should.have.length(5);
    for (const msg of sent) {
      should(msg).have.propertyByPath('snapshot', 'hostname').equal(hostname());
      should(msg).have.propertyByPath('parts', 'parts').eql(parts);
    }
    should(sent.map(({ parts }: NodeMessage & { parts?: { count?: number } }) => parts?.count)).eql([
      ...[undefined, undefined, undefined, undefined, 5],
    ]);
  });

  it('another passphrase is invalid_input, and nothing on disk changes', async () => {
    const flow = await loadNodes({}, 'canary-passphrase that is wrong');
    await backup(flow);
    const { message } = failed(
      await flow.run('r', { filename: disk('restored') }),
      'invalid_input',
      `The passphrase doesn't open the repository in ${folder}. `,
      'Nothing was changed',
    );
    message.should.not.containEql('canary');
    await contentsOf(disk('restored')).should.be.rejected();
  });

  it('a folder without a repository is not_found', async () => {
    const empty = await drive().files.addFolder('Empty');
    const flow = await loadNodes({ folder: empty });
    failed(await flow.run('r', { filename: disk('restored') }), 'not_found', 'repository');
  });

  it('an ID that no snapshot has is not_found, and names it', async () => {
    const flow = await loadNodes({ which: 'id' });
    await backup(flow);
    const msg = { payload: '0123456789ab', filename: disk('restored') };
    failed(await flow.run('r', msg), 'not_found', '0123456789ab');
  });

  for (const [title, settings, payload, words] of [
    ['a number as an ID', { which: 'id' }, 42, ['select (msg.payload)', 'ID of a snapshot', '42']],
    ['a name as an ID', { which: 'id' }, 'newest', ['select (msg.payload)', "'newest'", '4bd2a6f1']],
    ['an archive as an ID', { which: 'id' }, { id: '1XyZ', name: 'a.tar' }, ['ID of a snapshot']],
    ['a date that isn’t one', { which: 'date' }, 'last week', ['select (msg.payload)', "'last week'"]],
    ['a choice of archives', { which: 'number' }, 1, ['which', 'newest, date, id', "'number'"]],
    ['unknown sources', { sources: 'mine' }, 1, ['sources', 'own, any', "'mine'"]],
    ['unknown backups', { from: 'tapes' }, 1, ['from', 'archives, snapshots', "'tapes'"]],
    [
      'more data than everything',
      { action: 'check', readData: 101 },
      1,
      ['readData', 'from 0 to 100', '101'],
    ],
    ['a malformed pattern', { include: '[' }, 1, ['include']],
    ['no path', { localPath: 'nothing' }, 1, ['localPath (msg.nothing)']],
  ] as const) {
    it(`restore of a snapshot rejects ${title} before anything is sent`, async () => {
      const flow = await loadNodes(settings);
      failed(await flow.run('r', { payload, filename: disk('restored') }), 'invalid_input', ...words);
      drive().requests.all.should.be.empty();
    });
  }

  it('restore of a snapshot asks for the passphrase before anything is sent', async () => {
    const flow = await loadNodes({}, '');
    failed(await flow.run('r', { filename: disk('restored') }), 'invalid_input', 'The passphrase is empty');
    drive().requests.all.should.be.empty();
  });
});
