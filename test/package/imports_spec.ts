/** What the package imports: nothing in a circle, and no other package than those that are installed with it. */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import 'should';
import { ROOT } from '../support/built';

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  'node-red': { nodes: Record<string, string> };
};

describe('the imports of the package', () => {
  /** Of each module, by path: what it imports, paths and packages. */
  let imports: Map<string, string[]>;

  before(async () => {
    const nodes = Object.values(manifest['node-red'].nodes);
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: nodes.map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.ts')),
      ...{ bundle: true, packages: 'external', platform: 'node', format: 'cjs' },
      ...{ metafile: true, write: false, outdir: 'nowhere' },
    });
    imports = new Map(
      Object.entries(metafile.inputs).map(([file, input]) => {
        const paths = input.imports.map((each) => each.path);
        // What is imported for its types alone isn't looked for, and stays as it was written.
        return [file, paths.filter((each) => !each.startsWith('.'))];
      }),
    );
  });

  it('never lead back to where they began', () => {
    const circles = [...imports.keys()].map((file) => wayBack(imports, file));
    circles.filter((way) => way !== '').should.be.empty();
  });

  it('name no other package than those that are installed with it', () => {
    const listed = Object.keys(manifest.dependencies);
    const packages = [...imports.values()]
      .flat()
      .filter((name) => !isBuiltin(name) && !/^(src|nodes)\//.test(name));
    [...new Set(packages)].sort().should.eql(listed.sort());
  });
});

/** The shortest way from a module over its imports back to itself; `''` if there is none. */
function wayBack(imports: Map<string, string[]>, file: string): string {
  const seen = new Set<string>();
  let ways = [[file]];
  while (ways.length > 0) {
    const longer = ways.flatMap((way) => (imports.get(way.at(-1)!) ?? []).map((next) => [...way, next]));
    const found = longer.find((way) => way.at(-1) === file);
    if (found) return found.join(' → ');
    ways = longer.filter((way) => !seen.has(way.at(-1)!) && seen.add(way.at(-1)!));
  }
  return '';
}
