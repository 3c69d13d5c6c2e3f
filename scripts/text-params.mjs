/**
 * `npm run text-params`: writes the types of the text keys and their parameters, from the English catalogue of the account. The
 * build, lint and types run it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const CATALOGUE = path.join(root, 'nodes/account/locales/en-US/account.json');
/** Git ignores this folder. */
const OUTPUT = path.join(root, 'generated');

const { errors, warnings } = JSON.parse(readFileSync(CATALOGUE, 'utf8'));
mkdirSync(OUTPUT, { recursive: true });
writeFileSync(
  path.join(OUTPUT, 'text-params.d.ts'),
  `${typeOf('ErrorTexts', errors)}\n${typeOf('WarningTexts', warnings)}`,
);

function typeOf(name, texts) {
  const members = Object.entries(texts).map(([key, text]) => `  ${key}: ${paramsOf(text)};\n`);
  return `/** The parameters of each text. */\nexport interface ${name} {\n${members.join('')}}\n`;
}

function paramsOf(text) {
  const names = [...new Set([...text.matchAll(/__(\w+?)__/g)].map(([, param]) => `'${param}'`))];
  return names.sort().join(' | ') || 'never';
}
