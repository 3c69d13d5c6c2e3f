/**
 * `npm run translations`: confirms that the translations fit the English texts, and records hashes of those in
 * test/translations.txt. With languages, as in `npm run translations -- de fr`, it confirms only these. With `--check`, it lists
 * texts whose English is newer than their translation.
 *
 * A line is a text and the hash of its English, then the languages whose translation fits an older English, each with the hash
 * of that: `upload field.data 1f2e3d fr=4a5b6c`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

const FILE = 'test/translations.txt';
const SOURCE = 'en-US';
const args = process.argv.slice(2);
const isCheck = args.includes('--check');
const languages = readdirSync('nodes/account/locales').filter((language) => language !== SOURCE);
const unknown = args.filter((each) => each !== '--check' && !languages.includes(each));
if (unknown.length > 0) throw new Error(`Unknown language: ${unknown.join(', ')}`);
const confirmed = isCheck ? [] : args.length > 0 ? args : languages;

const recorded = existsSync(FILE) ? readFileSync(FILE, 'utf8').trim().split('\n').map(parseLine) : [];
const before = new Map(recorded);
const stale = [];
const lines = [...texts()].map(([key, text]) => {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 6);
  const known = before.get(key);
  const older = languages.flatMap((language) => {
    const fits = confirmed.includes(language) ? hash : (known?.older[language] ?? known?.hash ?? 'none');
    return fits === hash ? [] : [`${language}=${fits}`];
  });
  if (older.length > 0) stale.push(`${key}: ${older.map((each) => each.split('=')[0]).join(', ')}`);
  return [key, hash, ...older].join(' ');
});
if (!isCheck) writeFileSync(FILE, `${lines.join('\n')}\n`);
if (stale.length > 0) {
  console.error(`The English is newer than the translation:\n${stale.join('\n')}`);
  console.error('Translate these texts, then run npm run translations.');
  if (isCheck) process.exitCode = 1;
}

function parseLine(line) {
  const [node, key, hash, ...older] = line.split(' ');
  return [`${node} ${key}`, { hash, older: Object.fromEntries(older.map((each) => each.split('='))) }];
}

/** The English texts and the help of all nodes. */
function* texts() {
  for (const node of readdirSync('nodes').filter((name) => name !== 'shared')) {
    const read = (extension) => readFileSync(`nodes/${node}/locales/${SOURCE}/${node}.${extension}`, 'utf8');
    for (const [key, text] of flatten(JSON.parse(read('json')))) yield [`${node} ${key}`, text];
    yield [`${node} help`, read('html')];
  }
}

function flatten(catalogue, prefix = '') {
  return Object.entries(catalogue).flatMap(([key, text]) =>
    typeof text === 'string' ? [[prefix + key, text]] : flatten(text, `${prefix}${key}.`),
  );
}
