/** Runs requests in a child process, because Node reads variables for certificates only at start. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ChildOutcome, ChildRun } from './http-child';

const script = path.join(__dirname, 'http-child.ts');

/** Variables for proxies and certificates, which the child doesn't inherit. */
const NETWORK = /_proxy$|^NODE_EXTRA_CA_CERTS$|^NODE_TLS_|^SSL_/i;

/** @param environment added to the inherited variables */
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
