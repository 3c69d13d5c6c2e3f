import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SyncRequest, SyncSummary } from '../../../src/index';

export interface SyncChildResult {
  summary: SyncSummary;
  error?: string;
  /** Number of changes. */
  changes: number;
  /** Bytes. */
  growth: number;
}

export interface SyncChild {
  process: ChildProcess;
  /** Undefined for a process that was killed. */
  result: Promise<SyncChildResult | undefined>;
}

/** @param sessions a file for upload sessions; with `''` the run isn't slowed down, and doesn't resume */
export function startSyncChild(url: string, sessions: string, request: SyncRequest): SyncChild {
  const script = require.resolve('./sync-child');
  const args = ['--require', 'tsx/cjs', script, url, sessions, JSON.stringify(request)];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_V8_COVERAGE: undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  const result = once(child, 'close').then(() =>
    output === '' ? undefined : (JSON.parse(output) as SyncChildResult),
  );
  return { process: child, result };
}
