/** Parts that forms and help pages share are inserted by the build. */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import 'should';
import { LANGUAGES, SOURCE_LANGUAGE, helpOf } from '../support/languages';
import { ROOT } from '../support/node-red/built-package';

interface Module {
  expandParts: (html: string, kind: string, folder: string) => string;
}

const HELP = path.join(ROOT, 'nodes/shared/help');
const REFERENCE = /<!-- help: ([\w-]+) -->/g;
const partsOf = async (language: string): Promise<string[]> =>
  (await readdir(path.join(HELP, language))).map((file) => path.basename(file, '.html')).sort();

describe('expandParts', () => {
  let folder: string;
  let expandParts: Module['expandParts'];
  before(async () => {
    const url = pathToFileURL(path.join(ROOT, 'scripts/expand-parts.mjs')).href;
    ({ expandParts } = (await import(url)) as Module);
    folder = await mkdtemp(path.join(tmpdir(), 'expand-parts-'));
    await writeFile(path.join(folder, 'name.html'), '<div>\n\n  <i></i>\n</div>\n');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('inserts a part for each reference, with the indentation of its line', () => {
    const html = '<form>\n  <!-- row: name -->\n</form>\n<!-- row: name -->\n';
    expandParts(html, 'row', folder).should.equal(
      '<form>\n  <div>\n\n    <i></i>\n  </div>\n</form>\n<div>\n\n  <i></i>\n</div>\n',
    );
  });

  it('ignores references of another kind and other comments', () => {
    const html = '<!-- help: name -->\n<!-- a comment -->\n';
    expandParts(html, 'row', folder).should.equal(html);
  });

  it('fails if the part is missing', () => {
    (() => expandParts('<!-- row: other -->\n', 'row', folder)).should.throw(/other\.html/);
  });
});

describe('the shared parts of the help pages', () => {
  it('exist in every language, and each is used', async () => {
    const parts = await partsOf(SOURCE_LANGUAGE);
    for (const language of LANGUAGES) {
      (await partsOf(language)).should.eql(parts, language);
      const used = new Set<string>();
      for (const node of await readdir(path.join(ROOT, 'nodes'))) {
        if (node === 'shared') continue;
        const file = path.join(ROOT, 'nodes', node, 'locales', language, `${node}.html`);
        for (const [, part = ''] of (await readFile(file, 'utf8')).matchAll(REFERENCE)) used.add(part);
      }
      [...used].sort().should.eql(parts, language);
    }
  });

  it('are inserted into the built help pages', async () => {
    for (const language of LANGUAGES) {
      const help = helpOf('list-folders', language);
      help.should.not.match(REFERENCE);
      for (const part of await partsOf(language)) {
        const text = await readFile(path.join(HELP, language, `${part}.html`), 'utf8');
        // Without a repository, the build names the files of the documentation instead of linking to them.
        const named = text.replace(/<a href="docs:([^"#]+)[^>]*>(.*?)<\/a>/g, '$2 (<code>docs/$1</code>)');
        help.should.containEql(named).and.not.containEql('docs:');
      }
    }
  });
});
