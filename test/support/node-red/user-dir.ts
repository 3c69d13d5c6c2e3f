/** The package in a user directory of Node-RED: put there, and seen to be loaded. */
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const NAME = 'node-red-contrib-cloud-drive';

/** @returns a new user directory, with nothing where there is no package */
export async function createUserDir(packageRoot?: string): Promise<string> {
  const userDir = await mkdtemp(path.join(tmpdir(), 'node-red-'));
  if (packageRoot === undefined) return userDir;
  await mkdir(path.join(userDir, 'node_modules'));
  await symlink(packageRoot, path.join(userDir, 'node_modules', NAME), 'junction');
  const manifest = { name: 'test', private: true, dependencies: { [NAME]: '*' } };
  await writeFile(path.join(userDir, 'package.json'), JSON.stringify(manifest));
  return userDir;
}

/** A node set that failed to load is only missing from the palette. @param answer to a request for the node sets */
export async function checkNodeSets(answer: Response): Promise<void> {
  if (!answer.ok) return;
  const sets = (await answer.json()) as { id: string; module: string; err?: unknown; types: string[] }[];
  const ours = sets.filter(({ module }) => module === NAME);
  const failed = ours.filter(({ err, types }) => err !== undefined || types.length === 0);
  if (ours.length > 0 && failed.length === 0) return;
  throw new Error(`not loaded: ${ours.length === 0 ? 'the package' : JSON.stringify(failed)}`);
}
