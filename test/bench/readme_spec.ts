import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { writeReadme } from '../../bench/harness/readme';
import type { Report } from '../../bench/harness/report';
import { useDisk } from '../support/disk';

const README = path.join(__dirname, '../../README.md');

const report = (date: string): Report => ({
  ...{ case: 'transfers', about: 'files', date, size: 2 ** 30, rounds: 5, seconds: 60 },
  machine: {
    ...{ cpu: 'A processor', cores: 2, memoryGiB: 24, system: 'Linux' },
    ...{ node: 'v20', openssl: '3.0', versions: { axios: '1.21' } },
  },
  noise: [],
  notes: [],
  tables: [
    {
      title: 'Upload from disk, 1 GiB',
      metrics: ['wall'],
      rows: [{ contestant: 'upload node', samples: [], metrics: { wall: { median: 1, least: 1, most: 2 } } }],
      targets: [{ says: 'wall of upload node', value: 0.5, atMost: 0.6, isMet: true }],
    },
  ],
});

describe("the bench's writer of the README", () => {
  const disk = useDisk();

  it('puts its tables between the marks of its case, in place of those before, and leaves the rest', async () => {
    const file = disk('README.md');
    const [before, after] = ['# Title\n\n<!-- bench:calls -->\n\nold\n', '\n## More\n\nText.\n'];
    await writeFile(file, `${before}\n<!-- bench:transfers -->\n<!-- /bench:transfers -->\n${after}`);
    await writeReadme(report('yesterday'), file);
    await writeReadme(report('today'), file);
    const text = await readFile(file, 'utf8');
    text.should.startWith(before).and.endWith(after);
    const block = text.slice(before.length, -after.length);
    block.should.match(/^\n<!-- bench:transfers -->\n\n[^]*\n\n<!-- \/bench:transfers -->\n$/);
    block.should.match(/\*\*Upload from disk, 1 GiB\*\*\n\n\| .*\n\| -.*\n\| upload node \| +1\.00 \|/);
    block.should.containEql('- met: wall of upload node: 0.50, at most 0.60').and.containEql('today');
    block.should.not.containEql('yesterday');
  });

  it('says which marks a README lacks, and leaves that as it was', async () => {
    for (const text of ['# Title\n', '<!-- /bench:transfers -->\n<!-- bench:transfers -->\n']) {
      const file = disk('README.md');
      await writeFile(file, text);
      const said = /no lines <!-- bench:transfers --> and <!-- \/bench:transfers -->/;
      await writeReadme(report('today'), file).should.be.rejectedWith(said);
      (await readFile(file, 'utf8')).should.equal(text);
    }
  });

  it('finds its place in the README of the project', async () => {
    const file = disk('README.md');
    const text = await readFile(README, 'utf8');
    await writeFile(file, text);
    await writeReadme(report('today'), file);
    const written = await readFile(file, 'utf8');
    written.should.containEql('## Measured').and.containEql('today');
    const formatted = await format(written, { ...(await resolveConfig(README)), parser: 'markdown' });
    written.should.equal(formatted);
  });
});
