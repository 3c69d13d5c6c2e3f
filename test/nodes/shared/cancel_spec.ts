/** `msg.cancel`, and a deploy during a run: docs/nodes.md, "What comes out". */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { useDrive } from '../../support/node-red/flow-drive';
import { type LoadedFlow, load, node, useNodeRed } from '../../support/node-red/load';
import { endings, failed, passed } from '../../support/node-red/outcome';

/** A promise that blocks a request until the test resolves it. */
function gate(): { until: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const until = new Promise<void>((resolve) => (open = resolve));
  return { until, open };
}

/** Records what a node sends and completes, because its flow is unloaded before that. */
function spyOn(node: object): { dones: unknown[]; sends: unknown[]; done: Promise<void> } {
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

describe('msg.cancel and redeploys', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  let id: string;
  let currentGate: { until: Promise<void>; open: () => void };
  /** Resolves once for each request that has arrived at the gate. */
  let arrived: () => Promise<void>;

  before(async () => {
    id = await drive().files.add({ name: 'a', content: bytes(100_000) });
  });
  beforeEach(() => {
    currentGate = gate();
    let arrivals = 0;
    let awaited = 0;
    let notify = (): void => undefined;
    drive().faults.add({
      kind: 'delay',
      match: { path: '/drive/v3/' },
      times: Infinity,
      until: () => {
        arrivals += 1;
        notify();
        return currentGate.until;
      },
    });
    arrived = async () => {
      awaited += 1;
      while (arrivals < awaited) await new Promise<void>((resolve) => (notify = resolve));
    };
  });
  afterEach(() => currentGate.open());

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
    it(`msg.cancel stops ${name} ${JSON.stringify(more)}, which handles the next message`, async () => {
      const flow = await load([node(name, more)], { url: drive().url });
      const first = flow.run('n', msg());
      await arrived();
      await cancelAll(flow);
      const ending = await first;
      const { cause } = failed(ending, 'cancelled', 'Cancelled by a message');
      should(cause).eql({ code: 'cancelled', retryable: false });
      should(drive().files.find(id)).be.ok();
      drive().faults.clear();
      currentGate.open();
      if (name !== 'delete') {
        const { error } = await flow.run('n', msg());
        should(error).be.undefined();
      }
      endings(flow, ending.msg._msgid).should.eql({ complete: 0, caught: 1 });
    });
  }

  it('msg.cancel cancels queued messages too, with one error each', async () => {
    const flow = await load([node('download')], { url: drive().url, account: { maxTransfers: 1 } });
    const runs = ['a', 'b', 'c'].map((topic) => flow.run('n', { payload: id, topic }));
    await arrived();
    await cancelAll(flow);
    const ends = await Promise.all(runs);
    for (const ending of ends) failed(ending, 'cancelled');
    ends.map(({ msg }) => msg.topic).should.eql(['a', 'b', 'c']);
    // The queued messages sent no requests.
    drive().requests.to('GET', '/drive/').should.have.length(1);
  });

  it('msg.cancel stops only the node that receives it', async () => {
    const flow = await load([node('about'), { ...node('about'), id: 'other' }], { url: drive().url });
    const [mine, others] = [flow.run('n'), flow.run('other')];
    await arrived();
    await arrived();
    await cancelAll(flow);
    failed(await mine, 'cancelled');
    currentGate.open();
    passed(await others);
  });

  it('msg.cancel is ignored by an idle node and unless it is true', async () => {
    const flow = await load([node('about')], { url: drive().url });
    await cancelAll(flow);
    drive().requests.all.should.be.empty();
    currentGate.open();
    for (const cancel of ['true', 1, false]) passed(await flow.run('n', { cancel }));
  });

  it('msg.cancel stops a call that waits for a retry', async () => {
    drive().faults.clear();
    const match = { path: 'about' };
    drive().faults.add({ kind: 'error', reason: 'backendError', status: 503, retryAfter: 120, match });
    const flow = await load([node('about')], { url: drive().url });
    const run = flow.run('n');
    const shown = await flow.status('n', ({ fill }) => fill === 'yellow');
    const text = 'node-red-contrib-cloud-drive/cloud-drive-account:status.retry_busy';
    shown.should.eql({ fill: 'yellow', shape: 'ring', text });
    await cancelAll(flow);
    failed(await run, 'cancelled');
  });

  for (const [name, msg, more = {}] of MESSAGES) {
    it(`a redeploy stops ${name} ${JSON.stringify(more)}, which completes once and sends nothing`, async () => {
      const flow = await load([node(name, more)], { url: drive().url });
      const { dones, sends, done } = spyOn(flow.node('n'));
      flow.send('n', msg());
      await arrived();
      await helper.unload();
      currentGate.open();
      await done;
      await new Promise((resolve) => setImmediate(resolve));
      dones.should.have.length(1);
      should(dones[0]).match({ code: 'cancelled' });
      sends.should.be.empty();
      flow.messages('ended').should.be.empty();
    });
  }
});
