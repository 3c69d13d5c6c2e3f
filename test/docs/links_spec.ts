/** Every relative link of the documentation is valid, and every image is used. No network is needed. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT } from '../support/node-red/built-package';
import { documents, readDocument } from './markdown';

const MAX_LINES = 100;
const MAX_IMAGES = 4;
const MAX_IMAGE_BYTES = 400_000;
/** External links. Any other URL is a mistake. */
const EXTERNAL = /^https:\/\/[\w.-]+\.(?:com|org|dev|io)\//;

describe('links in the documentation', () => {
  it('every link leads to an existing file and heading', async () => {
    const broken: string[] = [];
    for (const { file, links } of await documents()) {
      for (const link of links.filter((each) => !EXTERNAL.test(each))) {
        const [where = '', heading] = link.split('#');
        const target = where === '' ? file : path.posix.join(path.posix.dirname(file), where);
        const found = existsSync(path.join(ROOT, target));
        const isAnchor = async (): Promise<boolean> =>
          heading === undefined || (await readDocument(target)).anchors.includes(heading);
        if (!found || !(await isAnchor())) broken.push(`${file}: ${link}`);
      }
    }
    broken.should.eql([]);
  });

  it('every document can be reached from the README', async () => {
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

describe('images in the documentation', () => {
  it('every image is used', async () => {
    const used = (await documents()).flatMap(({ pictures }) => pictures.map((each) => path.basename(each)));
    const there = readdirSync(path.join(ROOT, 'docs/images'));
    there.filter((name) => !used.includes(name)).should.eql([]);
  });

  it('every image has an alternative text', async () => {
    for (const { file, text } of await documents()) {
      text.should.not.match(/!\[\s*\]/, file);
    }
  });

  it('README has few and small images, and is short', async () => {
    const { pictures, text } = await readDocument('README.md');
    pictures.length.should.be.within(1, MAX_IMAGES);
    const bytes = pictures.map((each) => statSync(path.join(ROOT, each)).size);
    bytes.reduce((sum, size) => sum + size, 0).should.be.below(MAX_IMAGE_BYTES);
    text.split('\n').length.should.be.belowOrEqual(MAX_LINES);
  });

  it('the SVG image has a title and loads no external resources', async () => {
    const { text } = await readDocument('docs/how-it-works.md');
    text.should.containEql('images/how-it-works.svg');
    const drawing = readFileSync(path.join(ROOT, 'docs/images/how-it-works.svg'), 'utf8');
    drawing.should.match(/<title [^>]*>[^<]{20,}<\/title>/);
    drawing.replace('http://www.w3.org/2000/svg', '').should.not.match(/https?:|@import|<script|href/);
  });
});
