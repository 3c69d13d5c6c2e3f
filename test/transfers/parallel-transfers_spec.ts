/** _Transfers_ at once of one account (docs/nodes/account.md), whichever nodes they are of. */
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
const ALIKE = MIXED.map(() => 'download');

describe('transfers of one account', () => {
  useNodeRed();
  const drive = useDrive();
  const transfers = () => drive().requests.all.filter(({ query }) => TRANSFER.test(query));

  for (const [maxTransfers, nodes] of [
    [1, ALIKE],
    [3, MIXED],
  ] as const) {
    it(`run ${maxTransfers} at once, whatever their nodes, the rest in order; small calls do not wait`, async () => {
      const gates: (() => void)[] = [];
      const until = () => new Promise<void>((resolve) => gates.push(resolve));
      drive().faults.add({ kind: 'delay', until, match: { query: TRANSFER }, times: Infinity });
      const ids = await Promise.all(nodes.map((name) => drive().files.add({ name, content: 'a' })));
      const flow = await load(FLOW, { url: drive().url, account: { maxTransfers } });
      let ended = 0;
      const run = async (node: string, index: number): Promise<void> => {
        const msg = node === 'upload' ? { payload: 'x', filename: 'x' } : { payload: ids[index] };
        passed(await flow.run(node, msg));
        ended += 1;
      };
      const runs = nodes.map(run);
      while (ended < nodes.length) {
        const running = Math.min(ended + maxTransfers, nodes.length);
        while (gates.length < running) await turn();
        passed(await flow.run('about'));
        transfers().should.have.length(running);
        gates[ended]?.();
        const before = ended;
        while (ended === before) await turn();
      }
      await Promise.all(runs);
      // Of those that run together either may be the first on the wire.
      const files = transfers().map(({ path }) => path.split('/').pop());
      if (maxTransfers === 1) files.should.deepEqual(ids);
    });
  }
});
