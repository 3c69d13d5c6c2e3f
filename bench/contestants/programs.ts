/** Contestants that are separate programs. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Sample } from '../harness/case';

const PROGRAMS = path.join(__dirname, '../programs');

/** Runs a program of `programs/`, which measures itself. */
export async function nodeProgram(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Sample> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--require', 'tsx/cjs', path.join(PROGRAMS, `${name}.cjs`), ...args],
    {
      env: { ...process.env, ...env },
    },
  );
  return JSON.parse(stdout) as Sample;
}

/** @param script for bash, whose `time` includes the CPU time of child processes */
export async function commands(script: string, env: Record<string, string> = {}): Promise<Sample> {
  const timed = `set -e -o pipefail; TIMEFORMAT='%R %U %S'; time { ${script}; } 2>/dev/null`;
  const { stderr } = await promisify(execFile)('bash', ['-c', timed], {
    env: { ...process.env, LC_ALL: 'C', ...env },
  });
  const [wall = NaN, user = NaN, system = NaN] = stderr.trim().split(' ').map(Number);
  return { wall, cpu: user + system };
}
