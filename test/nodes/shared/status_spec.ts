/** The status of a node: the table of docs/nodes.md. */
import type { Node, NodeStatus } from 'node-red';
import { Status } from '../../../nodes/shared/runtime/status';
import { CREDENTIALS } from '../../support/node-red/account';
import { bytes } from '../../support/content';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const key = (name: string): string => `node-red-contrib-cloud-drive/cloud-drive-account:status.${name}`;
const WORKING = { fill: 'blue', shape: 'dot', text: key('working') };
const QUEUED = { fill: 'yellow', shape: 'ring', text: key('queued') };
const LOCKED = { fill: 'yellow', shape: 'ring', text: key('locked') };
const done = (text: string) => ({ fill: 'green', shape: 'dot', text });
const DONE = { fill: 'green', shape: 'dot', text: key('done') };
const red = (name: string) => ({ fill: 'red', shape: 'ring', text: key(name) });

describe('status of a node', () => {
  useNodeRed();
  const drive = useDrive();
  const about = { id: 'n', type: 'cloud-drive-about' };

  it('the status is empty while idle, blue while working and green when done', async () => {
    const flow = await load([about], { url: drive().url });
    flow.statuses('n').should.eql([{}]);
    passed(await flow.run('n'));
    flow.statuses('n').should.eql([{}, WORKING, DONE]);
  });

  it('the status is a red ring with the code after an error', async () => {
    drive().faults.add({ kind: 'error', reason: 'forbidden', match: { path: 'about' } });
    const flow = await load([about], { url: drive().url });
    failed(await flow.run('n'), 'permission_denied');
    flow.statuses('n').should.eql([{}, WORKING, red('permission_denied')]);
    passed(await flow.run('n'));
    flow.statuses('n').slice(3).should.eql([WORKING, DONE]);
  });

  it('the status is a red ring while nobody is signed in', async () => {
    const { refreshToken: _, ...credentials } = CREDENTIALS;
    const flow = await load([about], { url: drive().url, credentials: { account: credentials } });
    flow.statuses('n').should.eql([red('not_signed_in')]);
    failed(await flow.run('n'), 'sign_in_required');
    flow
      .statuses('n')
      .slice(1)
      .should.eql([WORKING, red('sign_in_required')]);
  });

  it('the status is a red ring without an account or with an incomplete one', async () => {
    const nodes = [
      { ...about, account: '' },
      { ...about, id: 'unfinished', account: 'bare' },
      { id: 'bare', type: 'cloud-drive-account' },
    ];
    const flow = await load(nodes);
    flow.statuses('n').should.eql([red('not_configured')]);
    flow.statuses('unfinished').should.eql([red('not_configured')]);
  });

  it('the status of every node of an account turns red when the sign-in ends, also of idle nodes', async () => {
    drive().faults.add({ kind: 'oauthError', error: 'invalid_grant', match: { path: '/token' } });
    const flow = await load([about, { ...about, id: 'idle' }], { url: drive().url });
    failed(await flow.run('n'), 'sign_in_required');
    flow.statuses('idle').should.eql([{}, red('sign_in_required')]);
  });

  it('the status is a yellow ring with the reason while a call waits for a retry', async () => {
    const match = { path: 'about' };
    drive().faults.add({ kind: 'error', reason: 'rateLimitExceeded', status: 429, retryAfter: 12, match });
    const flow = await load([about], { url: drive().url });
    const run = flow.run('n');
    const shown = await flow.status('n', ({ fill }) => fill === 'yellow');
    const text = 'node-red-contrib-cloud-drive/cloud-drive-account:status.retry_rate_limit';
    shown.should.eql({ fill: 'yellow', shape: 'ring', text });
    await flow.run('n', { cancel: true });
    failed(await run, 'cancelled');
  });

  it('the status stays blue until the last of several messages is done', async () => {
    const flow = await load([about], { url: drive().url });
    await Promise.all([flow.run('n'), flow.run('n')]);
    flow.statuses('n').should.eql([{}, WORKING, WORKING, WORKING, DONE]);
  });

  it('the status never shows progress after a transfer is done', async () => {
    const id = await drive().files.add({ name: 'a', content: bytes(100_000) });
    const flow = await load([{ id: 'n', type: 'cloud-drive-download' }], { url: drive().url });
    passed(await flow.run('n', { payload: id }));
    flow.statuses('n').should.eql([{}, WORKING, done('a · 100 kB')]);
  });
});

