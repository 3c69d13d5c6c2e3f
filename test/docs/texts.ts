/** The English texts of the dialogs, and the label of each field. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/node-red/built-package';

type Catalogue = { [key: string]: string | Catalogue };

const catalogueOf = (node: string): Catalogue =>
  JSON.parse(readFileSync(path.join(ROOT, `nodes/${node}/locales/en-US/${node}.json`), 'utf8')) as Catalogue;

/** All texts of a node. */
export function textsOf(node: string): string[] {
  const flat = (catalogue: Catalogue): string[] =>
    Object.values(catalogue).flatMap((text) => (typeof text === 'string' ? [text] : flat(text)));
  return flat(catalogueOf(node));
}

/** The label of each field in a node's built dialog, by its property. */
export function labelsOf(node: string): Record<string, string> {
  const page = pageOf(node);
  const labels = [...page.matchAll(/<label for="node-(?:config-)?input-(\w+)"([^]*?)<\/label>/g)];
  return Object.fromEntries(
    labels.map(([, property, label]) => {
      const key = /data-i18n="(?:\[\w+\])?([^"]+)"/.exec(label!)?.[1] ?? '';
      return [property!, textAt(node, key)];
    }),
  );
}

/** The options of each property that is a select. */
export function choicesOf(node: string): Record<string, string[]> {
  const selects = [...pageOf(node).matchAll(/<select[^>]*id="node-input-(\w+)"([^]*?)<\/select>/g)];
  const values = (options: string): string[] =>
    [...options.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value!);
  return Object.fromEntries(selects.map(([, property, options]) => [property!, values(options!)]));
}

function pageOf(node: string): string {
  return readFileSync(path.join(ROOT, `dist/nodes/${node}.html`), 'utf8');
}

/** @param key with the namespace as a prefix if it is in the account's catalogue */
function textAt(node: string, key: string): string {
  const [own = '', shared] = key.split(':');
  const parts = (shared ?? own).split('.');
  const found = parts.reduce<Catalogue | string | undefined>(
    (at, part) => (typeof at === 'object' ? at[part] : undefined),
    catalogueOf(shared === undefined ? node : 'account'),
  );
  return typeof found === 'string' ? found : '';
}
