/**
 * `npm run new-node -- <name>`: creates the files of a new flow node by copying the smallest one, about. The new node
 * builds, loads, passes its spec and behaves like about until its files are changed.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const MODEL = 'about';
/** The name of the folder, and of the type after `cloud-drive-`. */
const NAME = /^[a-z]+(?:-[a-z]+)*$/;

const [name = ''] = process.argv.slice(2);
if (!NAME.test(name))
  fail('usage: npm run new-node -- <name>    lowercase letters, with hyphens between words');
if (existsSync(`nodes/${name}`)) fail(`The folder nodes/${name} already exists.`);

/** The files and folders to copy; `*` is the node's name. */
const PARTS = [
  'nodes/*',
  'icons/cloud-drive-*.svg',
  'examples/*.json',
  'test/nodes/*_spec.ts',
  'docs/nodes/*.md',
];
const label = name.replaceAll('-', ' ');
const identifier = name.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
/** An imported flow replaces nodes with the same ids. */
const ids = `cd${randomBytes(3).toString('hex')}`;

const created = PARTS.map((part) => {
  const [from, to] = [part.replace('*', MODEL), part.replace('*', name)];
  if (existsSync(to)) fail(`${to} already exists.`);
  cpSync(from, to, { recursive: true });
  return to;
});
for (const file of created.flatMap(filesIn)) {
  const renamed = path.join(path.dirname(file), path.basename(file).replace(MODEL, name));
  if (renamed !== file) renameSync(file, renamed);
  writeFileSync(renamed, renameIn(readFileSync(renamed, 'utf8')));
}
register();
console.log(`${name} is registered in package.json, builds, loads, and behaves like ${MODEL}. Now change these files:

${rows(filesToChange())}

Then continue with CONTRIBUTING.md, "Add a flow node".`);

/** Every file that needs changes: the copies, and the documents that list all nodes. */
function filesToChange() {
  const node = `nodes/${name}/${name}`;
  const locales = readdirSync(`nodes/${name}/locales`).map(
    (language) => `nodes/${name}/locales/${language}/`,
  );
  return [
    [`${node}.defaults.ts`, 'its properties and their defaults'],
    [`${node}.ts`, 'what it does'],
    [`${node}.editor.ts`, 'its settings in the editor'],
    [`${node}.form.html`, 'its rows in the dialog'],
    ...locales.map((folder) => [`${folder}${name}.json`, 'its name and the texts of its dialog']),
    ...locales.map((folder) => [`${folder}${name}.html`, 'its help']),
    [`icons/cloud-drive-${name}.svg`, 'its icon'],
    [`examples/${name}.json`, 'an example flow'],
    [`test/nodes/${name}_spec.ts`, 'its tests'],
    [`docs/nodes/${name}.md`, 'its reference page'],
    ['docs/nodes.md', 'a row in the table of nodes'],
    ['README.md', 'a row in the table of nodes'],
    ['CHANGELOG.md', 'an entry'],
  ];
}

function rows(pairs) {
  const width = Math.max(...pairs.map(([file]) => file.length));
  return pairs.map(([file, content]) => `  ${file.padEnd(width)}  ${content}`).join('\n');
}

function filesIn(entryPath) {
  if (!statSync(entryPath).isDirectory()) return [entryPath];
  return readdirSync(entryPath).flatMap((entry) => filesIn(path.join(entryPath, entry)));
}

function renameIn(text) {
  return text
    .replaceAll(`cloud-drive-${MODEL}`, `cloud-drive-${name}`)
    .replaceAll('AboutConfig', `${identifier}Config`)
    .replaceAll(`./${MODEL}.defaults`, `./${name}.defaults`)
    .replaceAll(`docs/nodes/${MODEL}.md`, `docs/nodes/${name}.md`)
    .replaceAll(`the example **${MODEL}**`, `the example **${name}**`)
    .replace(/^# about$/m, `# ${label}`)
    .replace(/ \* about: /, ` * ${label}: `)
    .replace(/\b(the|The) about node/g, `$1 ${label} node`)
    .replace("describe('about node'", `describe('${label} node'`)
    .replace(/("label": )"[^"]+"(,\n {2}"input")/, `$1"${label}"$2`)
    .replaceAll(/\bcd(?:a0|ga)(?=tab|doc|\d)/g, ids);
}

function register() {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  // The palette shows the nodes in this order, about last.
  const { [`cloud-drive-${MODEL}`]: last, ...others } = manifest['node-red'].nodes;
  const added = { [`cloud-drive-${name}`]: `dist/nodes/${name}.js` };
  manifest['node-red'].nodes = { ...others, ...added, [`cloud-drive-${MODEL}`]: last };
  writeFileSync('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
