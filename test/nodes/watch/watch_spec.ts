/** What docs/nodes/watch.md says. */
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import type { DriveFile } from '../../../src/index';
import { ACCESS_TOKEN } from '../../support/node-red/account';
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

  /** How often it has ended a look: it sleeps then, and longer than anything else does. */
  const rests = (): number => clock().sleeps.filter((ms) => ms >= 10_000).length;
  async function rested(count: number): Promise<void> {
    while (rests() < count) await clock().advance(5);
    // What it sent and what it told is on its way, some turns of the event loop.
    for (let turn = 0; turn < 10; turn++) await clock().advance(0);
  }
  async function begun(more: object = {}, service: 'google' | 'custom' = 'google'): Promise<LoadedFlow> {
    const options = { url: drive().url, service, account: { retryFor: 1 } };
    const flow = await load([watch({ folder, ...more })], options);
    await rested(1);
    return flow;
  }
  /** Lets it look once more. */
  async function look(ms = MINUTE): Promise<void> {
    const before = rests();
    await clock().advance(ms);
    await rested(before + 1);
  }
  const told = (flow: LoadedFlow): string[] =>
    flow
      .messages('n-out1')
      .map(({ event, topic }: NodeMessage & { event?: string }) => `${event} ${String(topic)}`);
  const errors = (flow: LoadedFlow): string[] =>
    flow.messages('ended').map((msg) => (msg['error'] as { cause: { code: string } }).cause.code);
  const polls = (): number => fileRequests(drive()).filter((each) => each.includes('/changes?')).length;

  for (const service of ['google', 'custom'] as const) {
    it(`sends a message for each change, at a ${service} service`, async () => {
      const flow = await begun({}, service);
      const id = await drive().files.add({ name: 'a.jpg', parent: folder, content: 'x' });
      await drive().files.add({ name: 'elsewhere' });
      await look();
      const [msg] = flow.messages('n-out1');
      should(msg).containEql({ event: 'created', topic: 'a.jpg' });
      should(msg?.payload).have.properties({ id, name: 'a.jpg', size: '1', parents: [folder] });
      (msg?.payload as DriveFile).should.have.property('md5Checksum');
      await look();
      told(flow).should.eql(['created a.jpg']);
      errors(flow).should.be.empty();
    });
  }

  it('looks at once, and then a while after each look has ended', async () => {
    await begun({ interval: 20 });
    polls().should.equal(1);
    await clock().advance(19_000);
    polls().should.equal(1);
    await look(1_000);
    polls().should.equal(2);
  });

  it('never looks twice at the same time', async () => {
    await begun();
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

  it('takes a path, the folders inside too, and only the changes that are wanted', async () => {
    const name = `place ${folder}`;
    const top = await drive().files.addFolder(name);
    const inner = await drive().files.addFolder('inner', top);
    const flow = await begun({ folder: `/${name}`, recursive: true, events: ['created'] });
    const id = await drive().files.add({ name: 'deep', parent: inner });
    await look();
    await fetch(`${drive().url}/drive/v3/files/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
    });
    await drive().files.add({ name: 'other', parent: top });
    await look();
    told(flow).should.eql(['created deep', 'created other']);
  });

  it('begins with the folder that its path leads to now', async () => {
    const name = `place ${folder}`;
    const before = await drive().files.addFolder(name);
    const flow = await begun({ folder: `/${name}` });
    await fetch(`${drive().url}/drive/v3/files/${before}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'as it was' }),
    });
    const now = await drive().files.addFolder(name);
    await flow.redeploy('n', { name: 'renamed' });
    await rested(rests() + 1);
    await drive().files.add({ name: 'a', parent: now });
    await look();
    told(flow).should.eql(['created a']);
  });

  it('begins with all that is there where that is wanted', async () => {
    for (const name of ['a', 'b']) await drive().files.add({ name, parent: folder });
    const flow = await begun({ start: 'all' });
    told(flow).sort().should.eql(['created a', 'created b']);
  });

  it('tells an error once, looks less often, and misses nothing', async () => {
    const flow = await begun();
    const fault = drive().faults.add({
      kind: 'error',
      reason: 'backendError',
      match: CHANGES,
      times: Infinity,
    });
    await drive().files.add({ name: 'a', parent: folder });
    for (let turn = 0; turn < 6; turn++) await look(30 * MINUTE);
    errors(flow).should.eql(['service_unavailable']);
    const pauses = clock().sleeps.filter((ms) => ms >= MINUTE);
    pauses.should.eql([1, 1, 2, 4, 8, 15, 15].map((minutes) => minutes * MINUTE));
    should(flow.statuses('n').at(-1)).have.properties({ fill: 'red', shape: 'ring' });
    fault.remove();
    await look(30 * MINUTE);
    told(flow).should.eql(['created a']);
    should(flow.statuses('n').at(-1)).have.property('fill', 'green');
    (clock().sleeps.at(-1) ?? 0).should.equal(MINUTE);
    drive().faults.add({ kind: 'error', reason: 'backendError', match: CHANGES, times: 10 });
    await look();
    errors(flow).should.eql(['service_unavailable', 'service_unavailable']);
  });

  for (const [what, fault, code] of [
    ['too many requests', { kind: 'error', reason: 'rateLimitExceeded', status: 429 }, 'rate_limited'],
    ['a line that breaks', { kind: 'reset' }, 'network'],
    ['an answer that is none', { kind: 'response', body: '<html>' }, 'bad_response'],
  ] as const) {
    it(`goes on after ${what}`, async () => {
      const flow = await begun();
      drive().faults.add({ ...fault, match: CHANGES, times: 20 });
      await drive().files.add({ name: 'a', parent: folder });
      await look();
      errors(flow).should.eql([code]);
      drive().faults.clear();
      await look();
      told(flow).should.eql(['created a']);
    });
  }

  it('says that a place in the feed was refused, and goes on', async () => {
    const flow = await begun();
    await drive().files.add({ name: 'a', parent: folder });
    drive().faults.add({ kind: 'error', reason: 'invalid', status: 400, match: CHANGES });
    await look();
    errors(flow).should.eql(['bad_response']);
    should(flow.messages('ended')[0]?.['error'])
      .have.property('message')
      .match(/begun anew/);
    told(flow).should.eql(['created a']);
    await look();
    errors(flow).length.should.equal(1);
  });

  it('waits for a folder that is not there yet', async () => {
    const name = `later ${folder}`;
    const flow = await begun({ folder: `/${name}` });
    errors(flow).should.eql(['not_found']);
    const later = await drive().files.addFolder(name);
    await look();
    await drive().files.add({ name: 'a', parent: later });
    await look();
    told(flow).should.eql(['created a']);
  });

  it('goes on over a deploy where it was', async () => {
    const flow = await begun();
    await drive().files.add({ name: 'a', parent: folder });
    await look();
    const before = helper.getNode('n');
    await drive().files.add({ name: 'b', parent: folder });
    await flow.redeploy('n', { name: 'renamed' });
    should(helper.getNode('n')).not.equal(before);
    await rested(rests() + 1);
    told(flow).should.eql(['created a', 'created b']);
  });

  it('goes on where it was after it was disabled', async () => {
    const flow = await begun();
    await flow.redeploy('n', { d: true });
    await drive().files.add({ name: 'a', parent: folder });
    await flow.redeploy('n', { d: false });
    await rested(rests() + 1);
    told(flow).should.eql(['created a']);
  });

  it('begins anew where it was deleted', async () => {
    const flow = await begun();
    await flow.redeploy('n', { id: 'another' });
    await drive().files.add({ name: 'a', parent: folder });
    await flow.redeploy('another', { id: 'n' });
    await rested(rests() + 1);
    await drive().files.add({ name: 'b', parent: folder });
    await look();
    told(flow).should.eql(['created b']);
  });
  const refused: [string, object, string][] = [
    ['no changes at all', { events: [] }, 'invalid_input'],
    ['a change that there is not', { events: ['eaten'] }, 'invalid_input'],
    ['another start', { start: 'yesterday' }, 'invalid_input'],
    ['an interval that is no number', { interval: 'often' }, 'invalid_input'],
    ['a folder that is none', { folder: 'a/b' }, 'invalid_input'],
    ['a folder that comes from nowhere', { folder: 'nowhere', folderType: 'flow' }, 'invalid_input'],
    ['a variable that is not set', { folder: 'NOT_SET_ANYWHERE', folderType: 'env' }, 'invalid_input'],
  ];
  for (const [what, more, code] of refused) {
    it(`refuses ${what}, and sends nothing`, async () => {
      const flow = await begun(more);
      errors(flow).should.eql([code]);
      drive().requests.all.length.should.equal(0);
    });
  }

  it('says that it has no account', async () => {
    const flow = await load([watch()]);
    await rested(1);
    errors(flow).should.eql(['not_configured']);
  });
});
