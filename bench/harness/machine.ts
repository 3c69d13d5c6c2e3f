/** The machine of the measurements, and its noise. */
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

/** @param versions of the compared programs */
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
 * Measures the same task between all runs. If other programs are running, it takes longer or gets less CPU time.
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

  /** @returns remarks about noise; empty on a quiet machine */
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

/** Stolen time of a virtual machine in 1/100 s, see `cpu` of /proc/stat in proc(5); 0 on other systems. */
function stolenTicks(): number {
  try {
    return Number(readFileSync('/proc/stat', 'utf8').split(/\s+/)[8]) || 0;
  } catch {
    return 0;
  }
}
