/**
 * Builds the package into dist/: the runtime of all nodes as one file, because loading 150 modules takes longer than
 * running them; an HTML file per node with its editor code and its form; and the locales and icons, in the places where
 * Node-RED looks for them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expandParts } from './expand-parts.mjs';
import { replaceFolder } from './replace-folder.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');
// A running Node-RED must never find half a build, so it is made elsewhere and then moved.
const output = path.join(root, `dist.${process.pid}`);
const RUNTIME = 'cloud-drive.js';
/** Packages that are bundled, each into a file that is loaded on first use: see src/archive/libraries.ts. */
const LIBRARIES = ['age-encryption', 'tar-stream'];
/** The folder of the package that a file belongs to. */
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
/** For code that runs in Node.js. */
const RUNTIME_OPTIONS = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'cjs',
  target: 'node18.5',
  charset: 'utf8',
  tsconfig: path.join(root, 'tsconfig.json'),
  plugins: [{ name: 'libraries', setup: useBundledLibraries }],
};
const nodes = readdirSync(path.join(root, 'nodes')).filter((name) => name !== 'shared');

const repository = repositoryUrl();

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
try {
  const tsconfig = path.join(root, 'tsconfig.json');
  // Incremental: unchanged files take a third of the time.
  const checked = path.join(root, 'node_modules/.cache/typescript/runtime.tsbuildinfo');
  const args = ['-p', tsconfig, '--incremental', '--tsBuildInfoFile', checked];
  execFileSync(process.execPath, [tsc, ...args], { stdio: 'inherit' });
  await Promise.all([
    buildRuntime(),
    buildArchiveWorker(),
    ...LIBRARIES.map(buildLibrary),
    ...nodes.map(buildEditorPage),
  ]);
  nodes.forEach(buildLocales);
  // The editor page of the account contains this package's code.
  cpSync(path.join(root, 'node_modules/uqr/LICENSE'), path.join(output, 'nodes/account/LICENSE-uqr.txt'));
  // The icons of one node are available to all nodes of a package.
  cpSync(path.join(root, 'icons'), path.join(output, 'nodes/account/icons'), { recursive: true });
  replaceFolder(output, dist);
} finally {
  rmSync(output, { recursive: true, force: true });
}

/** Bundles the runtime, and creates for each node the module that Node-RED loads. */
async function buildRuntime() {
  const contents = nodes
    .map((node) => `export { default as '${node}' } from './nodes/${node}/${node}';\n`)
    .join('');
  await build({
    stdin: { contents, resolveDir: root },
    outfile: path.join(output, RUNTIME),
    ...RUNTIME_OPTIONS,
  });
  for (const node of nodes)
    write(node, `${node}.js`, `module.exports = require('../../${RUNTIME}')['${node}'];\n`);
}

/** Bundles the code of the worker thread, which is loaded on first use: see src/archive/libraries.ts. */
async function buildArchiveWorker() {
  await build({
    entryPoints: [path.join(root, 'src/archive/archive-worker.ts')],
    outdir: output,
    ...RUNTIME_OPTIONS,
  });
}

function useBundledLibraries({ onResolve }) {
  const filter = new RegExp(`^(${LIBRARIES.join('|')})$`);
  onResolve({ filter }, (library) => ({ path: `./libraries/${library.path}.js`, external: true }));
  // The name of a file, not a module to include.
  onResolve({ filter: /^\.\/archive-worker$/ }, ({ path: file }) => ({ path: `${file}.js`, external: true }));
}

/** Bundles a package with its dependencies, and their licenses. */
async function buildLibrary(name) {
  const { metafile } = await build({
    stdin: { contents: `export * from '${name}';\n`, resolveDir: root },
    outfile: path.join(output, `libraries/${name}.js`),
    bundle: true,
    minify: true,
    // Node.js 18 has no global `crypto`.
    define: { 'globalThis.crypto': 'nodeCrypto' },
    banner: { js: "const nodeCrypto = require('node:crypto').webcrypto;" },
    legalComments: 'none',
    metafile: true,
    absWorkingDir: root,
    platform: 'node',
    format: 'cjs',
    target: 'node18.5',
    charset: 'utf8',
  });
  const folders = Object.keys(metafile.inputs).flatMap((file) => PACKAGE_FOLDER.exec(file) ?? []);
  const licenses = [...new Set(folders)].map((folder) => {
    const text = readFileSync(path.join(root, folder, 'LICENSE'), 'utf8').trim();
    return `${folder.replace(/.*node_modules\//, '')}\n\n${text}\n`;
  });
  writeFileSync(
    path.join(output, `libraries/LICENSE-${name}.txt`),
    [...new Set(licenses)].sort().join(`\n${'-'.repeat(80)}\n\n`),
  );
}

/** Creates a node's HTML file: its editor code as one script, followed by its form. */
async function buildEditorPage(node) {
  const folder = path.join(root, 'nodes', node);
  const { outputFiles } = await build({
    entryPoints: [path.join(folder, `${node}.editor.ts`)],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
    minifyWhitespace: true,
    define: { REPOSITORY_URL: JSON.stringify(repository) },
    tsconfig: path.join(root, 'tsconfig.editor.json'),
  });
  const form = readFileSync(path.join(folder, `${node}.form.html`), 'utf8');
  const rows = path.join(root, 'nodes/shared/editor/rows');
  const script = `<script type="text/javascript">\n${outputFiles[0].text}</script>`;
  write(node, `${node}.html`, `${script}\n\n${expandParts(form, 'row', rows)}`);
}

/** Copies a node's texts, and its help with the shared parts inserted. */
function buildLocales(node) {
  const folder = path.join(root, 'nodes', node, 'locales');
  for (const language of readdirSync(folder)) {
    const texts = readFileSync(path.join(folder, language, `${node}.json`), 'utf8');
    const help = readFileSync(path.join(folder, language, `${node}.html`), 'utf8');
    const parts = path.join(root, 'nodes/shared/help', language);
    write(node, `locales/${language}/${node}.json`, texts);
    write(node, `locales/${language}/${node}.html`, linkDocs(expandParts(help, 'help', parts)));
  }
}

/** The web page of the repository: documents are linked there, because the package doesn't contain them. */
function repositoryUrl() {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return manifest.repository.url.replace(/^git\+|\.git$/g, '');
}

/** Makes `docs:errors.md` an absolute URL: a relative one would lead to Node-RED's own server. */
function linkDocs(html) {
  return html.replaceAll('href="docs:', `href="${repository}/blob/main/docs/`);
}

function write(node, name, text) {
  const file = path.join(output, 'nodes', node, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
