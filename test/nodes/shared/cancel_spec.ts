/** `msg.cancel`, and a deploy in the middle: docs/nodes.md, "What comes out". */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { endings, failed, passed } from '../../support/node-red/outcome';

const node = (type: string, more: object = {}): FlowNode => ({
  id: 'n',
  type: `cloud-drive-${type}`,
  ...more,
});

/** A promise that a test ends, so that a request waits until then. */
function gate(): { until: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const until = new Promise<void>((resolve) => (open = resolve));
  return { until, open };
}

/** What a node tells Node-RED, although its flow is no longer there to be told. */
function spied(node: object): { dones: unknown[]; sends: unknown[]; done: Promise<void> } {
  const dones: unknown[] = [];
  const sends: unknown[] = [];
  const done = new Promise<void>((resolve) => {
    Object.assign(node, {
      send: (messages: unknown) => sends.push(messages),
      _complete: (_msg: unknown, error: unknown) => {
        dones.push(error);
        resolve();
      },
    });
  });
  return { dones, sends, done };
}

describe('msg.cancel and redeploy', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  let id: string;
  let waiting: { until: Promise<void>; open: () => void };
  /** Resolves with each request that has come to the gate. */
  let arrived: () => Promise<void>;

  before(async () => {
    id = await drive().files.add({ name: 'a', content: bytes(100_000) });
  });
  beforeEach(() => {
    waiting = gate();
    let arrivals = 0;
    let told = 0;
    let tell = (): void => undefined;
    drive().faults.add({
      kind: 'delay',
      match: { path: '/drive/v3/' },
      times: Infinity,
      until: () => {
        arrivals += 1;
        tell();
        return waiting.until;
      },
    });
    arrived = async () => {
      told += 1;
      while (arrivals < told) await new Promise<void>((resolve) => (tell = resolve));
    };
  });
  afterEach(() => waiting.open());

  const MESSAGES: [string, () => Record<string, unknown>, object?][] = [
    ['about', () => ({})],
    ['list-folders', () => ({ payload: 'root' })],
    ['list-folders', () => ({ payload: 'root' }), { output: 'each' }],
    ['search-files', () => ({ payload: 'x' })],
    ['download', () => ({ payload: id })],
    ['download', () => ({ payload: id, filename: disk('x') }), { output: 'file' }],
    ['delete', () => ({ payload: id })],
    ['delete', () => ({ payload: [id, id] })],
    ['upload', () => ({ payload: 'x', filename: 'a' })],
    ['create-folder', () => ({ payload: 'x' })],
  ];

  async function cancelAll(flow: LoadedFlow): Promise<void> {
    const { sent, error } = await flow.run('n', { cancel: true, payload: 'none' });
    sent.should.be.empty();
    should(error).be.undefined();
  }

  for (const [name, msg, more = {}] of MESSAGES) {
    it(`ends what ${name} ${JSON.stringify(more)} runs, and it goes on with the next`, async () => {
      const flow = await load([node(name, more)], { url: drive().url });
      const first = flow.run('n', msg());
      await arrived();
      await cancelAll(flow);
      const ending = await first;
      const { cause } = failed(ending, 'cancelled', 'cancelled');
      should(cause).eql({ code: 'cancelled', retryable: false });
      should(drive().files.find(id)).be.ok();
      drive().faults.clear();
      waiting.open();
      if (name !== 'delete') {
        const { error } = await flow.run('n', msg());
        should(error).be.undefined();
      }
      endings(flow, ending.msg._msgid).should.eql({ complete: 0, caught: 1 });
    });
  }

  it('ends what is queued behind it, each to its own Catch', async () => {
    const flow = await load([node('download')], { url: drive().url, account: { maxTransfers: 1 } });
    const runs = ['a', 'b', 'c'].map((topic) => flow.run('n', { payload: id, topic }));
    await arrived();
    await cancelAll(flow);
    const ends = await Promise.all(runs);
    for (const ending of ends) failed(ending, 'cancelled');
    ends.map(({ msg }) => msg.topic).should.eql(['a', 'b', 'c']);
    // The queued ones never asked for anything.
    drive().requests.to('GET', '/drive/').should.have.length(1);
  });

  it('ends only what its own node runs', async () => {
    const flow = await load([node('about'), { ...node('about'), id: 'other' }], { url: drive().url });
    const [mine, others] = [flow.run('n'), flow.run('other')];
    await arrived();
    await arrived();
    await cancelAll(flow);
    failed(await mine, 'cancelled');
    waiting.open();
    passed(await others);
  });

  it('does nothing where nothing runs, and only for true', async () => {
    const flow = await load([node('about')], { url: drive().url });
    await cancelAll(flow);
    drive().requests.all.should.be.empty();
    waiting.open();
    for (const cancel of ['true', 1, false]) passed(await flow.run('n', { cancel }));
  });

  it('ends a call that waits to try again', async () => {
    drive().faults.clear();
    const match = { path: 'about' };
    drive().faults.add({ kind: 'error', reason: 'backendError', status: 503, retryAfter: 120, match });
    const flow = await load([node('about')], { url: drive().url });
    const run = flow.run('n');
    const shown = await flow.status('n', ({ fill }) => fill === 'yellow');
    shown.should.eql({ fill: 'yellow', shape: 'ring', text: '120 s' });
    await cancelAll(flow);
    failed(await run, 'cancelled');
  });

  for (const [name, msg, more = {}] of MESSAGES) {
    it(`a redeploy ends ${name} ${JSON.stringify(more)}: done once, and nobody gets a message`, async () => {
      const flow = await load([node(name, more)], { url: drive().url });
      const { dones, sends, done } = spied(flow.node('n'));
      flow.send('n', msg());
      await arrived();
      await helper.unload();
      waiting.open();
      await done;
      await new Promise((resolve) => setImmediate(resolve));
      dones.should.have.length(1);
      should(dones[0]).match({ code: 'cancelled' });
      sends.should.be.empty();
      flow.messages('ended').should.be.empty();
    });
  }
});
