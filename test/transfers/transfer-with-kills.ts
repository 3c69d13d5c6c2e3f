/** A transfer whose Node-RED is killed again and again, and run again after each start, until it is through. */
import type { NodeMessage } from 'node-red';
import { Random } from '../support/random';
import type { Direction, NodeRedEnv } from './node-red-env';

export interface Kills {
  count: number;
  seed: number;
}

export interface KillReport {
  /** What the last run came to. */
  lastMessage: NodeMessage;
  /** Bytes on the wire, of all runs. */
  wireBytes: number;
}

/** What a run has moved at least before it is killed: its session or its part file has begun. */
const MIN_PROGRESS = 65_536;

/**
 * @param run starts the transfer; the same each time
 * @param check asked at every look and around each kill: throws where something is half written
 */
export async function transferWithKills(
  plant: NodeRedEnv,
  direction: Direction,
  kills: Kills,
  { run, check }: { run: () => Promise<NodeMessage>; check: () => void },
): Promise<KillReport> {
  const { traffic } = plant.drive;
  const wire = (): number => (direction === 'upload' ? traffic.received : traffic.sent);
  const before = wire();
  log(`${direction} of ${plant.source.size} bytes, ${kills.count} kills, seed ${kills.seed}`);
  for (const [index, moment] of killPositions(plant.source.size, kills).entries()) {
    const start = wire();
    const ended = run().then(({ error, payload }) => {
      throw new Error(`run ${index + 1} came to an end: ${JSON.stringify(error ?? payload)}`);
    });
    ended.catch(() => undefined);
    const isThere = (): boolean => wire() - before >= moment && wire() - start >= MIN_PROGRESS;
    await Promise.race([ended, traffic.until(() => (check(), isThere()))]);
    check();
    await plant.nodeRed.kill();
    check();
    log(`kill ${index + 1} after ${wire() - start} bytes, ${wire() - before} in all`);
    await plant.nodeRed.start();
  }
  const lastMessage = await run();
  log(`through after ${wire() - before} bytes`);
  return { lastMessage, wireBytes: wire() - before };
}

/** What is in the buffers of the connection still arrives: the last kill is before that could be all of the rest. */
const BUFFERED = 10_000_000;

/** How many bytes are on the wire at each kill: by chance, but far enough from each other that none comes too late. */
function killPositions(size: number, { count, seed }: Kills): number[] {
  const random = new Random(seed);
  const part = (size - BUFFERED) / count;
  return Array.from({ length: count }, (_, index) => Math.round((index + random.fraction()) * part));
}

function log(line: string): void {
  process.stdout.write(`      ${line}\n`);
}
