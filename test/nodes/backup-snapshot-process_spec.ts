/** Snapshots in a whole Node-RED process: beside restic on the same machine, and when it is deployed or stopped. */
import { rm, writeFile } from 'node:fs/promises';
import type { NodeMessage } from 'node-red';
import should from 'should';
import type { FaultMatch, RecordedRequest } from '../local-drive';
import { needsProgram } from '../support/archive/programs';
import { writeTree } from '../support/archive/tree';
import { bytes } from '../support/content';
import { useDisk } from '../support/disk';
import { holdRequest } from '../support/http/hold-request';
import { CREDENTIALS, customAccount } from '../support/node-red/account';
import { useDrive } from '../support/node-red/flow-drive';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { restic } from '../support/snapshots/disk-repository';
import { casesOf, itLong } from '../support/run/long';
import { addRepository, exportFolder, resticOnDrive } from '../support/snapshots/drive-repository';

const PASSPHRASE = 'correct horse battery';
const UPLOAD: FaultMatch = { method: 'POST', path: /upload/ };

describe('snapshots in a Node-RED process', () => {
  const drive = useDrive();
  const disk = useDisk();
  let nodeRed: NodeRed;
  let folder: string;
  let tests = 0;
  let runs = 0;

  before(async function () {
    needsProgram(this, 'restic');
    nodeRed = await startNodeRed();
  });
  after(() => nodeRed.close());
  beforeEach(async () => {
    folder = await drive().files.addFolder(`Snapshots ${++tests}`);
    await addRepository(drive(), folder, PASSPHRASE);
    await writeTree(disk('home'), { 'a.txt': 'hello' });
    await nodeRed.deploy(flow());
  });

  const flow = (name = ''): DeployedNode[] => {
    const position = { z: 'tab', x: 0, y: 0 };
    const account = { ...customAccount(drive().url), retryFor: 0 };
    return [
      { id: 'tab', type: 'tab', label: `test ${tests}${name}` },
      { id: 'account', type: 'cloud-drive-account', ...account, credentials: { ...CREDENTIALS } },
      {
        ...{ id: 'n', type: 'cloud-drive-backup', ...position, account: 'account', wires: [['out']] },
        ...{ format: 'snapshot', folder, filename: disk('home'), keepNewest: 1, mode: 'permanent' },
        credentials: { passphrase: PASSPHRASE },
      },
      { id: 'catch', type: 'catch', ...position, wires: [['caught']] },
      { id: 'out', type: 'test-output', ...position, wires: [] },
      { id: 'caught', type: 'test-output', ...position, wires: [] },
    ];
  };

  /** @returns `success`, or the error */
  function backUp(): Promise<string> {
    const run = ++runs;
    const isOwn = (msg: NodeMessage): boolean => 'run' in msg && msg.run === run;
    nodeRed.receive('n', { run, filename: disk('home') });
    return Promise.race([
      nodeRed.output('out', isOwn).then(() => 'success'),
      nodeRed.output('caught', isOwn).then((msg) => JSON.stringify(msg['error'])),
    ]);
  }
  const inFolder = (type: string) => {
    const found = drive()
      .files.in(folder)
      .find(({ name }) => name === type);
    return drive().files.in(found?.id ?? '');
  };
  const isLock = ({ path: target }: RecordedRequest): boolean =>
    inFolder('locks').some(({ id }) => target.endsWith(id));
  const check = async (): Promise<void> => {
    await rm(disk('copy'), { recursive: true, force: true });
    await exportFolder(drive(), folder, disk('copy'));
    restic(disk('copy'), ['check', '--read-data'], PASSPHRASE).should.containEql('no errors were found');
  };

  /** Changes what the next backup stores, so that it removes the earlier snapshot and then cleans up. */
  async function prepare(): Promise<void> {
    await writeFile(disk('home/gone'), bytes(500_000, 1));
    should(await backUp()).equal('success');
    await rm(disk('home/gone'));
    await writeFile(disk('home/new'), bytes(500_000, 2));
  }

  /** Starts a backup, and holds a request of its clean-up. */
  async function holdCleanUp({
    method,
    nth = 1,
  }: FaultMatch): Promise<{ release: () => void; outcome: Promise<string> }> {
    await prepare();
    let hasUnlocked = false;
    const when = (request: RecordedRequest): boolean => {
      const isIn = hasUnlocked && (method === undefined || request.method === method);
      hasUnlocked ||= request.method === 'DELETE' && isLock(request);
      return isIn;
    };
    const { reached, release } = holdRequest(drive(), { when, nth });
    const outcome = backUp();
    await reached;
    return { release, outcome };
  }

  const changed = (id: string): DeployedNode[] =>
    flow().map((node) => (node.id === id ? { ...node, name: 'changed' } : node));
  const MOMENTS: readonly (readonly [moment: string, match: FaultMatch])[] = [
    ['uploads packs', { method: 'POST', nth: 2 }],
    ['uploads its lock', { method: 'POST' }],
    ['removes an index', { method: 'DELETE' }],
    ...[1, 7, 9, 12].map((nth) => [`sends request ${nth}`, { nth }] as const),
  ];
  const RESTARTS = [
    ['SIGTERM', () => nodeRed.kill('SIGTERM')],
    ['a deploy of the account', () => nodeRed.deploy(changed('account'), 'nodes')],
    ['a full deploy', () => nodeRed.deploy(flow())],
  ] as const;
  for (const [moment, match] of casesOf(MOMENTS, 1))
    for (const [title, restart] of casesOf(RESTARTS, 2))
      it(`${title} while a clean-up ${moment} leaves no lock, and the next backup starts at once`, async () => {
        const { release } = await holdCleanUp(match);
        await restart();
        inFolder('locks').should.be.empty();
        if (title === 'SIGTERM') await nodeRed.start();
        // The service may handle it although nobody waits for the response any more.
        release();
        should(await backUp()).equal('success');
        await check();
      });

  for (const restart of casesOf(['nodes', 'SIGKILL'] as const, 1))
    it(`the next backup starts at once although ${restart === 'nodes' ? 'a lock is still being removed' : 'a killed Node-RED has left a lock'}`, async () => {
      const { release } = await holdCleanUp({ method: 'POST', nth: 2 });
      const removal = holdRequest(drive(), { method: 'DELETE', when: isLock });
      if (restart === 'nodes') {
        await nodeRed.deploy(changed('n'), restart);
        await removal.reached;
      } else {
        removal.release();
        await nodeRed.kill();
        await nodeRed.start();
      }
      inFolder('locks').should.have.length(1);
      should(await backUp()).equal('success');
      [release, removal.release].forEach((each) => each());
      await check();
    });

  const STATES = [
    ['stores packs', { ...UPLOAD, nth: 2 }],
    ['stores its snapshot', { ...UPLOAD, nth: 5 }],
    ['removes a snapshot', { method: 'DELETE' }],
    ['cleans up', undefined],
  ] as const;
  for (const [title, match] of casesOf(STATES, 1))
    it(`restic unlock leaves the lock of a Node-RED that ${title}, and Node-RED itself, alone`, async () => {
      const { pid } = nodeRed;
      const { outcome, release } = await hold(match);
      const locks = inFolder('locks');
      locks.should.have.length(1);
      await unlock();
      inFolder('locks').should.eql(locks);
      release();
      should(await outcome).equal('success');
      should(nodeRed.pid).equal(pid);
      await check();
      should(await backUp()).equal('success');
    });

  const STORED = [
    ['a snapshot', 5],
    ['an index', 4],
    ['packs', 2],
  ] as const;
  for (const [title, nth] of casesOf(STORED, 1))
    it(`a backup that stores ${title} while others remove its lock and its packs by force stores no snapshot`, async () => {
      const { outcome, release } = await hold({ ...UPLOAD, nth });
      const snapshots = drive().files.untrashedNames(inFolder('snapshots')[0]?.parent ?? '');
      await unlock('--remove-all');
      inFolder('locks').should.be.empty();
      await resticOnDrive(drive(), folder, ['prune', '--max-unused=0'], PASSPHRASE);
      release();
      should(await outcome).containEql('"code":"conflict"');
      inFolder('snapshots')
        .map(({ name }) => name)
        .should.eql(snapshots);
      await check();
    });

  itLong(
    'a clean-up whose lock others remove by force ends without damage, and the next one completes it',
    async () => {
      const { outcome, release } = await hold(undefined);
      await unlock('--remove-all');
      release();
      should(await outcome).containEql('No snapshot is affected');
      await check();
      should(await backUp()).equal('success');
      await check();
    },
  );

  /** @param match undefined for a request of the clean-up */
  async function hold(match?: FaultMatch): Promise<{ release: () => void; outcome: Promise<string> }> {
    if (match === undefined) return holdCleanUp({ method: 'DELETE' });
    await prepare();
    const { reached, release } = holdRequest(drive(), match);
    const outcome = backUp();
    await reached;
    return { release, outcome };
  }
  const unlock = (...more: string[]): Promise<string> =>
    resticOnDrive(drive(), folder, ['unlock', ...more], PASSPHRASE);
});
