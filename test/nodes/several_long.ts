/** Three real Node-REDs on one account that share only the drive: each has its own tokens and queues. */
import type { NodeMessage } from 'node-red';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, redirectedPresetEnv } from '../support/node-red/account';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';

const COUNT = 3;
const FILES = 20;
const KEEP_NEWEST = 15;
const PATH = '/Backups/all/2026';

describe('three Node-REDs on one account', () => {
  let drive: LocalDrive;
  let nodeReds: NodeRed[];

  before(async () => {
    drive = await startLocalDrive({
      clients: [{ ...CLIENT }],
      tokenLifetime: 120,
      rotateRefreshTokens: true,
    });
    nodeReds = await Promise.all(
      Array.from({ length: COUNT }, () => startNodeRed({ env: redirectedPresetEnv(drive.url) })),
    );
    for (const each of nodeReds) await each.deploy(flow(await drive.signIn()));
  });
  after(async () => {
    await Promise.all(nodeReds.map((each) => each.close()));
    await drive.close();
  });

  /** Runs work on all Node-REDs concurrently, with rate limit errors, and tokens that expire in the middle. */
  async function runConcurrently(
    work: (nodeRed: NodeRed, number: number) => void,
    count: number,
  ): Promise<NodeMessage[]> {
    for (const nth of [3, 9, 10, 17, 30, 45])
      drive.faults.add({ kind: 'error', reason: 'userRateLimitExceeded', match: { path: /drive\/v3/, nth } });
    const middle = { path: /\/files/, nth: 20 };
    const until = (): Promise<void> => Promise.resolve(drive.expireAccessTokens());
    drive.faults.add({ kind: 'delay', match: middle, until });
    const before = await Promise.all(nodeReds.map(async (each) => (await each.outputs('out', 0)).length));
    nodeReds.forEach(work);
    const ended = await Promise.all(
      nodeReds.map((each, index) => each.outputs('out', (before[index] ?? 0) + count)),
    );
    drive.faults.clear();
    return ended.flatMap((messages, index) => messages.slice(before[index]));
  }
  const errors = (messages: NodeMessage[]) => messages.flatMap((msg) => msg['error'] ?? []);
  const untrashed = (folder: string) => drive.files.in(folder).filter(({ trashed }) => !trashed);
  function folderAt(path: string): string {
    let id = drive.files.rootId;
    for (const name of path.split('/').slice(1)) {
      const found = untrashed(id).filter((each) => each.name === name);
      found.should.have.length(1, `${name} in ${path}`);
      id = String(found[0]?.id);
    }
    return id;
  }
  const day = (number: number, index: number): string =>
    `backup-2026-0${number + 1}-${String(index + 1).padStart(2, '0')}.tar`;

  it('three Node-REDs upload all their files into one folder that did not exist', async () => {
    const ended = await runConcurrently((nodeRed, number) => {
      for (let index = 0; index < FILES; index++)
        nodeRed.receive('up', {
          payload: `${number} ${index}`,
          filename: day(number, index),
          folderId: PATH,
        });
    }, FILES);
    errors(ended).should.eql([]);
    const expected = Array.from({ length: COUNT }, (_, number) =>
      Array.from({ length: FILES }, (_each, index) => day(number, index)),
    ).flat();
    untrashed(folderAt(PATH))
      .map(({ name }) => name)
      .sort()
      .should.eql(expected.sort());
    for (const { id, name } of untrashed(folderAt(PATH))) {
      const [, month, date] = /-0(\d)-(\d\d)\.tar$/.exec(name) ?? [];
      const text = (await drive.files.contentOf(id)).toString();
      text.should.equal(`${Number(month) - 1} ${Number(date) - 1}`);
    }
  });

  it('three Node-REDs prune a folder concurrently and keep what each of them alone would keep', async () => {
    const ended = await runConcurrently((nodeRed) => nodeRed.receive('prune', { payload: PATH }), 1);
    errors(ended).should.eql([]);
    const newest = Array.from({ length: KEEP_NEWEST }, (_, index) =>
      day(COUNT - 1, FILES - KEEP_NEWEST + index),
    );
    untrashed(folderAt(PATH))
      .map(({ name }) => name)
      .sort()
      .should.eql(newest);
    drive.files.in(folderAt(PATH)).should.have.length(COUNT * FILES);
    for (const { payload } of ended as { payload: { kept: unknown[] } }[])
      payload.kept.should.have.length(KEEP_NEWEST);
  });

  it('three Node-REDs replace one file without creating another one', async () => {
    const name = day(COUNT - 1, FILES - 1);
    const [file] = untrashed(folderAt(PATH)).filter((each) => each.name === name);
    const ended = await runConcurrently((nodeRed, number) => {
      for (let index = 0; index < 5; index++)
        nodeRed.receive('replace', { payload: `new ${number}`, filename: name, folderId: PATH });
    }, 5);
    errors(ended).should.eql([]);
    untrashed(folderAt(PATH)).should.have.length(KEEP_NEWEST);
    for (const { payload } of ended) should(payload).have.property('id', file?.id);
    (await drive.files.contentOf(String(file?.id))).toString().should.match(/^new \d$/);
  });

  it('three Node-REDs stay signed in, each with its own tokens', async () => {
    const refreshes = drive.requests.to('POST', /token$/).filter(({ status }) => status === 200);
    refreshes.length.should.be.aboveOrEqual(2 * COUNT);
    const ended = await runConcurrently((nodeRed) => nodeRed.receive('about'), 1);
    errors(ended).should.eql([]);
    for (const nodeRed of nodeReds)
      nodeRed.warnings.filter((line) => /unhandled|rejection/i.test(line)).should.eql([]);
  });
});

function flow(refreshToken: string): DeployedNode[] {
  const account: DeployedNode = {
    id: 'account',
    type: 'cloud-drive-account',
    service: 'google',
    credentials: { clientId: CLIENT.id, clientSecret: CLIENT.secret, refreshToken },
  };
  const node = (id: string, type: string, more: object = {}): DeployedNode => ({
    ...{ id, type: `cloud-drive-${type}`, z: 'tab', x: 0, y: 0, account: 'account', wires: [['out']] },
    ...more,
  });
  const rules = { keepNewest: KEEP_NEWEST, dateFrom: 'name', dryRun: false };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    account,
    node('up', 'upload', { createFolders: true }),
    node('replace', 'upload', { ifExists: 'replace' }),
    node('prune', 'prune', rules),
    node('about', 'about'),
    { id: 'catch', type: 'catch', z: 'tab', x: 0, y: 0, scope: null, uncaught: false, wires: [['out']] },
    { id: 'out', type: 'test-output', z: 'tab', x: 0, y: 0, wires: [] },
  ];
}
