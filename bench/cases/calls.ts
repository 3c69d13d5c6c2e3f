/** Small requests: about, and pages of a list, with and without a real Node-RED. */
import { type LoadedNodeRed, loadedNodeRed } from '../contestants/loaded-node-red';
import { nodeProgram } from '../contestants/programs';
import type { Case, CaseOptions, RunningCase, Table } from '../harness/case';
import { hasVendorsClient } from '../harness/peers';
import { type BenchDrive, startBenchDrive } from '../service/start';

const AXIOS = 'axios with keepAlive';
const VENDOR = "Google's client";

interface Kind {
  title: string;
  node: 'about' | 'list-folders';
  name: string;
  /** The listed folder, whose name is its number of subfolders. */
  folder?: string;
  calls: number;
}

const KINDS: readonly Kind[] = [
  { title: 'about', node: 'about', name: 'about node', calls: 2_000 },
  {
    ...{ title: 'a page of 100', node: 'list-folders', name: 'list-folders node' },
    ...{ folder: '100', calls: 1_000 },
  },
  {
    ...{ title: 'a page of 1,000', node: 'list-folders', name: 'list-folders node' },
    ...{ folder: '1000', calls: 200 },
  },
];

const calls: Case = { about: 'small calls, one and eight in flight', start };
export default calls;

async function start({ note }: CaseOptions): Promise<RunningCase> {
  const drive = await startBenchDrive();
  const nodeRed = await loadedNodeRed(drive.url);
  if (!hasVendorsClient()) note("Google's client is skipped because it is not installed.");
  return {
    tables: KINDS.flatMap((kind) => [1, 8].map((inFlight) => table(kind, inFlight, drive, nodeRed))),
    close: async () => {
      await nodeRed.close();
      await drive.close();
    },
  };
}

function table(kind: Kind, inFlight: number, drive: BenchDrive, nodeRed: LoadedNodeRed): Table {
  const { title, node, name, folder = '', calls } = kind;
  const load = (count: number) => nodeRed.run(node, { calls: count, inFlight, given: { payload: folder } });
  const program = (peer: string) =>
    nodeProgram('calls', [peer, drive.url, String(calls), String(inFlight), folder]);
  return {
    title: `${title}, ${inFlight} in flight`,
    contestants: [
      // A warm-up, as in the other programs.
      { name, run: () => load(Math.ceil(calls / 4)).then(() => load(calls)) },
      { name: AXIOS, run: () => program('axios') },
      ...(hasVendorsClient() ? [{ name: VENDOR, run: () => program('vendor') }] : []),
    ],
    metrics: ['rate', 'cpuCall', 'p99'],
    targets: [
      { contestant: name, metric: 'cpuCall', atMost: 0.25, above: AXIOS },
      { contestant: name, metric: 'rate', atLeast: 1.25, times: VENDOR },
    ],
  };
}
