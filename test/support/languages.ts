/** The languages that the package speaks, and what it says in them. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export const FIRST = 'en-US';

type Catalogue = { [key: string]: string | Catalogue };

const root = path.join(__dirname, '../../nodes');

/** Folders, and so also what a browser calls its language: `de`, `es-ES`. */
export function spokenBy(node: string): string[] {
  return readdirSync(path.join(root, node, 'locales')).sort();
}

export const LANGUAGES: readonly string[] = spokenBy('account');
export const OTHERS: readonly string[] = LANGUAGES.filter((language) => language !== FIRST);

export function localeFile(node: string, language: string, kind: 'json' | 'html'): string {
  return readFileSync(path.join(root, node, 'locales', language, `${node}.${kind}`), 'utf8');
}

/** By key, `form.name`, in the order of the file. */
export function textsOf(node: string, language: string): Map<string, string> {
  return new Map(flat(JSON.parse(localeFile(node, language, 'json')) as Catalogue));
}

function flat(catalogue: Catalogue, before = ''): [key: string, text: string][] {
  return Object.entries(catalogue).flatMap(([key, text]) =>
    typeof text === 'string' ? [[before + key, text] as [string, string]] : flat(text, `${before}${key}.`),
  );
}
