/** npm, as a person runs it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../node-red/built-package';

/** Enough for the list of all versions of a package. */
const MOST_OUTPUT = 32 * 1024 * 1024;

/** @returns what it wrote to stdout. @throws with what it wrote to stderr, when it fails */
export async function npm(args: readonly string[], cwd = ROOT): Promise<string> {
  // The npm that runs this: in a script, `npm` may be one that a dependency has brought.
  const running = process.env['npm_execpath'];
  const [command, first] = running?.endsWith('.js')
    ? [process.execPath, [running]]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
  const options = { cwd, maxBuffer: MOST_OUTPUT, shell: command.endsWith('.cmd') };
  const { stdout } = await promisify(execFile)(command, [...first, ...args], options);
  return stdout;
}
