/** The client as the package contains it. Without a bundle, each worker thread would compile its modules again. */
import path from 'node:path';
import { build } from 'esbuild';
import type * as Client from '../../src/index';

export type BundledClient = typeof Client;

const ROOT = path.join(__dirname, '../..');
/** Inside of the project, where the bundle finds its packages. */
const OUTPUT = path.join(ROOT, 'node_modules/.cache/fleet');

export async function bundleClient(): Promise<BundledClient> {
  const names = { index: 'src/index.ts', 'archive-worker': 'src/backup/archive/archive-worker.ts' };
  await build({
    ...{ entryPoints: names, absWorkingDir: ROOT, outdir: OUTPUT, tsconfig: 'tsconfig.json' },
    ...{
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'cjs',
      target: 'node18.5',
      logLevel: 'silent',
    },
  });
  return (await import(path.join(OUTPUT, 'index.js'))) as BundledClient;
}
