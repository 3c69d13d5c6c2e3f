import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../node-red/built-package';

/** Enough to list all versions of a package. */
const MOST_OUTPUT = 32 * 1024 * 1024;

/** Runs npm. @returns its stdout @throws with its stderr if it fails */
export async function npm(args: readonly string[], cwd = ROOT): Promise<string> {
  // Uses the npm that runs this script; `npm` in the PATH may come from a dependency.
  const npmPath = process.env['npm_execpath'];
  const [command, first] = npmPath?.endsWith('.js')
    ? [process.execPath, [npmPath]]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
  // It runs no code whose coverage is reported.
  const env = { ...process.env, NODE_V8_COVERAGE: undefined };
  const options = { cwd, env, maxBuffer: MOST_OUTPUT, shell: command.endsWith('.cmd') };
  const { stdout } = await promisify(execFile)(command, [...first, ...args], options);
  return stdout;
}
