/** The limit of parallel transfers of an account. */
import { setImmediate as turn } from 'node:timers/promises';
import { useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { passed } from '../support/node-red/outcome';

const TRANSFER = /alt=media|uploadType=multipart/;

const FLOW = [
  { id: 'upload', type: 'cloud-drive-upload' },
  { id: 'download', type: 'cloud-drive-download' },
  { id: 'about', type: 'cloud-drive-about' },
];
const MIXED = ['download', 'upload', 'upload', 'download', 'upload', 'download'];
const DOWNLOADS = MIXED.map(() => 'download');

describe('parallel transfers of an account', () => {
  useNodeRed();
  const drive = useDrive();
  const transfers = () => drive().requests.all.filter(({ query }) => TRANSFER.test(query));

  for (const [maxTransfers, nodes] of [
    [1, DOWNLOADS],
    [3, MIXED],
  ] as const) {
    it(`an account runs ${maxTransfers} transfers of all its nodes in parallel, and other requests do not wait`, async () => {
      const gates: (() => void)[] = [];
      const until = () => new Promise<void>((resolve) => gates.push(resolve));
      drive().faults.add({ kind: 'delay', until, match: { query: TRANSFER }, times: Infinity });
      const ids = await Promise.all(nodes.map((name) => drive().files.add({ name, content: 'a' })));
      const flow = await load(FLOW, { url: drive().url, account: { maxTransfers } });
      let finished = 0;
      const run = async (node: string, index: number): Promise<void> => {
        const msg = node === 'upload' ? { payload: 'x', filename: 'x' } : { payload: ids[index] };
        passed(await flow.run(node, msg));
        finished += 1;
      };
      const runs = nodes.map(run);
      while (finished < nodes.length) {
        const running = Math.min(finished + maxTransfers, nodes.length);
        while (gates.length < running) await turn();
        passed(await flow.run('about'));
        transfers().should.have.length(running);
        gates[finished]?.();
        const before = finished;
        while (finished === before) await turn();
      }
      await Promise.all(runs);
      // The order of parallel transfers on the wire is undefined.
      const files = transfers().map(({ path }) => path.split('/').pop());
      if (maxTransfers === 1) files.should.deepEqual(ids);
    });
  }
});
