/** What the package imports: nothing in a circle, and no other package than those that are installed with it. */
import { readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import 'should';
import { ROOT, ensureBuilt } from '../support/built';

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

const BUILT = path.join(ROOT, 'dist');

describe('the imports of the package', () => {
  /** By path, without the ending: what each module imports, paths and packages. */
  let imports: Map<string, string[]>;

  before(() => {
    ensureBuilt();
    const files = ['src', 'nodes'].flatMap(modules);
    imports = new Map(files.map((file) => [file.replace(/\.js$/, ''), importsOf(file)]));
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

/** As Node.js would find them; what is imported for its types alone is not there any more. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(BUILT, file), 'utf8');
  return [...text.matchAll(/\brequire\("([^"]+)"\)|\brequire\('([^']+)'\)/g)].map(
    ([, name = '', or = name]) => (or.startsWith('.') ? path.posix.join(path.posix.dirname(file), or) : or),
  );
}

function modules(folder: string): string[] {
  return readdirSync(path.join(BUILT, folder), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return modules(inside);
    return entry.name.endsWith('.js') ? [inside] : [];
  });
}
