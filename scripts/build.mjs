/**
 * Builds the package into dist/: the runtime, checked by tsc, into one file for all nodes, since to look for 150 of them
 * took longer than to run them; each node's editor page (code, form) into one HTML file; and beside the nodes what
 * Node-RED looks up there: locales and, once for all nodes, the icons.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { putInPlace } from './put-in-place.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');
// Built beside and then put in place, so that a Node-RED that is running finds all of one build or all of the other.
const built = path.join(root, `dist.${process.pid}`);
const RUNTIME = 'cloud-drive.js';
const nodes = readdirSync(path.join(root, 'nodes')).filter((name) => name !== 'shared');

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
try {
  const tsconfig = path.join(root, 'tsconfig.json');
  execFileSync(process.execPath, [tsc, '-p', tsconfig], { stdio: 'inherit' });
  await Promise.all([runtime(), ...nodes.map(editorPage)]);
  for (const node of nodes) copyIfThere(`nodes/${node}/locales`);
  // The picture of the code is drawn by it: its licence goes where its code goes.
  cpSync(path.join(root, 'node_modules/uqr/LICENSE'), path.join(built, 'nodes/account/LICENSE-uqr.txt'));
  cpSync(path.join(root, 'icons'), path.join(built, 'nodes/account/icons'), { recursive: true });
  putInPlace(built, dist);
} finally {
  rmSync(built, { recursive: true, force: true });
}

/** What Node-RED loads: a line a node, which takes it from the file that has them all. */
async function runtime() {
  const contents = nodes
    .map((node) => `export { default as '${node}' } from './nodes/${node}/${node}';\n`)
    .join('');
  await build({
    stdin: { contents, resolveDir: root },
    outfile: path.join(built, RUNTIME),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node18.5',
    charset: 'utf8',
    tsconfig: path.join(root, 'tsconfig.json'),
  });
  for (const node of nodes) {
    mkdirSync(path.join(built, 'nodes', node), { recursive: true });
    const line = `module.exports = require('../../${RUNTIME}')['${node}'];\n`;
    writeFileSync(path.join(built, 'nodes', node, `${node}.js`), line);
  }
}

/** A node's page: its editor code as one script, then its form. */
async function editorPage(node) {
  const source = path.join(root, 'nodes', node);
  const { outputFiles } = await build({
    entryPoints: [path.join(source, `${node}.editor.ts`)],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
    tsconfig: path.join(root, 'tsconfig.editor.json'),
  });
  const form = withRows(readFileSync(path.join(source, `${node}.form.html`), 'utf8'));
  const page = `<script type="text/javascript">\n${outputFiles[0].text}</script>\n\n${form}`;
  mkdirSync(path.join(built, 'nodes', node), { recursive: true });
  writeFileSync(path.join(built, 'nodes', node, `${node}.html`), page);
}

/** Puts in the rows that several forms have: `<!-- row: name -->` stands for nodes/shared/editor/rows/name.html. */
function withRows(form) {
  return form.replace(/^( *)<!-- row: ([\w-]+) -->\n/gm, (_, indent, name) =>
    readFileSync(path.join(root, 'nodes/shared/editor/rows', `${name}.html`), 'utf8').replace(
      /^(?=.)/gm,
      indent,
    ),
  );
}

function copyIfThere(folder) {
  const from = path.join(root, folder);
  if (existsSync(from)) cpSync(from, path.join(built, folder), { recursive: true });
}
