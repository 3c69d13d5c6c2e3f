/** Requests in a process of their own: what the environment says of proxies and certificates is read once a process. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ChildOutcome, ChildRun } from './http-child';

const script = path.join(__dirname, 'http-child.ts');

/** Proxies and certificates; the rest of the environment says where things are, and what watches over a run. */
const NETWORK = /_proxy$|^NODE_EXTRA_CA_CERTS$|^NODE_TLS_|^SSL_/i;

/** Runs requests in a process with that environment and nothing else of proxies and certificates in it. */
export async function runInChild(
  run: ChildRun,
  environment: Record<string, string> = {},
): Promise<ChildOutcome[]> {
  const own = Object.entries(process.env).filter(([name]) => !NETWORK.test(name));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--require', 'tsx/cjs', script, JSON.stringify(run)],
    { env: { ...Object.fromEntries(own), ...environment }, cwd: path.join(__dirname, '../../..') },
  );
  return JSON.parse(stdout) as ChildOutcome[];
}
