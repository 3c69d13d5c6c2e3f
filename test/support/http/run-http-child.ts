/** Runs requests in a child process, because Node reads variables for certificates only at start. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Certificate } from './certificates';
import type { ChildOutcome, ChildRun } from './http-child';

const script = path.join(__dirname, 'http-child.ts');

/** Variables for proxies and certificates, which the child doesn't inherit. */
const NETWORK = /_proxy$|^NODE_EXTRA_CA_CERTS$|^NODE_TLS_|^SSL_/i;

/**
 * Starts one child for all tests of a suite.
 * @param ca that the child trusts with NODE_EXTRA_CA_CERTS
 * @returns runs requests, and returns their outcomes
 */
export function useHttpChild(ca?: Certificate): (run: ChildRun) => Promise<ChildOutcome[]> {
  let folder: string;
  let child: ChildProcess;
  let ended: Promise<never>;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'ca-'));
    const file = path.join(folder, 'ca.pem');
    if (ca) await writeFile(file, ca.cert);
    const own = Object.entries(process.env).filter(([name]) => !NETWORK.test(name));
    child = fork(script, {
      execArgv: ['--require', 'tsx/cjs'],
      env: { ...Object.fromEntries(own), ...(ca && { NODE_EXTRA_CA_CERTS: file }) },
      cwd: path.join(__dirname, '../../..'),
    });
    ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the child ended with ${String(code)}`);
    });
    ended.catch(() => undefined);
  });
  after(async () => {
    child.disconnect();
    await ended.catch(() => undefined);
    await rm(folder, { recursive: true });
  });
  return async (run) => {
    child.send(run);
    const [outcomes] = (await Promise.race([once(child, 'message'), ended])) as [ChildOutcome[]];
    return outcomes;
  };
}
