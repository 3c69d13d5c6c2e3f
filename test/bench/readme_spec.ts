/** The benchmark table in the README. */
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
      targets: [
        {
          metric: 'wall',
          ours: { contestants: ['upload node'], values: [1] },
          peer: { contestant: 'curl', value: 2, as: 'times' },
          ...{ value: 0.5, bound: { atMost: 0.6 }, isMet: true },
        },
        {
          metric: 'growth',
          ours: { contestants: ['64 MiB', '4 GiB'], values: [20, 40.2] },
          ...{ value: 20.2, bound: { atMost: 16 }, isMet: false },
        },
        {
          metric: 'cpuCall',
          ours: { contestants: ['about node'], values: [0.5] },
          peer: { contestant: 'axios', value: 0.3, as: 'above' },
          ...{ value: 0.2, bound: { atMost: 0.25 }, isMet: true },
        },
        {
          metric: 'p99',
          ours: { contestants: ['about node'], values: [0.2] },
          peer: { contestant: 'axios', value: 0.3, as: 'above' },
          ...{ value: -0.1, bound: { atMost: 0.2 }, isMet: true },
        },
        {
          metric: 'packages',
          ours: { contestants: ['the package'], values: [33] },
          ...{ value: 33, bound: { atMost: 35 }, isMet: true },
        },
      ],
    },
  ],
});

const rowsOf = (text: string): string[] =>
  text.split('\n').map((line) => line.replace(/ +\|/g, ' |').replace(/\| +/g, '| '));

describe('writeReadme', () => {
  const disk = useDisk();

  it('writeReadme replaces the table between the markers with a row per target', async () => {
    const file = disk('README.md');
    const [before, after] = ['# Title\n', '\n## More\n\nText.\n'];
    await writeFile(file, `${before}\n<!-- bench -->\n<!-- /bench -->\n${after}`);
    await writeReadme([report('2042-01-01T10:00:00Z')], file);
    await writeReadme([report('2042-02-02T10:00:00Z'), { ...report('2042-02-03'), case: 'calls' }], file);
    const text = await readFile(file, 'utf8');
    text.should.startWith(before).and.endWith(after);
    const block = text.slice(before.length, -after.length);
    block.should.match(/^\n<!-- bench -->\n\n[^]*\n\n<!-- \/bench -->\n$/);
    const rows = rowsOf(block);
    for (const row of [
      '| Upload from disk, 1 GiB: wall, upload node | 1.00 s | curl: 2.00 s | × 0.50 | ≤ × 0.60 | met |',
      '| Upload from disk, 1 GiB: above idle, all alike | 20–40 MiB | | 20 MiB | ≤ 16 MiB | **not met** |',
      '| Upload from disk, 1 GiB: CPU a call, about node | 0.50 ms | axios: 0.30 ms | + 0.20 ms | ≤ + 0.25 ms | met |',
      '| Upload from disk, 1 GiB: p99, about node | 0.2 ms | axios: 0.3 ms | − 0.1 ms | ≤ + 0.2 ms | met |',
      '| Upload from disk, 1 GiB: packages, the package | 33 | | | ≤ 35 | met |',
    ]) {
      rows.filter((each) => each === row).should.have.length(2, row);
    }
    block.should.containEql('transfers: 5 rounds, 2042-02-02; calls: 5 rounds, 2042-02-03');
    block.should.containEql('A processor, 2 cores').and.not.containEql('2042-01-01');
  });

  it('writeReadme names the cases with a noisy machine', async () => {
    const file = disk('README.md');
    await writeFile(file, '<!-- bench -->\n<!-- /bench -->\n');
    await writeReadme(
      [
        { ...report('2042-02-02'), noise: ['slow'] },
        { ...report('2042-02-02'), case: 'calls' },
      ],
      file,
    );
    (await readFile(file, 'utf8')).should.containEql('The machine was noisy during transfers.');
  });

  it('writeReadme rejects a README without markers and keeps it unchanged', async () => {
    for (const text of ['# Title\n', '<!-- /bench -->\n<!-- bench -->\n']) {
      const file = disk('README.md');
      await writeFile(file, text);
      const said = /no lines <!-- bench --> and <!-- \/bench -->/;
      await writeReadme([report('2042-02-02')], file).should.be.rejectedWith(said);
      (await readFile(file, 'utf8')).should.equal(text);
    }
  });

  it('writeReadme updates the project README', async () => {
    const file = disk('README.md');
    const text = await readFile(README, 'utf8');
    await writeFile(file, text);
    await writeReadme([report('2042-02-02')], file);
    const written = await readFile(file, 'utf8');
    written.should.containEql('## Measured').and.containEql('2042-02-02');
    const formatted = await format(written, { ...(await resolveConfig(README)), parser: 'markdown' });
    written.should.equal(formatted);
  });
});
