/**
 * What the package's code imports, for types alone too: nothing in a circle, no other package than those that are
 * installed with it, and in the editor's pages none without its licence.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import 'should';
import { preProcessFile } from 'typescript';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';

const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/** Give types only. */
const TYPES = ['node-red', 'express'];

describe('the imports of the package', () => {
  /** Of each module, by path from the root: what it imports, paths and packages. */
  const imports = new Map(['src', 'nodes'].flatMap(modulesIn).map((file) => [file, importsOf(file)]));
  const packagesOf = (files: string[]): string[] => {
    const names = files.flatMap((file) => imports.get(file)!).filter((name) => !imports.has(name));
    return [...new Set(names)].filter((name) => !isBuiltin(name) && !/^(src|nodes)\//.test(name)).sort();
  };
  const isEditor = (file: string): boolean =>
    file.endsWith('.editor.ts') || file.startsWith('nodes/shared/editor/');

  it('never lead back to where they began', () => {
    imports.size.should.be.above(100);
    const circles = [...imports.keys()].map((file) => wayBack(imports, file));
    circles.filter((way) => way !== '').should.be.empty();
  });

  it('name no other package than those that are installed with it', () => {
    const packages = packagesOf([...imports.keys()].filter((file) => !isEditor(file)));
    packages.filter((name) => !TYPES.includes(name)).should.eql(Object.keys(dependencies).sort());
  });

  it('bring the licence of each package that is bundled into an editor page', () => {
    ensureBuilt();
    const packages = packagesOf([...imports.keys()].filter(isEditor));
    packages.should.not.be.empty();
    for (const name of packages) {
      existsSync(path.join(ROOT, `dist/nodes/account/LICENSE-${name}.txt`)).should.be.true(name);
    }
  });
});

function modulesIn(folder: string): string[] {
  const files = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`);
}

/** What is in the project by its path, where that is a module of it. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return preProcessFile(text).importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith('.')) return fileName;
    const from = path.posix.join(path.posix.dirname(file), fileName);
    return [`${from}.ts`, `${from}.d.ts`].find((each) => existsSync(path.join(ROOT, each))) ?? from;
  });
}

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
