/** Lists all files of a folder with 100,000 files. */
import { measuredNodeRed } from '../contestants/measured-node-red';
import { nodeProgram } from '../contestants/programs';
import type { Case, CaseOptions, RunningCase } from '../harness/case';
import { hasVendorsClient } from '../harness/peers';
import { startBenchDrive } from '../service/start';

const FILES = '100000';
const NODE = 'search files node, a message each';
const CLIENT = 'its client alone';
const VENDOR = "vendor's client";

const lists: Case = { about: '100,000 listed files', start };
export default lists;

async function start({ note }: CaseOptions): Promise<RunningCase> {
  const drive = await startBenchDrive();
  const nodeRed = await measuredNodeRed(drive.url);
  if (!hasVendorsClient()) note("The vendor's client is left out.");
  const program = (peer: string) => nodeProgram('lists', [peer, drive.url, FILES]);
  return {
    tables: [
      {
        title: '100,000 files of a folder',
        contestants: [
          {
            name: NODE,
            run: () => nodeRed.run('search', { payload: { folderId: FILES, text: '' } }),
          },
          { name: CLIENT, run: () => program('client') },
          ...(hasVendorsClient() ? [{ name: VENDOR, run: () => program('vendor') }] : []),
        ],
        metrics: ['cpu', 'wall', 'growth', 'delay'],
        targets: [
          { contestant: CLIENT, metric: 'cpu', atMost: 1.25, times: VENDOR },
          { contestant: NODE, metric: 'growth', atMost: 64 },
        ],
      },
    ],
    close: async () => {
      await nodeRed.close();
      await drive.close();
    },
  };
}
