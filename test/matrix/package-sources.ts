/** The expected contents of the package, read from its sources. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { EXAMPLES } from '../support/node-red/examples';
import { ROOT } from '../support/node-red/built-package';

interface Manifest {
  name: string;
  version: string;
  'node-red': { nodes: Record<string, string> };
}

const read = (...parts: string[]): string => readFileSync(path.join(ROOT, ...parts), 'utf8');

const manifest = JSON.parse(read('package.json')) as Manifest;
export const { name: NAME, version: VERSION } = manifest;

/** The node types, which are also the names of the node sets. */
export const TYPES = Object.keys(manifest['node-red'].nodes);

export const LANGUAGES = readdirSync(path.join(ROOT, 'nodes/account/locales'));

/** Icon files by name. */
export const ICONS = filesIn(path.join(ROOT, 'icons'));

/** Example flows by their name in the editor. */
export const EXAMPLE_FLOWS = filesIn(EXAMPLES, '.json');

export function textsOf(type: string, language: string): unknown {
  return JSON.parse(localeOf(type, language, 'json'));
}

export function helpOf(type: string, language: string): string {
  return localeOf(type, language, 'html');
}

function localeOf(type: string, language: string, kind: 'json' | 'html'): string {
  const node = type.replace('cloud-drive-', '');
  return read('nodes', node, 'locales', language, `${node}.${kind}`);
}

function filesIn(folder: string, ending = ''): Map<string, string> {
  return new Map(
    readdirSync(folder).map((name) => [
      path.basename(name, ending),
      readFileSync(path.join(folder, name), 'utf8'),
    ]),
  );
}
