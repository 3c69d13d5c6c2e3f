/**
 * Builds the package into dist/: the runtime of all nodes as one file and the client as another, because loading 150 modules
 * takes longer than running them; the editor code of all nodes as resources/editor.js; an HTML file per node with its form; and the locales
 * and icons, in the places where Node-RED looks for them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expandParts } from './expand-parts.mjs';
import { replaceFolder } from './replace-folder.mjs';
import './text-params.mjs';
import { repositoryUrl } from './repository.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');
// A running Node-RED must never find half a build, so it is made elsewhere and then moved.
const output = path.join(root, `dist.${process.pid}`);
/** Node-RED serves this folder to the editor as `resources/<package>`. */
const RESOURCES = 'resources';
const RUNTIME = 'cloud-drive.js';
/** src/index. The nodes load it on first use: it would take most of the time that loading takes. */
const CLIENT = 'drive-client.js';
const INDEX = 'index.js';
/** The modules of `src` that both the client and nodes without a client need. */
const BASE = 'base.js';
const BASE_MODULES = ['errors', ...modulesIn('src/core').map((name) => `core/${name}`)];
/**
 * Packages that are bundled, each into a file that is loaded on first use, with the names of these files: see
 * src/backup/archive/age.ts, src/backup/restic/{compression,crypto}.ts and src/drive/mime-types.ts.
 */
const LIBRARIES = {
  '@noble/ciphers/_poly1305.js': 'poly1305',
  'age-encryption': 'age-encryption',
  'mime-types': 'mime-types',
  fzstd: 'fzstd',
};
/** What is used of a package that has much more. */
const EXPORTS = {
  'age-encryption': '{ Decrypter, Encrypter, Stanza, generateX25519Identity, identityToRecipient }',
};
/** The code of worker threads. */
const WORKERS = ['backup/archive/archive-worker.ts', 'backup/restic/snapshot-worker.ts'];
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
  // A quarter of the code. With lines and names, so that a stack trace still says where something failed.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  tsconfig: path.join(root, 'tsconfig.json'),
  plugins: [{ name: 'files', setup: resolveBuiltFiles }],
};
const nodes = readdirSync(path.join(root, 'nodes')).filter((name) => name !== 'shared');

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
/** Documents are linked there, because the package doesn't contain them. */
const repository = repositoryUrl(manifest);
const editorUrl = `${RESOURCES}/${manifest.name}/editor.js`;
/** Its editor page loads the editor code, because it comes first in package.json. */
const FIRST_NODE = 'account';
/** For the other pages, if the first one is disabled in the palette, or arrives later after an installation. */
const LOAD_IF_MISSING = `if (!window.cloudDriveEditor) $.ajax({ url: '${editorUrl}', dataType: 'script', cache: true, async: false });
`;

function modulesIn(folder) {
  const files = readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.ts'));
  return files.map((file) => path.parse(file).name);
}

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
try {
  const tsconfig = path.join(root, 'tsconfig.json');
  // Incremental: unchanged files take a third of the time.
  const checked = path.join(root, 'node_modules/.cache/typescript/runtime.tsbuildinfo');
  const args = ['-p', tsconfig, '--incremental', '--tsBuildInfoFile', checked];
  execFileSync(process.execPath, [tsc, ...args], { stdio: 'inherit' });
  await buildClient();
  await Promise.all([
    buildRuntime(),
    buildWorkers(),
    ...Object.entries(LIBRARIES).map(buildLibrary),
    buildEditorCode(),
  ]);
  nodes.forEach(buildEditorPage);
  nodes.forEach(buildLocales);
  cpSync(path.join(root, 'icons'), path.join(output, 'nodes/icons'), { recursive: true });
  replaceFolder(path.join(output, RESOURCES), path.join(root, RESOURCES));
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
  for (const node of nodes) write(`${node}.js`, `module.exports = require('../${RUNTIME}')['${node}'];\n`);
}

