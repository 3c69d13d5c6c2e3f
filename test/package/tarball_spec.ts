/** The files in the packed package, and its installed size. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';
import { LANGUAGES } from '../support/languages';
import { npm } from '../support/run/npm';

interface Packed {
  unpackedSize: number;
  files: { path: string; size: number }[];
}

/** What `du -sk --apparent-size` shows of everything that `npm install --omit=dev` adds, and the packages. */
const MAX_INSTALLED_KIB = 6_250;
const MAX_PACKAGES = 35;
/** Bytes that du counts for each folder. */
const FOLDER = 4096;
/** Bytes of what the editor loads of all nodes: code with forms, and texts in one language. */
const MAX_EDITOR_BYTES = 320_000;
const MAX_TEXT_BYTES = 60_000;

/** Bundled packages that are loaded on first use, and the licenses of these and of those bundled into the editor. */
const BUNDLED = /^(dist\/libraries\/[\w-]+\.js|(resources|dist\/libraries)\/LICENSE-[\w-]+\.txt)$/;

describe('the packed package', () => {
  let packed: Packed;

  before(async () => {
    ensureBuilt();
    // Without scripts, because a build would disturb tests that run in parallel.
    const listed = await npm(['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']);
    [packed] = JSON.parse(listed) as [Packed];
  });

  it('the packed package contains exactly the expected files', () => {
    const expected = [
      ...['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
      ...filesIn('examples'),
      ...filesIn('icons').map((file) => `dist/nodes/${file}`),
      ...['archive-worker', 'base', 'cloud-drive', 'drive-client', 'index', 'snapshot-worker'].map(
        (name) => `dist/${name}.js`,
      ),
      'resources/editor.js',
      ...LANGUAGES.map((language) => `dist/texts/${language}/account.json`),
      ...filesIn('nodes').flatMap(builtFrom),
    ];
    const files = packed.files.map((file) => file.path);
    const tooMany = files.filter((file) => !expected.includes(file) && !BUNDLED.test(file));
    tooMany.should.be.empty();
    expected.filter((file) => !files.includes(file)).should.be.empty();
  });

  it('the editor loads little code: the forms of all nodes, and one script', () => {
    const loaded = packed.files.filter(({ path: file }) =>
      /^dist\/nodes\/[\w-]+\.html$|^resources\/.*\.js$/.test(file),
    );
    loaded.should.have.length(18);
    loaded.reduce((sum, { size }) => sum + size, 0).should.be.below(MAX_EDITOR_BYTES);
  });

  for (const language of LANGUAGES) {
    it(`the editor loads few texts in ${language}`, () => {
      const texts = packed.files.filter(({ path: file }) =>
        file.startsWith(`dist/nodes/locales/${language}/`),
      );
      const sizes = texts.map(({ path: file, size }) => (file.endsWith('.json') ? size : 0));
      sizes.reduce((sum, size) => sum + size, 0).should.be.within(10_000, MAX_TEXT_BYTES);
    });
  }

  it('the installed package and its dependencies are small', async () => {
    const [own, ...others] = await production();
    const folders = new Set(packed.files.map(({ path: file }) => path.dirname(file)));
    const sizes = [packed.unpackedSize, FOLDER * folders.size, ...others.map(sizeOf)];
    const total = sizes.reduce((sum, size) => sum + size);
    own!.should.equal(ROOT);
    (others.length + 1).should.be.within(2, MAX_PACKAGES);
    (total / 1024).should.be.below(MAX_INSTALLED_KIB);
  });
});

/** The built files of a source: those of all nodes are in one folder. */
function builtFrom(source: string): string[] {
  const built = (file: string): string => `dist/nodes/${file.split('/').slice(2).join('/')}`;
  if (source.includes('/locales/')) return [built(source)];
  if (source.endsWith('.form.html')) return [built(source.replace('.form.html', '.html'))];
  // All other code is bundled into one file.
  return /^nodes\/([\w-]+)\/\1\.ts$/.test(source) ? [built(source.replace(/ts$/, 'js'))] : [];
}

/** Folders of this package and its production dependencies. */
async function production(): Promise<string[]> {
  const listed = await npm(['ls', '--omit=dev', '--all', '--parseable', '--loglevel=error']);
  return listed.trim().split('\n');
}

/** Bytes of a package's own files and folders. */
function sizeOf(folder: string): number {
  const sizes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.name === 'node_modules') return 0;
    return entry.isDirectory() ? sizeOf(file) : statSync(file).size;
  });
  return sizes.reduce((sum, size) => sum + size, FOLDER);
}

function filesIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(inside) : [inside];
  });
}
