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
console.log(`${made.join('\n')}
and a line in package.json are copies of ${MODEL}'s. Change them, then: CONTRIBUTING.md, "Adding a flow node".`);

function filesIn(place) {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place).flatMap((entry) => filesIn(path.join(place, entry)));
}

function changed(text) {
  return text
    .replaceAll(`cloud-drive-${MODEL}`, `cloud-drive-${name}`)
    .replaceAll('AboutConfig', `${inCode}Config`)
    .replaceAll(`./${MODEL}.types`, `./${name}.types`)
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
