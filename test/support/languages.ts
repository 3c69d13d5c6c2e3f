/** The languages of the package, with their texts and help pages. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT, ensureBuilt } from './node-red/built-package';

export const SOURCE_LANGUAGE = 'en-US';

type Catalogue = { [key: string]: string | Catalogue };

const root = path.join(ROOT, 'nodes');

/** The languages of a node, which are folder names and browser language codes: `de`, `es-ES`. */
export function languagesOf(node: string): string[] {
  return readdirSync(path.join(root, node, 'locales')).sort();
}

export const LANGUAGES: readonly string[] = languagesOf('account');
export const TRANSLATIONS: readonly string[] = LANGUAGES.filter((language) => language !== SOURCE_LANGUAGE);

function localeFile(node: string, language: string): string {
  return readFileSync(path.join(root, node, 'locales', language, `${node}.json`), 'utf8');
}

/** The help of a node as it is built, with the parts that nodes share. */
export function helpOf(node: string, language: string): string {
  ensureBuilt();
  return readFileSync(path.join(ROOT, 'dist/nodes/locales', language, `${node}.html`), 'utf8');
}

/** Texts by key, such as `form.name`, in the order of the file. */
export function textsOf(node: string, language: string): Map<string, string> {
  return new Map(flatten(JSON.parse(localeFile(node, language)) as Catalogue));
}

function flatten(catalogue: Catalogue, prefix = ''): [key: string, text: string][] {
  return Object.entries(catalogue).flatMap(([key, text]) =>
    typeof text === 'string' ? [[prefix + key, text] as [string, string]] : flatten(text, `${prefix}${key}.`),
  );
}

/** Matches an English text of the account with any values of its placeholders. */
export function accountText(key: string): RegExp {
  const text = textsOf('account', SOURCE_LANGUAGE).get(key);
  if (text === undefined) throw new Error(`The account has no text ${key}`);
  const parts = text.split(/__\w+__/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join('.+'));
}
