/** Runs a transfer while Node-RED is killed repeatedly, and restarts both after each kill until it completes. */
import type { NodeMessage } from 'node-red';
import { Random } from '../support/random';
import type { Direction, NodeRedEnv } from './node-red-env';

interface Kills {
  count: number;
  seed: number;
}

interface KillReport {
  /** The message of the last run. */
  lastMessage: NodeMessage;
  /** Bytes on the wire in all runs. */
  wireBytes: number;
}

/** Minimum bytes of a run before it is killed, so that its session or part file exists. */
const MIN_PROGRESS = 65_536;

/**
 * @param run starts the transfer
 * @param check throws if a partial file is visible; called while waiting and around each kill
 */
export async function transferWithKills(
  env: NodeRedEnv,
  direction: Direction,
  kills: Kills,
  { run, check }: { run: () => Promise<NodeMessage>; check: () => void },
): Promise<KillReport> {
  const { traffic } = env.drive;
  const bytesOnWire = (): number => (direction === 'upload' ? traffic.received : traffic.sent);
  const before = bytesOnWire();
  log(`${direction} of ${env.source.size} bytes, ${kills.count} kills, seed ${kills.seed}`);
  for (const [index, position] of killPositions(env.source.size, kills).entries()) {
    const start = bytesOnWire();
    const ended = run().then(({ error, payload }) => {
      throw new Error(`run ${index + 1} ended early: ${JSON.stringify(error ?? payload)}`);
    });
    ended.catch(() => undefined);
    const isReached = (): boolean =>
      bytesOnWire() - before >= position && bytesOnWire() - start >= MIN_PROGRESS;
    await Promise.race([ended, traffic.until(() => (check(), isReached()))]);
    check();
    await env.nodeRed.kill();
    check();
    log(`kill ${index + 1} after ${bytesOnWire() - start} bytes, ${bytesOnWire() - before} in all`);
    await env.nodeRed.start();
  }
  const lastMessage = await run();
  log(`completed after ${bytesOnWire() - before} bytes`);
  return { lastMessage, wireBytes: bytesOnWire() - before };
}

/** Buffered data still arrives after a kill, so the last kill must come before the rest fits into the buffers. */
const BUFFERED = 10_000_000;

/** Random but evenly spread bytes on the wire at each kill. */
function killPositions(size: number, { count, seed }: Kills): number[] {
  const random = new Random(seed);
  const interval = (size - BUFFERED) / count;
  return Array.from({ length: count }, (_, index) => Math.round((index + random.fraction()) * interval));
}

function log(line: string): void {
  process.stdout.write(`      ${line}\n`);
}
