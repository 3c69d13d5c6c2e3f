/** The scorecard of the Flow Library, as its own tool writes it. https://github.com/node-red/node-red-dev-cli */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { npm } from '../support/run/npm';
import { PLATFORMS } from '../support/run/platforms';
import { installPackage } from '../support/run/registry';
import { NAME } from './package-sources';

const TOOL = { name: 'node-red-dev', version: '0.1.6' };

/** By the check's name, `P01` for instance. */
export type Scorecard = Record<string, { test: boolean }>;

/** @param userDir where the packed package is installed; its manifest gets the repository that publishing puts in */
export async function scorecard(userDir: string): Promise<Scorecard> {
  const tool = await installPackage(TOOL.name, TOOL.version);
  const folder = path.join(userDir, 'node_modules', NAME);
  await npm(['pkg', 'set', `repository.url=git+https://example.org/${NAME}.git`, '--loglevel=error'], folder);
  const file = path.join(userDir, 'card.json');
  const preload = path.join(__dirname, 'scorecard-responses.cjs');
  const env = { ...process.env, NODE_REDS: JSON.stringify(await supportedVersions()) };
  const args = ['--require', preload, path.join(tool, 'bin/run'), 'validate', '-p', folder, '-o', file];
  await promisify(execFile)(process.execPath, args, { cwd: userDir, env });
  // Its exit code says nothing of what it has found.
  const { package: _package, ...card } = JSON.parse(await readFile(file, 'utf8')) as Scorecard;
  return card;
}

/** The versions that are supported: those of the matrix. */
async function supportedVersions(): Promise<{ latest: string; engine: string; others: string[] }> {
  const versions = [...new Set(PLATFORMS.map(({ nodeRed }) => nodeRed))];
  const latest = versions.at(-1)!;
  const manifest = path.join(await installPackage('node-red', latest), 'package.json');
  const { engines } = JSON.parse(await readFile(manifest, 'utf8')) as { engines: { node: string } };
  return { latest, engine: engines.node, others: versions.slice(0, -1) };
}
