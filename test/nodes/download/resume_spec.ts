/** What docs/nodes/download.md says of a download that was interrupted. */
import { readFile, readdir, readlink } from 'node:fs/promises';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const SIZE = 3_000_001;
const HELD = 1_000_000;

const node: FlowNode = {
  ...{ id: 'n', type: 'cloud-drive-download', output: 'file', progress: true, outputs: 2 },
};

describe('download node, ended in the middle', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  const content = bytes(SIZE);
  let id: string;
  let letGo: () => void;

  before(async () => {
    id = await drive().files.add({ name: 'large', content });
  });
  beforeEach(() => {
    const until = new Promise<void>((resolve) => (letGo = resolve));
    drive().faults.add({ kind: 'stallResponse', bytes: HELD, until, match: { query: 'alt=media' } });
  });
  afterEach(() => letGo());

  const msg = () => ({ payload: id, filename: disk('large') });
  const ranges = () =>
    drive()
      .requests.to('GET')
      .filter(({ url }) => url.includes('alt=media'))
      .map(({ headers }) => headers.range);

  /** Files of the test's folder that this process has open. */
  async function openFiles(): Promise<string[]> {
    const handles = await readdir('/proc/self/fd').catch(() => []);
    const links = handles.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => ''));
    return (await Promise.all(links)).filter((each) => each.startsWith(disk()));
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** Resolves when some of the content is on the disk. */
  async function begun(): Promise<void> {
    for (;;) {
      const [part] = await readdir(disk());
      if (part !== undefined && (await readFile(disk(part))).length > 0) return;
      await turn();
    }
  }

  async function closed(): Promise<void> {
    while ((await openFiles()).length > 0) await turn();
  }

  /** @returns bytes that are left */
  async function left(): Promise<number> {
    const names = await readdir(disk());
    names.should.have.length(1);
    should(names[0]).match(/^\.large\..+\.part$/);
    return (await readFile(disk(names[0] ?? ''))).length;
  }

  async function goesOn(flow: LoadedFlow, from: number): Promise<void> {
    const ending = await flow.run('n', msg());
    passed(ending);
    should(ending.second.at(-1)?.payload).match({ transferred: SIZE, total: SIZE, percent: 100 });
    (await readFile(disk('large'))).equals(content).should.be.true();
    (await readdir(disk())).should.eql(['large']);
    ranges().should.eql([undefined, `bytes=${from}-`]);
    (await openFiles()).should.be.empty();
  }

  it('goes on where msg.cancel had ended it; no file is left open', async () => {
    const flow = await load([node], { url: drive().url });
    const run = flow.run('n', msg());
    await begun();
    await flow.run('n', { cancel: true });
    failed(await run, 'cancelled');
    (await openFiles()).should.be.empty();
    await goesOn(flow, await left());
  });

  it('goes on where a deploy, or a stop of Node-RED, had ended it', async () => {
    const flow = await load([node], { url: drive().url });
    flow.send('n', msg());
    await begun();
    await helper.unload();
    await closed();
    const from = await left();
    await goesOn(await load([node], { url: drive().url }), from);
  });

  it('goes on for another node, too', async () => {
    const flow = await load([node, { ...node, id: 'other' }], { url: drive().url });
    const run = flow.run('n', msg());
    await begun();
    await flow.run('n', { cancel: true });
    failed(await run, 'cancelled');
    const from = await left();
    passed(await flow.run('other', msg()));
    should(ranges().at(-1)).equal(`bytes=${from}-`);
  });
});
