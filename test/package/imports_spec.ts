/**
 * The imports of the package, including types: no cycles, only installed dependencies, and for each bundled package
 * a license and a mention in README.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import 'should';
import { preProcessFile } from 'typescript';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';

const { dependencies } = manifestOf();

/** Packages imported for types only. */
const TYPES = ['node-red', 'express'];
/** What the build bundles, because it is loaded on first use, with the names of packages and files: see scripts/build.mjs. */
const LIBRARIES: Readonly<Record<string, [name: string, file: string]>> = {
  '@noble/ciphers/_poly1305.js': ['@noble/ciphers', 'poly1305'],
  'age-encryption': ['age-encryption', 'age-encryption'],
  'mime-types': ['mime-types', 'mime-types'],
  fzstd: ['fzstd', 'fzstd'],
};

describe('the imports of the package', () => {
  /** The imported paths and packages of each module. */
  const imports = new Map(['src', 'nodes'].flatMap(modulesIn).map((file) => [file, importsOf(file)]));
  const packagesOf = (files: string[]): string[] => {
    const names = files.flatMap((file) => imports.get(file)!).filter((name) => !imports.has(name));
    return [...new Set(names)]
      .filter((name) => !isBuiltin(name) && !/^(src|nodes|generated)\//.test(name))
      .sort();
  };
  const isEditor = (file: string): boolean =>
    file.endsWith('.editor.ts') || file.startsWith('nodes/shared/editor/');

  it('the modules of the package have no import cycles', () => {
    imports.size.should.be.above(100);
    const circles = [...imports.keys()].map((file) => importCycle(imports, file));
    circles.filter((way) => way !== '').should.be.empty();
  });

  it('the package imports only its dependencies', () => {
    const packages = packagesOf([...imports.keys()].filter((file) => !isEditor(file)));
    const others = [...TYPES, ...Object.keys(LIBRARIES)];
    packages.filter((name) => !others.includes(name)).should.eql(Object.keys(dependencies).sort());
  });

  it('each bundled library is in a file of its own, with the licenses of its dependencies', () => {
    ensureBuilt();
    for (const [name, file] of Object.values(LIBRARIES)) {
      const { dependencies: needed = {} } = manifestOf(name);
      const licenses = readFileSync(path.join(ROOT, `dist/libraries/LICENSE-${file}.txt`), 'utf8');
      existsSync(path.join(ROOT, `dist/libraries/${file}.js`)).should.be.true(name);
      // bare-fs replaces `fs` in another runtime.
      for (const each of [name, ...Object.keys(needed)].filter((library) => library !== 'bare-fs')) {
        licenses.split('\n').should.containEql(each);
      }
    }
  });

  it('README names everything that is bundled', () => {
    const folders = ['dist/libraries', 'resources'].map((folder) => path.join(ROOT, folder));
    const files = folders.flatMap((folder) => readdirSync(folder).map((file) => path.join(folder, file)));
    const titles = files.filter((file) => /LICENSE-/.test(file)).flatMap(licensedPackages);
    const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
    titles.length.should.be.above(5);
    for (const title of titles) readme.should.containEql(title);
  });

  it('each package bundled into the editor has its license in the build', () => {
    ensureBuilt();
    const packages = packagesOf([...imports.keys()].filter(isEditor));
    packages.should.not.be.empty();
    for (const name of packages) {
      existsSync(path.join(ROOT, `resources/LICENSE-${name}.txt`)).should.be.true(name);
    }
  });
});

/** @param name of an installed package, by default this package */
function manifestOf(name?: string): { dependencies: Record<string, string> } {
  const folder = name === undefined ? ROOT : path.join(ROOT, 'node_modules', name);
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as ReturnType<typeof manifestOf>;
}

/** The packages whose licenses a file contains, each below its name; only one for the editor. */
function licensedPackages(file: string): string[] {
  if (!file.includes('libraries')) return [/LICENSE-(.*)\.txt$/.exec(file)![1]!];
  return readFileSync(file, 'utf8')
    .split(`${'-'.repeat(80)}\n\n`)
    .map((license) => license.split('\n')[0]!);
}

function modulesIn(folder: string): string[] {
  const files = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`);
}

/** Imported modules of the project as paths, others by name. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return preProcessFile(text).importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith('.')) return fileName;
    const from = path.posix.join(path.posix.dirname(file), fileName);
    return [`${from}.ts`, `${from}.d.ts`].find((each) => existsSync(path.join(ROOT, each))) ?? from;
  });
}

/** The shortest import cycle of a module; `''` if there is none. */
function importCycle(imports: Map<string, string[]>, file: string): string {
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
