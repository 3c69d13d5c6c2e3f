/** Requests in a process of their own: what the environment says of proxies and certificates is read once a process. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ChildOutcome, ChildRun } from './http-child';

const script = path.join(__dirname, 'http-child.ts');

/** Runs requests in a process with that environment and nothing else of proxies and certificates in it. */
export async function inChild(
  run: ChildRun,
  environment: Record<string, string> = {},
): Promise<ChildOutcome[]> {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--require', 'tsx/cjs', script, JSON.stringify(run)],
    { env: { PATH, HOME, ...environment }, cwd: path.join(__dirname, '../../..') },
  );
  return JSON.parse(stdout) as ChildOutcome[];
}