describe('status over time', () => {
  let shown: NodeStatus[];
  let status: Status;
  /** Scheduled callbacks with their delays in ms. */
  let later: { work: () => void; left: number }[];

  const pass = (ms: number): void => {
    for (const each of [...later]) {
      each.left -= ms;
      if (each.left <= 0) each.work();
    }
    later = later.filter(({ left }) => left > 0);
  };

  beforeEach(() => {
    later = [];
    shown = [];
    const node = { status: (state: NodeStatus) => shown.push(state) } as unknown as Node;
    status = new Status(
      node,
      () => 'idle',
      (work, ms) => {
        const each = { work, left: ms };
        later.push(each);
        return () => (later = later.filter((other) => other !== each));
      },
    );
  });

  it('the status is green for a few seconds', () => {
    status.start();
    status.succeed();
    pass(3_999);
    shown.should.eql([WORKING, DONE]);
    pass(1);
    shown.should.eql([WORKING, DONE, {}]);
  });

  it('the status changes from green to blue with the next message', () => {
    status.start();
    status.succeed();
    status.start();
    pass(60_000);
    shown.should.eql([WORKING, DONE, WORKING]);
  });

  it('the status stays red', () => {
    status.start();
    status.fail('network');
    pass(3_600_000);
    shown.should.eql([WORKING, red('network')]);
  });

  it('the status shows the wait in seconds, rounded up, and is blue again after it', () => {
    status.start();
    status.showWait(1_200);
    shown.slice(1).should.eql([{ fill: 'yellow', shape: 'ring', text: '2 s' }]);
    pass(1_200);
    shown.slice(2).should.eql([WORKING]);
  });

  for (const [code, key] of [
    ['network', 'retry_network'],
    ['timeout', 'retry_network'],
    ['service_unavailable', 'retry_busy'],
    ['rate_limited', 'retry_rate_limit'],
    ['checksum_mismatch', 'retry'],
  ] as const) {
    it(`the status says why it waits after ${code}, and which wait is the first one of a run`, () => {
      for (let run = 0; run < 2; run++) {
        status.start();
        status.showWait(1).should.be.false();
        status.showWait(1, code).should.be.true();
        const text = `node-red-contrib-cloud-drive/cloud-drive-account:status.${key}`;
        shown.at(-1)?.should.eql({ fill: 'yellow', shape: 'ring', text });
        status.showWait(1, code).should.be.false();
        status.succeed();
      }
    });
  }

  it('a wait for another client to remove a folder of the same name is not logged as a temporary error', () => {
    status.start();
    status.showWait(1, 'conflict').should.be.false();
    status.showWait(1, 'network').should.be.true();
  });

  it('the status no longer shows a wait that was cancelled', () => {
    status.start();
    status.showWait(60_000);
    status.fail('cancelled');
    pass(60_000);
    shown.slice(2).should.eql([red('cancelled')]);
  });

  it('the status is a yellow ring while a message waits for another run', () => {
    status.start();
    status.setQueued(true);
    status.setQueued(false);
    status.succeed();
    shown.should.eql([WORKING, QUEUED, WORKING, DONE]);
  });

  it('the status is a yellow ring while the repository is locked, until there is progress', () => {
    status.start();
    status.showLocked();
    status.showProgress('1 / 2');
    shown.should.eql([WORKING, LOCKED, { ...WORKING, text: '1 / 2' }]);
  });

  it('the status keeps the progress of a message while another one waits for it', () => {
    status.start();
    status.showProgress('1 / 2');
    status.start();
    status.setQueued(true);
    shown.splice(0).length.should.equal(3);
    status.succeed();
    shown.should.eql([QUEUED]);
    status.setQueued(false);
    status.fail('cancelled');
    shown.should.eql([QUEUED, WORKING, red('cancelled')]);
  });

  it('the status does not change after the node is closed', () => {
    status.start();
    status.succeed();
    status.close();
    status.showWait(1_000);
    const before = shown.length;
    pass(3_600_000);
    shown.length.should.equal(before);
  });
});
