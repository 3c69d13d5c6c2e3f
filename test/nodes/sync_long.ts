/** The sync folder node with random pairs of trees, compared with a simple model. `PAIRS` sets their number. */
import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import type { NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { catalogueText } from '../../nodes/shared/runtime/catalogue';
import type { SyncSummary, TextKey } from '../../src/index';
import { useDisk } from '../support/disk';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, type LoadedFlow, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';
import { type Expected, type TreePair, expectedResult, treePairs } from '../support/sync/tree-pairs';
import { readDisk, readDrive, writeDisk, writeDrive } from '../support/sync/trees';

const PAIRS = Number(process.env['PAIRS'] ?? 1_000);
const SEED = Number(process.env['PROPERTY_SEED'] ?? 20_240_517);
/** Pairs whose nodes are loaded at once. */
const BATCH = 50;
/** ms for each pair. */
const PAIR_TIME = 2_000;

interface Case {
  direction: 'up' | 'down';
  pair: TreePair;
}

describe('the sync folder node with random trees', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();

  async function check(flow: LoadedFlow, index: number, { direction, pair }: Case): Promise<void> {
    const { source, destination } = pair;
    const isUp = direction === 'up';
    const folder = await drive().files.addFolder('pair');
    await rm(disk('pair'), { recursive: true, force: true });
    await writeDisk(disk('pair'), isUp ? source : destination);
    await writeDrive(drive(), folder, isUp ? destination : source);
    /** Source and destination. */
    const trees = async (): Promise<[object, object]> => {
      const [local, remote] = [await readDisk(disk('pair')), await readDrive(drive(), folder)];
      return isUp ? [local, remote] : [remote, local];
    };
    const run = (id: string) => flow.run(id, { filename: disk('pair'), payload: { id: folder } });

    const before = await trees();
    const expected = expectedResult(pair);
    const planned = await run(`plan-${index}`);
    (await trees()).should.eql(before);
    const done = await run(`run-${index}`);
    const [sourceAfter, destinationAfter] = await trees();
    sourceAfter.should.eql(before[0]);
    if ('conflict' in expected) {
      for (const ending of [planned, done]) failed(ending, 'conflict', firstWords(expected));
      destinationAfter.should.eql(before[1]);
      return;
    }
    destinationAfter.should.eql(expected.tree);
    const [plan, result] = [passed(planned), passed(done)];
    should(result.payload).containEql(expected.counts);
    should(plan.payload).eql({ ...(result.payload as SyncSummary), dryRun: true });
    paths(plan).should.eql(paths(result));
    paths(passed(await run(`run-${index}`))).should.eql([]);
  }
  const paths = (msg: NodeMessage): string[] =>
    (msg['changes'] as { path: string; action: string }[])
      .map(({ path, action }) => `${action} ${path}`)
      .sort();

  for (const direction of ['up', 'down'] as const) {
    it(`sync folder (${direction}) makes of ${PAIRS / 2} random pairs of trees what the model expects, and plans exactly that`, async function () {
      this.timeout(PAIRS * PAIR_TIME);
      const pairs = fc.sample(treePairs(direction), { numRuns: PAIRS / 2, seed: SEED });
      for (let start = 0; start < pairs.length; start += BATCH) {
        const batch = pairs.slice(start, start + BATCH);
        const nodes = batch.flatMap((pair, index) => nodesFor(direction, pair, index));
        const flow = await load(nodes, { url: drive().url, service: 'google' });
        for (const [index, pair] of batch.entries()) {
          await check(flow, index, { direction, pair }).catch((error: unknown) => {
            throw new Error(`seed ${SEED}, pair ${JSON.stringify(pair)}`, { cause: error });
          });
        }
        await helper.unload();
      }
    });
  }
});

/** A node for a dry run, and one that changes the destination. */
function nodesFor(direction: 'up' | 'down', { options }: TreePair, index: number): FlowNode[] {
  const [include, exclude] = [options.include.join('\n'), options.exclude.join('\n')];
  const node = { type: 'cloud-drive-sync', ...options, include, exclude, direction };
  return [
    { ...node, id: `plan-${index}`, dryRun: true },
    { ...node, id: `run-${index}` },
  ];
}

/** What the message of a conflict begins with, after the numbers and paths. */
function firstWords({ conflict }: Extract<Expected, { conflict: string }>): string {
  const RED = { _: (key: string) => key } as unknown as Parameters<typeof catalogueText>[0];
  return catalogueText(RED, 'errors', conflict as TextKey, {})!
    .split('__')
    .find((part) => part.length > 10)!;
}
