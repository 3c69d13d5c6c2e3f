/** The expected contents of the package, read from its sources. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { helpOf as builtHelp } from '../support/languages';
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

/** The texts that the editor loads: without those of errors, warnings, pages and results, which only the runtime uses. */
export function textsOf(type: string, language: string): unknown {
  const node = nodeOf(type);
  const texts = JSON.parse(read('nodes', node, 'locales', language, `${node}.json`)) as Record<
    string,
    unknown
  >;
  for (const key of ['errors', 'warnings', 'page', 'result']) delete texts[key];
  return texts;
}

/** With the parts that the build inserts. */
export function helpOf(type: string, language: string): string {
  return builtHelp(nodeOf(type), language);
}

function nodeOf(type: string): string {
  return type.replace('cloud-drive-', '');
}

function filesIn(folder: string, ending = ''): Map<string, string> {
  return new Map(
    readdirSync(folder).map((name) => [
      path.basename(name, ending),
      readFileSync(path.join(folder, name), 'utf8'),
    ]),
  );
}
