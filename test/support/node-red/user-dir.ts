/** Node-RED user directories with the package. */
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const NAME = 'node-red-contrib-cloud-drive';

/** @returns a new user directory, empty without a package */
export async function createUserDir(packageRoot?: string): Promise<string> {
  const userDir = await mkdtemp(path.join(tmpdir(), 'node-red-'));
  if (packageRoot === undefined) return userDir;
  await mkdir(path.join(userDir, 'node_modules'));
  await symlink(packageRoot, path.join(userDir, 'node_modules', NAME), 'junction');
  const manifest = { name: 'test', private: true, dependencies: { [NAME]: '*' } };
  await writeFile(path.join(userDir, 'package.json'), JSON.stringify(manifest));
  return userDir;
}

/** Checks that all node sets loaded, because Node-RED starts without failed ones. @param response of /nodes */
export async function checkNodeSets(response: Response): Promise<void> {
  if (!response.ok) return;
  const sets = (await response.json()) as { id: string; module: string; err?: unknown; types: string[] }[];
  const ours = sets.filter(({ module }) => module === NAME);
  const failed = ours.filter(({ err, types }) => err !== undefined || types.length === 0);
  if (ours.length > 0 && failed.length === 0) return;
  throw new Error(`not loaded: ${ours.length === 0 ? 'the package' : JSON.stringify(failed)}`);
}
