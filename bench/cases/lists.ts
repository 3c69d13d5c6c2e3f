/** Lists all files of a folder with 100,000 files. */
import { measuredNodeRed } from '../contestants/measured-node-red';
import { nodeProgram } from '../contestants/programs';
import type { Case, CaseOptions, RunningCase } from '../harness/case';
import { hasVendorsClient } from '../harness/peers';
import { startBenchDrive } from '../service/start';

const FILES = '100000';
const NODE = 'search files node, one message per item';
const CLIENT = 'client without Node-RED';
const VENDOR = "Google's client";

const lists: Case = { about: '100,000 listed files', start };
export default lists;

async function start({ note }: CaseOptions): Promise<RunningCase> {
  const drive = await startBenchDrive();
  const nodeRed = await measuredNodeRed(drive.url);
  if (!hasVendorsClient()) note("Google's client is skipped because it is not installed.");
  const program = (peer: string) => nodeProgram('lists', [peer, drive.url, FILES]);
  return {
    tables: [
      {
        title: 'a folder with 100,000 files',
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