/** Bundles `src` into two files, the base and the client that uses it, and creates the index of both. */
async function buildClient() {
  const contents = BASE_MODULES.map((module) => `export * from './src/${module}';\n`).join('');
  await build({
    stdin: { contents, resolveDir: root },
    outfile: path.join(output, BASE),
    ...RUNTIME_OPTIONS,
  });
  await build({
    entryPoints: [path.join(root, 'src/index.ts')],
    outfile: path.join(output, CLIENT),
    ...RUNTIME_OPTIONS,
    plugins: [{ name: 'base', setup: shareBase }, ...RUNTIME_OPTIONS.plugins],
  });
  writeIndex();
}

/** The base must exist only once: the nodes recognize errors of the client by their class. */
function shareBase({ onResolve }) {
  const filter = new RegExp(`/(${BASE_MODULES.map((module) => module.replace(/.*\//, '')).join('|')})$`);
  onResolve({ filter }, ({ path: imported, resolveDir }) => {
    const module = path.relative(path.join(root, 'src'), path.join(resolveDir, imported));
    const isBase = BASE_MODULES.includes(module.replaceAll(path.sep, '/'));
    return isBase ? { path: `./${BASE}`, external: true } : undefined;
  });
}

/** Creates the module that nodes import in place of src/index. It loads the client when one of its exports is read. */
function writeIndex() {
  const load = createRequire(import.meta.url);
  const base = load(path.join(output, BASE));
  const names = Object.keys(load(path.join(output, CLIENT)));
  const exports = names.map((name) =>
    name in base ? `${name}: base.${name}` : `get ${name}() { return client().${name}; }`,
  );
  writeFileSync(
    path.join(output, INDEX),
    `const base = require('./${BASE}');
let loaded;
const client = () => (loaded ??= require('./${CLIENT}'));
module.exports = {
  ${exports.join(',\n  ')},
};
`,
  );
}

/** Bundles the code of the worker threads, which is loaded on first use: see src/core/threads/call-thread.ts. */
async function buildWorkers() {
  await build({
    entryPoints: WORKERS.map((file) => path.join(root, 'src', file)),
    outdir: output,
    entryNames: '[name]',
    ...RUNTIME_OPTIONS,
  });
}

/** Replaces paths of files that aren't bundled by those of the built files. */
function resolveBuiltFiles({ onResolve }) {
  const filter = new RegExp(`^(${Object.keys(LIBRARIES).join('|')})$`);
  onResolve({ filter }, ({ path: library }) => ({
    path: `./libraries/${LIBRARIES[library]}.js`,
    external: true,
  }));
  onResolve({ filter: /^\.\/(?:archive|snapshot)-worker$/ }, ({ path: file }) => ({
    path: `${file}.js`,
    external: true,
  }));
  onResolve({ filter: /\/src\/index$/ }, () => ({ path: `./${INDEX}`, external: true }));
  const texts = './texts/en-US/account.json';
  onResolve({ filter: /\/locales\/en-US\/account\.json$/ }, () => ({ path: texts, external: true }));
}

