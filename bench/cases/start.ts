/** The cost of installing the package: loading time, start of Node-RED, disk space. */
import { rm } from 'node:fs/promises';
import { ROOT } from '../../test/support/node-red/built-package';
import { createUserDir } from '../../test/support/node-red/user-dir';
import { nodeProgram } from '../contestants/programs';
import { installedPackage, installedPeer } from '../contestants/installed';
import type { Case, CaseOptions, RunningCase, Sample, Table } from '../harness/case';
import { hasVendorsClient } from '../harness/peers';

const NODES = 'all nodes';
const VENDOR = "Google's client";
const WITH = 'Node-RED with the package';
const WITHOUT = 'Node-RED without it';
/** Starts are short and vary, so each round uses the fastest of several. */
const TRIES = 3;

const starting: Case = { about: 'loading, starting, disk space', start };
export default starting;

async function start({ note }: CaseOptions): Promise<RunningCase> {
  if (!hasVendorsClient()) note("Google's client is skipped because it is not installed.");
  const [userDir, bare] = [await createUserDir(ROOT), await createUserDir()];
  return {
    tables: [loading(), startOfNodeRed(userDir, bare), diskSpace()],
    close: async () => {
      for (const folder of [userDir, bare]) await rm(folder, { recursive: true, force: true });
    },
  };
}

function loading(): Table {
  return {
    title: 'Loading, cold',
    contestants: [
      { name: NODES, run: () => quickest(() => nodeProgram('load', ['nodes'])) },
      ...vendors({ name: VENDOR, run: () => quickest(() => nodeProgram('load', ['vendor'])) }),
    ],
    metrics: ['took', 'cpuTook'],
    targets: [{ contestant: NODES, metric: 'took', atMost: 1 / 3, times: VENDOR }],
  };
}

function startOfNodeRed(userDir: string, bare: string): Table {
  const started = (folder: string) => () => quickest(() => nodeProgram('node-red-start', [folder]));
  return {
    title: 'Start of Node-RED',
    contestants: [
      { name: WITH, run: started(userDir) },
      { name: WITHOUT, run: started(bare) },
    ],
    metrics: ['took', 'cpuTook'],
    targets: [{ contestant: WITH, metric: 'took', atMost: 60, above: WITHOUT }],
  };
}

function diskSpace(): Table {
  return {
    title: 'Installed, with dependencies',
    contestants: [
      { name: 'the package', run: () => installedPackage() },
      ...vendors({ name: VENDOR, run: () => Promise.resolve(installedPeer()) }),
    ],
    metrics: ['size', 'packages'],
    targets: [
      { contestant: 'the package', metric: 'size', atMost: 6.5 },
      { contestant: 'the package', metric: 'packages', atMost: 35 },
    ],
  };
}

function vendors<T>(contestant: T): T[] {
  return hasVendorsClient() ? [contestant] : [];
}

async function quickest(run: () => Promise<Sample>): Promise<Sample> {
  const samples: Sample[] = [];
  for (let count = 0; count < TRIES; count++) samples.push(await run());
  return samples.reduce((best, each) => ((each.took ?? NaN) < (best.took ?? NaN) ? each : best));
}
