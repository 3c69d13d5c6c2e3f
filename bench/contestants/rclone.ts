/** rclone, with a drive at the front of service/google-front.ts. https://rclone.org/drive/ */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Sample } from '../harness/case';
import { ACCESS_TOKEN, type GoogleFront } from '../service/google-front';

const TOKEN = { access_token: ACCESS_TOKEN, token_type: 'Bearer', expiry: '2100-01-01T00:00:00Z' };
/** ms between two looks at the peak memory and the CPU time of the process. */
const INTERVAL = 5;
/** Clock ticks per second in proc(5). */
const TICKS = 100;

interface Usage {
  /** MiB */
  peak: number;
  /** s */
  cpu: number;
}

export class Rclone {
  private constructor(
    private readonly config: string,
    private readonly front: GoogleFront,
    /** MiB that it takes while it does nothing. */
    private readonly idle: number,
  ) {}

  /** @param folder for the configuration */
  static async configure(folder: string, front: GoogleFront): Promise<Rclone> {
    return new Rclone(await writeRcloneConfig(folder), front, await idleMemory());
  }

  /** Copies between a folder on disk and `drive:`, the folder with that id. @param pace requests per second; 0 = no limit */
  async copy(
    [from, to]: readonly [string, string],
    { folderId, pace, args = [] }: { folderId: string; pace: number; args?: readonly string[] },
  ): Promise<Sample> {
    const pacer =
      pace === 0
        ? ['--drive-pacer-min-sleep', '1us', '--drive-pacer-burst', '1000000']
        : ['--drive-pacer-min-sleep', `${1_000 / pace}ms`, '--drive-pacer-burst', String(pace)];
    const options = ['--config', this.config, '--ca-cert', this.front.ca, '--drive-root-folder-id', folderId];
    const start = performance.now();
    const child = spawn('rclone', ['copy', from, to, ...options, ...pacer, ...args], {
      env: { ...process.env, HTTPS_PROXY: this.front.proxy, NO_PROXY: '' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { peak, cpu } = await usageUntilExit(child);
    if (child.exitCode !== 0) throw new Error(`rclone ended with ${child.exitCode}.`);
    const wall = (performance.now() - start) / 1e3;
    return { wall, cpu, peak, growth: Math.max(0, peak - this.idle) };
  }
}

/** @returns the path of a configuration with the remote `drive:` */
export async function writeRcloneConfig(folder: string): Promise<string> {
  const config = path.join(folder, 'rclone.conf');
  const drive = ['type = drive', 'client_id = bench', 'client_secret = bench', 'scope = drive'];
  await writeFile(config, ['[drive]', ...drive, `token = ${JSON.stringify(TOKEN)}`, ''].join('\n'));
  return config;
}

/** The memory of an rclone that waits for its input. */
async function idleMemory(): Promise<number> {
  const child = spawn('rclone', ['--config', '', 'rcat', '/dev/null'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = usageUntilExit(child);
  setTimeout(() => child.stdin.end(), 500);
  return (await ended).peak;
}

/** Peak memory (`VmHWM`) and CPU time of a process when it ended, see proc(5). 0 on systems without it. */
async function usageUntilExit(child: ChildProcess): Promise<Usage> {
  const usage = { peak: 0, cpu: 0 };
  const look = (): void => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      usage.peak = Math.max(usage.peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
      const [user = 0, system = 0] = readFileSync(`/proc/${child.pid}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ')
        .slice(11, 13)
        .map(Number);
      usage.cpu = (user + system) / TICKS;
    } catch {
      // The process has ended.
    }
  };
  const timer = setInterval(look, INTERVAL);
  try {
    await once(child, 'exit');
    return usage;
  } finally {
    clearInterval(timer);
  }
}
