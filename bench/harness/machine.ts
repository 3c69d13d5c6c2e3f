/** What was measured on, and how quiet it was. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { median } from './statistics';

export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  node: string;
  openssl: string;
  versions: Record<string, string>;
}

/** @param versions of what is compared */
export function machine(versions: Record<string, string>): Machine {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model ?? 'unknown',
    cores: cpus.length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    openssl: process.versions.openssl ?? 'unknown',
    versions,
  };
}

const BLOCK = Buffer.alloc(16 * 1024 * 1024);

/**
 * The same piece of work again and again, between all others: where the machine has something else to do, it takes
 * longer or gets less of the processor.
 */
export class Noise {
  private readonly walls: number[] = [];
  private readonly shares: number[] = [];
  private readonly stolen = stolenTicks();

  sample(): void {
    const before = process.cpuUsage();
    const start = performance.now();
    createHash('sha256').update(BLOCK).digest();
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    this.walls.push(wall);
    this.shares.push((user + system) / 1e3 / wall);
  }

  /** @returns what was wrong; nothing on a quiet machine */
  findings(): string[] {
    const usual = median(this.walls);
    const slowest = Math.max(...this.walls) / usual;
    const share = Math.min(...this.shares);
    const stolen = stolenTicks() - this.stolen;
    return [
      ...(slowest > 1.2 ? [`the same work took up to ${slowest.toFixed(1)} times as long as usual`] : []),
      ...(share < 0.9 ? [`other programs took up to ${Math.round((1 - share) * 100)} % of a processor`] : []),
      ...(stolen > 50 ? [`the host took ${(stolen / 100).toFixed(1)} s from this virtual machine`] : []),
    ];
  }
}

/** proc(5), `cpu` in stat: 1/100 s in which a virtual machine wanted to run and could not; 0 elsewhere. */
function stolenTicks(): number {
  try {
    return Number(readFileSync('/proc/stat', 'utf8').split(/\s+/)[8]) || 0;
  } catch {
    return 0;
  }
}
