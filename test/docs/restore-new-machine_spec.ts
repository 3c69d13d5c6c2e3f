/** The steps on docs/restore-new-machine.md: another user directory, with the client JSON and nothing else. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { contentsOf, writeTree } from '../support/archive/tree';
import { closeAll } from '../support/close-all';
import { useDisk } from '../support/disk';
import { CLIENT, customAccount } from '../support/node-red/account';
import { EXAMPLES } from '../support/node-red/examples';
import { ALL_CORE_NODES, type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { startLocalDrive } from '../local-drive';

const ACCOUNT = 'cd0account000001';

/** Polling without a pause would take CPU time from Node-RED. */
const nextPoll = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('docs/restore-new-machine.md', () => {
  const disk = useDisk();

  /** Imports an example, pastes the client, signs in with a code, deploys and presses the button. @returns what it shows */
  const runExample = async (
    nodeRed: NodeRed,
    drive: Awaited<ReturnType<typeof startLocalDrive>>,
    name: string,
    paths: Readonly<Record<string, string>>,
  ) => {
    const text = await readFile(path.join(EXAMPLES, `${name}.json`), 'utf8');
    const own = Object.entries(paths).reduce((found, [from, to]) => found.replaceAll(from, to), text);
    const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    const flow = (JSON.parse(own) as DeployedNode[]).map((node): DeployedNode => {
      if (node.type === 'debug') return { ...node, type: 'test-output' };
      return node.id === ACCOUNT ? { ...node, ...customAccount(drive.url), credentials: client } : node;
    });
    await nodeRed.deploy(flow);
    const ask = (where: string, options: RequestInit = {}) =>
      nodeRed.request(`/cloud-drive-account/${where}`, {
        ...options,
        headers: { 'Content-Type': 'application/json' },
      });
    const form = { ...flow.find(({ id }) => id === ACCOUNT), clientId: CLIENT.id, clientSecret: '__PWRD__' };
    const body = JSON.stringify({ ...form, flow: 'device' });
    const started = await ask(`${ACCOUNT}/sign-in`, { method: 'POST', body });
    const { session, userCode } = (await started.json()) as Record<'session' | 'userCode', string>;
    drive.approve(userCode);
    const state = async () => ((await (await ask(`sign-in/${session}`)).json()) as { state: string }).state;
    while ((await state()) === 'pending') await nextPoll();
    (await state()).should.equal('authorized');
    const { id } = flow.find(({ type }) => type === 'inject')!;
    (await nodeRed.request(`/inject/${id}`, { method: 'POST' })).ok.should.be.true();
    const shown = flow.find(({ type, name: label }) => type === 'test-output' && label !== 'error')!;
    return (await nodeRed.outputs(shown.id))[0]!;
  };

  it('a new user directory with the same client JSON restores the backup of another one', async () => {
    const [documents, target] = [disk('documents'), disk('restored')];
    await mkdir(documents);
    await writeTree(documents, { 'notes.txt': 'notes', 'letters/a.txt': 'a' });
    const drive = await startLocalDrive({ clients: [CLIENT], interval: 1 });
    const old = await startNodeRed({ settings: ALL_CORE_NODES });
    const { payload } = await runExample(old, drive, 'nightly-backup', { '/home/pi/documents': documents });
    // The machine and its user directory are gone.
    await old.close();
    const machine = await startNodeRed({
      settings: { ...ALL_CORE_NODES, credentialSecret: 'another secret' },
    });
    const report = await runExample(machine, drive, 'restore-drill', { '/home/pi/restored-drill': target });
    should(report.payload).startWith(`${(payload as { name: string }).name} is 0 hours old.`);
    (await contentsOf(path.join(target, 'documents'))).should.eql(await contentsOf(documents));
    await closeAll(machine, drive);
  });
});
