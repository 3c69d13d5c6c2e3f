/** Packs the package and installs it like a user. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { npm } from '../support/run/npm';

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/** The packed package. */
export interface Tarball {
  file: string;
  remove: () => Promise<void>;
}

/** Builds and packs. */
export async function pack(): Promise<Tarball> {
  const folder = await mkdtemp(path.join(tmpdir(), 'packed-'));
  const listed = await npm(['pack', '--json', '--loglevel=error', '--pack-destination', folder]);
  // The build writes to stdout first.
  const [{ filename }] = JSON.parse(listed.slice(listed.indexOf('[\n'))) as [{ filename: string }];
  return { file: path.join(folder, filename), remove: () => rm(folder, { recursive: true }) };
}

/** Installs the tarball as `npm install` in a user directory does. @returns the new user directory */
export async function installTarball(tarball: string): Promise<string> {
  // Outside this project, so that unlisted dependencies are not found.
  const userDir = await mkdtemp(path.join(tmpdir(), 'node-red-'));
  await writeFile(path.join(userDir, 'package.json'), JSON.stringify({ name: 'matrix', private: true }));
  await npm(['install', ...QUIET, tarball], userDir);
  return userDir;
}
