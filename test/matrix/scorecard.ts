/** The Flow Library's scorecard, created by its own tool. https://github.com/node-red/node-red-dev-cli */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { npm } from '../support/run/npm';
import { PLATFORMS } from '../support/run/platforms';
import { installPackage } from '../support/run/registry';
import { NAME } from './package-sources';

const TOOL = { name: 'node-red-dev', version: '0.1.6' };

/** The results by name of the check, such as `P01`. */
export type Scorecard = Record<string, { test: boolean }>;

/** @param userDir with the installed package, whose manifest gets a repository as when publishing */
export async function scorecard(userDir: string): Promise<Scorecard> {
  const tool = await installPackage(TOOL.name, TOOL.version);
  const folder = path.join(userDir, 'node_modules', NAME);
  await npm(['pkg', 'set', `repository.url=git+https://example.org/${NAME}.git`, '--loglevel=error'], folder);
  const file = path.join(userDir, 'card.json');
  const preload = path.join(__dirname, 'scorecard-responses.cjs');
  const env = { ...process.env, NODE_REDS: JSON.stringify(await supportedVersions()) };
  const args = ['--require', preload, path.join(tool, 'bin/run'), 'validate', '-p', folder, '-o', file];
  await promisify(execFile)(process.execPath, args, { cwd: userDir, env });
  // The exit code doesn't depend on the results.
  const { package: _package, ...card } = JSON.parse(await readFile(file, 'utf8')) as Scorecard;
  return card;
}

/** The supported versions, from the matrix. */
async function supportedVersions(): Promise<{ latest: string; engine: string; others: string[] }> {
  const versions = [...new Set(PLATFORMS.map(({ nodeRed }) => nodeRed))];
  const latest = versions.at(-1)!;
  const manifest = path.join(await installPackage('node-red', latest), 'package.json');
  const { engines } = JSON.parse(await readFile(manifest, 'utf8')) as { engines: { node: string } };
  return { latest, engine: engines.node, others: versions.slice(0, -1) };
}
