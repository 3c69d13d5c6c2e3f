/**
 * `npm run new-node -- <name>`: the parts of a new flow node, copied from the smallest one, about. What comes of it
 * builds, loads, passes its spec and does what about does: to be changed into something else, file by file.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const MODEL = 'about';
/** As the nodes are called that there are: their folder, and behind `cloud-drive-` their type. */
const NAME = /^[a-z]+(?:-[a-z]+)*$/;

const [name = ''] = process.argv.slice(2);
if (!NAME.test(name)) end('usage: npm run new-node -- <name>    small letters, with hyphens between words');
if (existsSync(`nodes/${name}`)) end(`There is a folder nodes/${name} already.`);

/** Each in another place; `*` is the name. */
const PARTS = [
  'nodes/*',
  'icons/cloud-drive-*.svg',
  'examples/*.json',
  'test/nodes/*_spec.ts',
  'docs/nodes/*.md',
];
const words = name.replaceAll('-', ' ');
const inCode = name.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
/** Nodes that are imported take the place of those with the same ids. */
const ids = `cd${randomBytes(3).toString('hex')}`;

const made = PARTS.map((part) => {
  const [from, to] = [part.replace('*', MODEL), part.replace('*', name)];
  if (existsSync(to)) end(`There is ${to} already.`);
  cpSync(from, to, { recursive: true });
  return to;
});
for (const file of made.flatMap(filesIn)) {
  const renamed = path.join(path.dirname(file), path.basename(file).replace(MODEL, name));
  if (renamed !== file) renameSync(file, renamed);
  writeFileSync(renamed, changed(readFileSync(renamed, 'utf8')));
}
register();
console.log(`${name} is registered in package.json, builds, loads, and does what ${MODEL} does. To become itself it needs

${rows(places())}

Then: CONTRIBUTING.md, "Adding a flow node".`);

/** All that has to be written: what was copied, and the rows that there are none of yet. */
function places() {
  const node = `nodes/${name}/${name}`;
  const locales = readdirSync(`nodes/${name}/locales`).map(
    (language) => `nodes/${name}/locales/${language}/`,
  );
  return [
    [`${node}.types.ts`, 'its settings'],
    [`${node}.ts`, 'what it does'],
    [`${node}.editor.ts`, 'its settings in the editor'],
    [`${node}.form.html`, 'its rows in the dialog'],
    ...locales.map((folder) => [`${folder}${name}.json`, 'its name, and every text of its dialog']),
    ...locales.map((folder) => [`${folder}${name}.html`, 'its help']),
    [`icons/cloud-drive-${name}.svg`, 'its picture'],
    [`examples/${name}.json`, 'a flow that uses it'],
    [`test/nodes/${name}_spec.ts`, 'what should happen'],
    [`docs/nodes/${name}.md`, 'its page'],
    ['docs/nodes.md', 'a row in the table of the nodes'],
    ['README.md', 'a row in the table of the nodes'],
    ['CHANGELOG.md', 'a line'],
  ];
}

function rows(pairs) {
  const width = Math.max(...pairs.map(([place]) => place.length));
  return pairs.map(([place, what]) => `  ${place.padEnd(width)}  ${what}`).join('\n');
}

function filesIn(place) {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place).flatMap((entry) => filesIn(path.join(place, entry)));
}

function changed(text) {
  return text
    .replaceAll(`cloud-drive-${MODEL}`, `cloud-drive-${name}`)
    .replaceAll('AboutConfig', `${inCode}Config`)
    .replaceAll(`./${MODEL}.types`, `./${name}.types`)
    .replaceAll(`docs/nodes/${MODEL}.md`, `docs/nodes/${name}.md`)
    .replaceAll(`the example **${MODEL}**`, `the example **${name}**`)
    .replace(/^# about$/m, `# ${words}`)
    .replace(/ \* about: /, ` * ${words}: `)
    .replace(/\b(the|The) about node/g, `$1 ${words} node`)
    .replace("describe('about node'", `describe('${words} node'`)
    .replace(/("label": )"[^"]+"(,\n {2}"input")/, `$1"${words}"$2`)
    .replaceAll(/\bcd(?:a0|ga)(?=tab|doc|\d)/g, ids);
}

function register() {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  manifest['node-red'].nodes[`cloud-drive-${name}`] = `dist/nodes/${name}/${name}.js`;
  writeFileSync('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function end(message) {
  console.error(message);
  process.exit(1);
}
