/** The watch node, as described in docs/nodes/watch.md. */
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { RunningAccount } from '../../../nodes/account/accounts/running-account';
import type { DriveFile } from '../../../src/index';
import { holdRequest } from '../../support/http/hold-request';
import { ACCESS_TOKEN } from '../../support/node-red/account';
import { helperAdmin } from '../../support/node-red/account-admin';
import { fileRequests, useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { useRuntimeClock } from '../../support/node-red/runtime-clock';

const MINUTE = 60_000;
const watch = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-watch', ...more });
const CHANGES = { path: /changes$/ };

describe('watch node', () => {
  useNodeRed();
  const drive = useDrive({ token: ACCESS_TOKEN });
  const clock = useRuntimeClock();
  let folder: string;

  beforeEach(async () => {
    drive().faults.clear();
    folder = await drive().files.addFolder('watched');
  });

  /** Number of finished polls. The node sleeps after each one, and longer than anything else does. */
  const finishedPolls = (): number => clock().sleeps.filter((ms) => ms >= 10_000).length;
  async function pollsFinished(count: number): Promise<void> {
    while (finishedPolls() < count) await clock().advance(5);
    // Messages and errors need some turns of the event loop.
    for (let turn = 0; turn < 10; turn++) await clock().advance(0);
  }
  async function startWatch(more: object = {}, service: 'google' | 'custom' = 'google'): Promise<LoadedFlow> {
    const options = { url: drive().url, service, account: { retryFor: 1 } };
    const flow = await load([watch({ folder, ...more })], options);
    await pollsFinished(1);
    return flow;
  }
  /** Waits for one more poll. */
  async function poll(ms = MINUTE): Promise<void> {
    const before = finishedPolls();
    await clock().advance(ms);
    await pollsFinished(before + 1);
  }
  const events = (flow: LoadedFlow): string[] =>
    flow
      .messages('n-out1')
      .map(({ event, topic }: NodeMessage & { event?: string }) => `${event} ${String(topic)}`);
  const errors = (flow: LoadedFlow): string[] =>
    flow.messages('ended').map((msg) => (msg['error'] as { cause: { code: string } }).cause.code);
  it('watch node rejects a recursive that is neither true nor false', async () => {
    const flow = await startWatch({ recursive: 'no' });
    errors(flow).should.eql(['invalid_input']);
    polls().should.equal(0);
  });

  const polls = (): number => fileRequests(drive()).filter((each) => each.includes('/changes?')).length;

  for (const service of ['google', 'custom'] as const) {
    it(`watch node sends a message for each change, at a ${service} service`, async () => {
      const flow = await startWatch({}, service);
      const id = await drive().files.add({ name: 'a.jpg', parent: folder, content: 'x' });
      await drive().files.add({ name: 'elsewhere' });
      await poll();
      const [msg] = flow.messages('n-out1');
      should(msg).containEql({ event: 'created', topic: 'a.jpg' });
      should(msg?.payload).have.properties({ id, name: 'a.jpg', size: '1', parents: [folder] });
      (msg?.payload as DriveFile).should.have.property('md5Checksum');
      await poll();
      events(flow).should.eql(['created a.jpg']);
      errors(flow).should.be.empty();
    });
  }

  it('watch node watches the target of a shortcut', async () => {
    const mimeType = 'application/vnd.google-apps.shortcut';
    const shortcut = await drive().files.add({ name: 'to watched', mimeType, shortcutTarget: folder });
    await drive().files.add({ name: 'before.jpg', parent: folder });
    const flow = await startWatch({ folder: shortcut, start: 'all' });
    await drive().files.add({ name: 'a.jpg', parent: folder });
    await poll();
    events(flow).should.eql(['created before.jpg', 'created a.jpg']);
  });

  it('a watch with a random delay sends its first request after it', async () => {
    await load([watch({ folder, jitter: 1_000_000 })], { url: drive().url, service: 'google' });
    await clock().untilSleeping();
    fileRequests(drive()).should.eql([]);
    const [delay = 0] = clock().sleeps;
    delay.should.be.within(0, 1_000_000_000);
    await clock().advance(delay);
    while (fileRequests(drive()).length === 0) await clock().advance(0);
    // Only before the first check.
    await pollsFinished(2);
    clock()
      .sleeps.filter((ms) => ms === delay)
      .should.have.length(1);
  });

  it('watch node polls at once, and again an interval after each poll has finished', async () => {
    await startWatch({ interval: 20 });
    polls().should.equal(1);
    await clock().advance(19_000);
    polls().should.equal(1);
    await poll(1_000);
    polls().should.equal(2);
  });

  it('watch node never runs two polls at the same time', async () => {
    await startWatch();
    let open = (): void => undefined;
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const until = new Promise<void>((resolve) => (open = resolve));
    drive().faults.add({ kind: 'delay', match: CHANGES, until: () => (arrive(), until) });
    await clock().advance(MINUTE);
    await arrived;
    for (let index = 0; index < 5; index++) await clock().advance(MINUTE);
    polls().should.equal(2);
    open();
  });

  it('watch node watches a path with its subfolders, and emits only the selected events', async () => {
    const name = `watched ${folder}`;
    const top = await drive().files.addFolder(name);
    const inner = await drive().files.addFolder('inner', top);
    const flow = await startWatch({ folder: `/${name}`, recursive: true, events: ['created'] });
    const id = await drive().files.add({ name: 'deep', parent: inner });
    await poll();
    await fetch(`${drive().url}/drive/v3/files/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
    });
    await drive().files.add({ name: 'other', parent: top });
    await poll();
    events(flow).should.eql(['created deep', 'created other']);
  });

  it('watch node resolves the path again when it starts', async () => {
    const name = `watched ${folder}`;
    const before = await drive().files.addFolder(name);
    const flow = await startWatch({ folder: `/${name}` });
    await fetch(`${drive().url}/drive/v3/files/${before}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'renamed' }),
    });
    const now = await drive().files.addFolder(name);
    await flow.redeploy('n', { name: 'renamed' });
    await pollsFinished(finishedPolls() + 1);
    await drive().files.add({ name: 'a', parent: now });
    await poll();
    events(flow).should.eql(['created a']);
  });

  it('watch node emits the existing files first with start "all"', async () => {
    for (const name of ['a', 'b']) await drive().files.add({ name, parent: folder });
    const flow = await startWatch({ start: 'all' });
    events(flow).sort().should.eql(['created a', 'created b']);
  });

  it('watch node reports an error once, polls less often, and misses no change', async () => {
    const flow = await startWatch();
    const fault = drive().faults.add({
      kind: 'error',
      reason: 'backendError',
      match: CHANGES,
      times: Infinity,
    });
    await drive().files.add({ name: 'a', parent: folder });
    for (let turn = 0; turn < 6; turn++) await poll(30 * MINUTE);
    errors(flow).should.eql(['service_unavailable']);
    const pauses = clock().sleeps.filter((ms) => ms >= MINUTE);
    pauses.should.eql([1, 1, 2, 4, 8, 15, 15].map((minutes) => minutes * MINUTE));
    should(flow.statuses('n').at(-1)).have.properties({ fill: 'red', shape: 'ring' });
    fault.remove();
    await poll(30 * MINUTE);
    events(flow).should.eql(['created a']);
    should(flow.statuses('n').at(-1)).have.property('fill', 'green');
    (clock().sleeps.at(-1) ?? 0).should.equal(MINUTE);
    drive().faults.add({ kind: 'error', reason: 'backendError', match: CHANGES, times: 10 });
    await poll();
    errors(flow).should.eql(['service_unavailable', 'service_unavailable']);
  });

  for (const [what, fault, code] of [
    ['too many requests', { kind: 'error', reason: 'rateLimitExceeded', status: 429 }, 'rate_limited'],
    ['a lost connection', { kind: 'reset' }, 'network'],
    ['an HTML response', { kind: 'response', body: '<html>' }, 'bad_response'],
  ] as const) {
    it(`watch node continues after ${what}`, async () => {
      const flow = await startWatch();
      drive().faults.add({ ...fault, match: CHANGES, times: 20 });
      await drive().files.add({ name: 'a', parent: folder });
      await poll();
      errors(flow).should.eql([code]);
      drive().faults.clear();
      await poll();
      events(flow).should.eql(['created a']);
    });
  }

  it('watch node reports a rejected page token, and continues', async () => {
    const flow = await startWatch();
    await drive().files.add({ name: 'a', parent: folder });
    drive().faults.add({ kind: 'error', reason: 'invalid', status: 400, match: CHANGES });
    await poll();
    errors(flow).should.eql(['bad_response']);
    should(flow.messages('ended')[0]?.['error'])
      .have.property('message')
      .match(/started over/);
    events(flow).should.eql(['created a']);
    await poll();
    errors(flow).length.should.equal(1);
  });

  it('watch node waits for a folder that does not exist yet', async () => {
    const name = `later ${folder}`;
    const flow = await startWatch({ folder: `/${name}` });
    errors(flow).should.eql(['not_found']);
    const later = await drive().files.addFolder(name);
    await poll();
    await drive().files.add({ name: 'a', parent: later });
    await poll();
    events(flow).should.eql(['created a']);
  });

  it('watch node sends nothing of a poll during which the account was signed out', async () => {
    const flow = await startWatch();
    await drive().files.add({ name: 'a', parent: folder });
    const { admin, close } = await helperAdmin();
    const { reached, release } = holdRequest(drive(), CHANGES);
    await clock().advance(MINUTE);
    await reached;
    const before = finishedPolls();
    (await admin.call('DELETE', '/account/sign-in')).status.should.equal(204);
    close();
    release();
    await pollsFinished(before + 1);
    events(flow).should.be.empty();
  });

  it('a watch that is being created while a user signs in is created again', async () => {
    const { prototype } = RunningAccount;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the account, below
    const { client } = prototype;
    const accounts = new Set<RunningAccount>();
    prototype.client = function (...args) {
      accounts.add(this);
      return client.apply(this, args);
    };
    const { reached, release } = holdRequest(drive(), { path: /files$/ });
    await drive().files.addFolder('found twice');
    const flow = await load([watch({ folder: '/found twice' })], { url: drive().url, service: 'custom' });
    await reached;
    prototype.client = client;
    for (const each of accounts) each.replaceTokens({ accessToken: ACCESS_TOKEN, refreshToken: '' });
    release();
    await pollsFinished(1);
    errors(flow).should.be.empty();
    const lookups = fileRequests(drive()).filter((each) => each.includes('found twice'));
    lookups.should.have.length(2);
  });

  it('watch node resumes after a deploy', async () => {
    const flow = await startWatch();
    await drive().files.add({ name: 'a', parent: folder });
    await poll();
    const before = helper.getNode('n');
    await drive().files.add({ name: 'b', parent: folder });
    await flow.redeploy('n', { name: 'renamed' });
    should(helper.getNode('n')).not.equal(before);
    await pollsFinished(finishedPolls() + 1);
    events(flow).should.eql(['created a', 'created b']);
  });

  it('watch node resumes after it was disabled', async () => {
    const flow = await startWatch();
    await flow.redeploy('n', { d: true });
    await drive().files.add({ name: 'a', parent: folder });
    await flow.redeploy('n', { d: false });
    await pollsFinished(finishedPolls() + 1);
    events(flow).should.eql(['created a']);
  });

  it('watch node starts from scratch if the node was deleted', async () => {
    const flow = await startWatch();
    await flow.redeploy('n', { id: 'another' });
    await drive().files.add({ name: 'a', parent: folder });
    await flow.redeploy('another', { id: 'n' });
    await pollsFinished(finishedPolls() + 1);
    await drive().files.add({ name: 'b', parent: folder });
    await poll();
    events(flow).should.eql(['created b']);
  });
  const rejected: [string, object, string][] = [
    ['no events', { events: [] }, 'invalid_input'],
    ['an unknown event', { events: ['eaten'] }, 'invalid_input'],
    ['an unknown start', { start: 'yesterday' }, 'invalid_input'],
    ['an interval that is not a number', { interval: 'often' }, 'invalid_input'],
    ['an invalid folder id', { folder: 'a/b' }, 'invalid_input'],
    ['a folder from an unset context variable', { folder: 'nowhere', folderType: 'flow' }, 'invalid_input'],
    [
      'a folder from an unset environment variable',
      { folder: 'NOT_SET_ANYWHERE', folderType: 'env' },
      'invalid_input',
    ],
  ];
  for (const [what, more, code] of rejected) {
    it(`watch node rejects ${what} without sending a request`, async () => {
      const flow = await startWatch(more);
      errors(flow).should.eql([code]);
      drive().requests.all.length.should.equal(0);
    });
  }

  it('watch node fails with not_configured without an account', async () => {
    const flow = await load([watch()]);
    await pollsFinished(1);
    errors(flow).should.eql(['not_configured']);
  });
});
