/** The languages that the package speaks, and what it says in them. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export const SOURCE_LANGUAGE = 'en-US';

type Catalogue = { [key: string]: string | Catalogue };

const root = path.join(__dirname, '../../nodes');

/** Folders, and so also what a browser calls its language: `de`, `es-ES`. */
export function languagesOf(node: string): string[] {
  return readdirSync(path.join(root, node, 'locales')).sort();
}

export const LANGUAGES: readonly string[] = languagesOf('account');
export const TRANSLATIONS: readonly string[] = LANGUAGES.filter((language) => language !== SOURCE_LANGUAGE);

export function localeFile(node: string, language: string, kind: 'json' | 'html'): string {
  return readFileSync(path.join(root, node, 'locales', language, `${node}.${kind}`), 'utf8');
}

/** By key, `form.name`, in the order of the file. */
export function textsOf(node: string, language: string): Map<string, string> {
  return new Map(flatten(JSON.parse(localeFile(node, language, 'json')) as Catalogue));
}

function flatten(catalogue: Catalogue, before = ''): [key: string, text: string][] {
  return Object.entries(catalogue).flatMap(([key, text]) =>
    typeof text === 'string' ? [[before + key, text] as [string, string]] : flatten(text, `${before}${key}.`),
  );
}
