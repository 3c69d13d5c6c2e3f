/** Every link of the documents leads somewhere, and every picture is looked at. Nothing is asked of the network. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT } from '../support/node-red/built-package';
import { anchor, documents, readDocument } from './markdown';

const MOST_LINES = 250;
const MOST_PICTURES = 4;
const MOST_BYTES = 400_000;
/** Anybody may be sent there; anything else is a mistake. */
const ELSEWHERE = /^https:\/\/[\w.-]+\.(?:com|org|dev)\//;

describe('the links of the documents', () => {
  it('lead to files and headings that there are', async () => {
    const broken: string[] = [];
    for (const { file, links } of await documents()) {
      for (const link of links.filter((each) => !ELSEWHERE.test(each))) {
        const [where = '', heading] = link.split('#');
        const target = where === '' ? file : path.posix.join(path.posix.dirname(file), where);
        const found = existsSync(path.join(ROOT, target));
        const anchors = found && heading !== undefined ? await anchorsOf(target) : [];
        if (!found || (heading !== undefined && !anchors.includes(heading))) broken.push(`${file}: ${link}`);
      }
    }
    broken.should.eql([]);
  });

  it('reach every document from the README', async () => {
    const reached = new Set<string>();
    const follow = async (file: string): Promise<void> => {
      if (reached.has(file) || !file.endsWith('.md')) return;
      reached.add(file);
      for (const link of (await readDocument(file)).links.filter((each) => !each.includes('://'))) {
        const [where = ''] = link.split('#');
        if (where !== '') await follow(path.posix.join(path.posix.dirname(file), where));
      }
    };
    await follow('README.md');
    const all = (await documents()).map(({ file }) => file);
    all.filter((file) => !reached.has(file)).should.eql([]);
  });
});

async function anchorsOf(file: string): Promise<string[]> {
  const seen = new Map<string, number>();
  return (await readDocument(file)).headings.map((heading) => {
    const name = anchor(heading);
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  });
}

describe('the pictures of the documents', () => {
  it('are all looked at somewhere', async () => {
    const used = (await documents()).flatMap(({ pictures }) => pictures.map((each) => path.basename(each)));
    const there = readdirSync(path.join(ROOT, 'docs/images'));
    there.filter((name) => !used.includes(name)).should.eql([]);
  });

  it('say what they show to those who do not see them', async () => {
    for (const { file, text } of await documents()) {
      text.should.not.match(/!\[\s*\]/, file);
    }
  });

  it('of the README are few and small, and so is the README', async () => {
    const { pictures, text } = await readDocument('README.md');
    pictures.length.should.be.within(1, MOST_PICTURES);
    const bytes = pictures.map((each) => statSync(path.join(ROOT, each)).size);
    bytes.reduce((sum, size) => sum + size, 0).should.be.below(MOST_BYTES);
    text.split('\n').length.should.be.belowOrEqual(MOST_LINES);
  });

  it('that are drawn fetch nothing and have a title', async () => {
    const { text } = await readDocument('docs/how-it-works.md');
    text.should.containEql('images/how-it-works.svg');
    const drawing = readFileSync(path.join(ROOT, 'docs/images/how-it-works.svg'), 'utf8');
    drawing.should.match(/<title [^>]*>[^<]{20,}<\/title>/);
    drawing.replace('http://www.w3.org/2000/svg', '').should.not.match(/https?:|@import|<script|href/);
  });
});
