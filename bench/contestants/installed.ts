/** Disk space and number of packages of an installation. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../test/support/node-red/built-package';
import { npm } from '../../test/support/run/npm';
import type { Sample } from '../harness/case';

const BENCH = path.join(__dirname, '..');

/** The published package with its dependencies. */
export async function installedPackage(): Promise<Sample> {
  const packed = await npm(['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']);
  const [{ unpackedSize }] = JSON.parse(packed) as [{ unpackedSize: number }];
  return sampleOf({ bytes: unpackedSize, packages: 1 }, dependenciesOf(ROOT));
}

/** Google's client with its dependencies. */
export function installedPeer(): Sample {
  return sampleOf({ bytes: 0, packages: 0 }, dependenciesOf(BENCH));
}

/** @param own bytes and number of packages besides the dependencies */
function sampleOf(own: { bytes: number; packages: number }, folders: ReadonlySet<string>): Sample {
  const bytes = [...folders].reduce((sum, folder) => sum + sizeOf(folder), own.bytes);
  return { size: bytes / 1e6, packages: folders.size + own.packages };
}

/** Folders of all dependencies of a package, as resolved by Node.js. */
function dependenciesOf(folder: string, found = new Set<string>()): Set<string> {
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const dependency = resolvePackage(folder, name);
    if (dependency === undefined || found.has(dependency)) continue;
    found.add(dependency);
    dependenciesOf(dependency, found);
  }
  return found;
}

function resolvePackage(folder: string, name: string): string | undefined {
  const candidate = path.join(folder, 'node_modules', name);
  if (existsSync(path.join(candidate, 'package.json'))) return candidate;
  const above = path.dirname(folder);
  return above === folder ? undefined : resolvePackage(above, name);
}

/** Bytes of a package's own files. */
function sizeOf(folder: string): number {
  const sizes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.name === 'node_modules') return 0;
    return entry.isDirectory() ? sizeOf(file) : statSync(file).size;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}
