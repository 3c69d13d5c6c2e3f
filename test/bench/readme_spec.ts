/** The benchmark table in bench/README.md. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeReadme } from '../../bench/harness/readme';
import type { Report } from '../../bench/harness/report';
import { useDisk } from '../support/disk';

const ROOT = path.join(__dirname, '../..');
const MARKERS = '<!-- bench -->\n<!-- /bench -->\n';

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
          peer: { contestant: 'tar | curl', value: 2, as: 'times' },
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
    {
      title: 'Memory of Node-RED',
      ...{ metrics: ['growth'], rows: [] },
      targets: [64, 4096].map((size) => ({
        metric: 'growth',
        ours: { contestants: [`download node, ${size} MiB`], values: [size === 64 ? 21.2 : 23.4] },
        ...{ value: 23.4, bound: { atMost: 64 }, isMet: true },
      })),
    },
    {
      title: 'Start of Node-RED',
      ...{ metrics: ['took'], rows: [] },
      targets: [
        {
          metric: 'took',
          ours: { contestants: ['Node-RED with the package'], values: [669] },
          peer: { contestant: 'Node-RED without it', value: 624, as: 'above' },
          ...{ value: 45, bound: { atMost: 60 }, isMet: true },
        },
      ],
    },
  ],
});

const withoutTable = (text: string): string => text.replace(/<!-- bench -->[^]*<!-- \/bench -->/, '');

const rowsOf = (text: string): string[] =>
  text.split('\n').map((line) => line.replace(/ +\|/g, ' |').replace(/\| +/g, '| '));

describe('writeReadme', () => {
  const disk = useDisk();

  /** Writes the file and updates it. @returns its new text */
  const written = async (text: string, ...rounds: (readonly Report[])[]): Promise<string> => {
    await writeFile(disk('README.md'), text);
    for (const reports of rounds) await writeReadme(reports, disk('README.md'));
    return readFile(disk('README.md'), 'utf8');
  };

  it('writeReadme replaces the table in bench/README.md with a row per target', async () => {
    // Not formatted by prettier.
    const [before, after] = ['# Title\n', '\n## More\n\n| a | b |\n|---|---|\n|  c|*d* |\n'];
    const text = await written(
      `${before}\n${MARKERS}${after}`,
      [report('2042-01-01T10:00:00Z')],
      [report('2042-02-02T10:00:00Z'), { ...report('2042-02-03'), case: 'calls' }],
    );
    text.should.startWith(before).and.endWith(after);
    const block = text.slice(before.length, -after.length);
    block.should.match(/^\n<!-- bench -->\n\n[^]*\n\n<!-- \/bench -->\n$/);
    const rows = rowsOf(block);
    for (const row of [
      '| Upload from disk, 1 GiB: wall time, upload node | 1.00 s | tar \\| curl: 2.00 s | × 0.50 | ≤ × 0.60 | met |',
      '| Upload from disk, 1 GiB: above idle, all sizes | 20–40 MiB | | 20 MiB | ≤ 16 MiB | **not met** |',
      '| Upload from disk, 1 GiB: CPU per call, about node | 0.50 ms | axios: 0.30 ms | + 0.20 ms | ≤ + 0.25 ms | met |',
      '| Upload from disk, 1 GiB: p99, about node | 0.2 ms | axios: 0.3 ms | − 0.1 ms | ≤ + 0.2 ms | met |',
      '| Upload from disk, 1 GiB: packages, the package | 33 | | | ≤ 35 | met |',
    ]) {
      rows.filter((each) => each === row).should.have.length(2, row);
    }
    block.should.containEql('transfers: 5 rounds, 2042-02-02; calls: 5 rounds, 2042-02-03');
    block.should.containEql('A processor, 2 cores').and.not.containEql('2042-01-01');
  });

  it('writeReadme names the cases with a noisy machine', async () => {
    const noisy = { ...report('2042-02-02'), noise: ['slow'] };
    const text = await written(MARKERS, [noisy, { ...report('2042-02-02'), case: 'calls' }]);
    text.should.containEql('The machine was noisy during transfers.');
  });

  it('writeReadme rejects a file without markers and keeps it unchanged', async () => {
    for (const text of ['# Title\n', '<!-- /bench -->\n<!-- bench -->\n']) {
      const said = /no lines <!-- bench --> and <!-- \/bench -->/;
      await written(text, [report('2042-02-02')]).should.be.rejectedWith(said);
      (await readFile(disk('README.md'), 'utf8')).should.equal(text);
    }
  });

  it('writeReadme updates the file of the project', async () => {
    const text = await readFile(path.join(ROOT, 'bench/README.md'), 'utf8');
    const updated = await written(text, [report('2042-02-02')]);
    updated.should.containEql('669 ms');
    withoutTable(updated).should.equal(withoutTable(text));
  });
});
