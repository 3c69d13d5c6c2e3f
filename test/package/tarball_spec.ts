/** What `npm pack` puts into the package, file by file; and what a user has on the disk after installing it. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';
import { npm } from '../support/run/npm';

interface Packed {
  unpackedSize: number;
  files: { path: string }[];
}

/** Bytes, and packages with this one. */
const MOST_INSTALLED = 6_000_000;
const MOST_PACKAGES = 35;

/** Of what is bundled into an editor page. */
const BUNDLED_LICENCE = /^dist\/nodes\/[\w-]+\/LICENSE-[\w-]+\.txt$/;

describe('the packed package', function () {
  this.timeout(60_000);
  let packed: Packed;

  before(async () => {
    ensureBuilt();
    // Without the scripts: another build now would pull the ground from under the tests beside this one.
    const listed = await npm(['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']);
    [packed] = JSON.parse(listed) as [Packed];
  });

  it('holds what Node-RED and people look up, and nothing else', () => {
    const expected = [
      ...['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
      ...filesIn('examples'),
      ...filesIn('icons').map((file) => `dist/nodes/account/${file}`),
      'dist/cloud-drive.js',
      ...filesIn('nodes').flatMap(builtFrom),
    ];
    const files = packed.files.map((file) => file.path);
    const tooMany = files.filter((file) => !expected.includes(file) && !BUNDLED_LICENCE.test(file));
    tooMany.should.be.empty();
    expected.filter((file) => !files.includes(file)).should.be.empty();
  });

  it('is small when installed, with all it needs', async () => {
    const [own, ...others] = await production();
    const sizes = others.map(sizeOf);
    const total = sizes.reduce((sum, size) => sum + size, packed.unpackedSize);
    own!.should.equal(ROOT);
    (others.length + 1).should.be.within(2, MOST_PACKAGES);
    total.should.be.below(MOST_INSTALLED);
  });
});

/** What the build makes of a source, by path from the root. */
function builtFrom(source: string): string[] {
  const built = `dist/${source}`;
  if (source.includes('/locales/')) return [built];
  if (source.endsWith('.form.html')) return [built.replace('.form.html', '.html')];
  // The rest is in the one file that all nodes are taken from.
  return /^nodes\/([\w-]+)\/\1\.ts$/.test(source) ? [built.replace(/ts$/, 'js')] : [];
}

/** Folders of this package and of all that it needs when it is installed. */
async function production(): Promise<string[]> {
  const listed = await npm(['ls', '--omit=dev', '--all', '--parseable', '--loglevel=error']);
  return listed.trim().split('\n');
}

/** Bytes of a package's own files. */
function sizeOf(folder: string): number {
  const sizes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.name === 'node_modules') return 0;
    return entry.isDirectory() ? sizeOf(file) : statSync(file).size;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function filesIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(inside) : [inside];
  });
}
