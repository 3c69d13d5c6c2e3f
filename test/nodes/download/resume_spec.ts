/** Interrupted downloads: docs/nodes/download.md. */
import { readFile, readdir, readlink } from 'node:fs/promises';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { bytes } from '../../support/content';
import { useDisk } from '../../support/disk';
import { useDrive } from '../../support/node-red/flow-drive';
import { type Ending, type FlowNode, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { passed } from '../../support/node-red/outcome';

const SIZE = 3_000_001;
const FETCHED = 1_000_000;

const node: FlowNode = {
  ...{ id: 'n', type: 'cloud-drive-download', output: 'file', progress: true, outputs: 2 },
};

describe('cloud-drive-download after an interruption', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  const content = bytes(SIZE);
  let id: string;
  let endStall: () => void;

  before(async () => {
    id = await drive().files.add({ name: 'large', content });
  });
  beforeEach(() => {
    const until = new Promise<void>((resolve) => (endStall = resolve));
    drive().faults.add({ kind: 'stallResponse', bytes: FETCHED, until, match: { query: 'alt=media' } });
  });
  afterEach(() => endStall());

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

  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  /** Resolves when a part of the content is on disk. */
  async function untilWritten(): Promise<void> {
    for (;;) {
      const [part] = await readdir(disk());
      if (part !== undefined && (await readFile(disk(part))).length > 0) return;
      await nextTurn();
    }
  }

  async function untilClosed(): Promise<void> {
    while ((await openFiles()).length > 0) await nextTurn();
  }

  /** @returns bytes in the part file */
  async function partSize(): Promise<number> {
    const names = await readdir(disk());
    names.should.have.length(1);
    should(names[0]).match(/^\.large\..+\.part$/);
    return (await readFile(disk(names[0] ?? ''))).length;
  }

  async function resumes(flow: LoadedFlow, from: number): Promise<void> {
    const outcome = await flow.run('n', msg());
    passed(outcome);
    should(outcome.second.at(-1)?.payload).match({ transferred: SIZE, total: SIZE, percent: 100 });
    (await readFile(disk('large'))).equals(content).should.be.true();
    (await readdir(disk())).should.eql(['large']);
    ranges().should.eql([undefined, `bytes=${from}-`]);
    (await openFiles()).should.be.empty();
  }

  /** On a busy machine progress may have been sent before. */
  function cancelled({ sent, error }: Ending): void {
    should(error?.cause?.code).equal('cancelled');
    sent.should.be.empty();
  }

  it('download resumes after msg.cancel, and leaves no file open', async () => {
    const flow = await load([node], { url: drive().url });
    const run = flow.run('n', msg());
    await untilWritten();
    await flow.run('n', { cancel: true });
    cancelled(await run);
    (await openFiles()).should.be.empty();
    await resumes(flow, await partSize());
  });

  it('download resumes after a deploy or a stop of Node-RED', async () => {
    const flow = await load([node], { url: drive().url });
    flow.send('n', msg());
    await untilWritten();
    await helper.unload();
    await untilClosed();
    const from = await partSize();
    await resumes(await load([node], { url: drive().url }), from);
  });

  it('download resumes in another node', async () => {
    const flow = await load([node, { ...node, id: 'other' }], { url: drive().url });
    const run = flow.run('n', msg());
    await untilWritten();
    await flow.run('n', { cancel: true });
    cancelled(await run);
    const from = await partSize();
    passed(await flow.run('other', msg()));
    should(ranges().at(-1)).equal(`bytes=${from}-`);
  });
});