/** Bundles a package with its dependencies, and their licenses. */
async function buildLibrary([library, name]) {
  const { metafile } = await build({
    stdin: { contents: `export ${EXPORTS[library] ?? '*'} from '${library}';\n`, resolveDir: root },
    outfile: path.join(output, `libraries/${name}.js`),
    alias: sharedPackages(),
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
    plugins: [{ name: 'mime-db', setup: shrinkMimeDatabase }],
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

/** age-encryption and a package that it uses have two versions of these. The older one is right for both, and half the code. */
function sharedPackages() {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@noble/post-quantum/ml-kem.js'));
  const folderOf = (file) => PACKAGE_FOLDER.exec(resolve(file))[0];
  return {
    '@noble/curves': folderOf('@noble/curves/ed25519.js'),
    '@noble/hashes': folderOf('@noble/hashes/sha3.js'),
  };
}

/** Bundles the editor code of all nodes into one script, which has no effect if it is loaded twice. */
async function buildEditorCode() {
  const pages = nodes.map((node) => `import './nodes/${node}/${node}.editor';\n`).join('');
  const contents = `${pages}export { nodeDefinitions } from './nodes/shared/editor/node-definitions';\n`;
  await build({
    stdin: { contents, resolveDir: root },
    outfile: path.join(output, RESOURCES, 'editor.js'),
    bundle: true,
    format: 'iife',
    globalName: 'cloudDriveEditor',
    banner: { js: 'if (!window.cloudDriveEditor)' },
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
    minifyWhitespace: true,
    minifySyntax: true,
    define: { REPOSITORY_URL: JSON.stringify(repository ?? '') },
    tsconfig: path.join(root, 'tsconfig.editor.json'),
  });
  // The script contains this package's code.
  cpSync(path.join(root, 'node_modules/uqr/LICENSE'), path.join(output, RESOURCES, 'LICENSE-uqr.txt'));
}

/** Only a third of the MIME types have extensions, and the others take most of the space. */
function shrinkMimeDatabase({ onLoad }) {
  onLoad({ filter: /mime-db\/db\.json$/ }, ({ path: file }) => {
    const types = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
    const all = types.flatMap(([, { extensions = [] }]) => extensions);
    const ambiguous = new Set(all.filter((extension, index) => all.indexOf(extension) !== index));
    // The source only decides between types with the same extension.
    const used = types.flatMap(([type, { source, extensions }]) => {
      if (!extensions) return [];
      return [
        [type, extensions.some((each) => ambiguous.has(each)) ? { source, extensions } : { extensions }],
      ];
    });
    return { contents: JSON.stringify(Object.fromEntries(used)), loader: 'json' };
  });
}

/** Creates a node's HTML file: a script that registers it, followed by its form. */
function buildEditorPage(node) {
  const form = readFileSync(path.join(root, 'nodes', node, `${node}.form.html`), 'utf8');
  const rows = path.join(root, 'nodes/shared/editor/rows');
  const type = `cloud-drive-${node}`;
  const script = `<script type="text/javascript">
${node === FIRST_NODE ? '' : LOAD_IF_MISSING}RED.nodes.registerType('${type}', cloudDriveEditor.nodeDefinitions['${type}']);
</script>`;
  const shared = node === FIRST_NODE ? `<script src="${editorUrl}"></script>\n` : '';
  write(`${node}.html`, `${shared}${script}\n\n${expandParts(form, 'row', rows)}`);
}

/** Copies a node's texts, and its help with the shared parts inserted. */
function buildLocales(node) {
  const folder = path.join(root, 'nodes', node, 'locales');
  for (const language of readdirSync(folder)) {
    const texts = readFileSync(path.join(folder, language, `${node}.json`), 'utf8');
    const help = readFileSync(path.join(folder, language, `${node}.html`), 'utf8');
    const parts = path.join(root, 'nodes/shared/help', language);
    writeTexts(node, language, JSON.parse(texts));
    write(`locales/${language}/${node}.html`, linkDocs(expandParts(help, 'help', parts)));
  }
}

/** Writes the texts that only the runtime uses into a file of their own: see nodes/shared/runtime/catalogue.ts. */
function writeTexts(node, language, { errors, warnings, page, result, ...texts }) {
  write(`locales/${language}/${node}.json`, JSON.stringify(texts));
  if (errors) write(`../texts/${language}/${node}.json`, JSON.stringify({ errors, warnings, page, result }));
}

/**
 * Makes `docs:errors.md` an absolute URL: a relative one would lead to Node-RED's own server. Without a repository, the
 * text of the link names the file instead.
 */
function linkDocs(html) {
  if (repository) return html.replaceAll('href="docs:', `href="${repository}/blob/HEAD/docs/`);
  return html.replace(/<a href="docs:([^"#]+)[^>]*>(.*?)<\/a>/g, '$2 (<code>docs/$1</code>)');
}

/** @param name below `nodes`: one folder for all nodes, because a folder takes as much space as many texts */
function write(name, text) {
  const file = path.join(output, 'nodes', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
