/** The tables in docs/scale.md equal the requests counted at the local drive. `SCALE=write` updates them. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import 'should';
import { ROOT } from '../support/node-red/built-package';
import { ACCESS_TOKEN } from '../support/node-red/account';
import { useDrive } from '../support/node-red/flow-drive';
import { useNodeRed } from '../support/node-red/load';
import { type Cost, SNAPSHOT_NAMES, SNAPSHOTS_FROM, costs, folderOf } from './scale';
import { itLong } from '../support/run/long';

const FILE = path.join(ROOT, 'docs/scale.md');
const SIZES = [10, 100, 1_000, 10_000];
/** https://developers.google.com/workspace/drive/api/guides/limits: quota units a minute, of one user and of a project. */
const OF_USER = 325_000;
/** A day and project: above it, Google will charge. */
const FREE_PER_DAY = 400_000_000;
/** The default of an account. */
const PACE = 10;

const number = (value: number): string => value.toLocaleString('en-US');

describe('docs/scale.md', () => {
  useNodeRed();
  const drive = useDrive({ token: ACCESS_TOKEN });
  /** By the number of files. */
  const counted = new Map<number, Map<string, Cost>>();

  before(async () => {
    for (const size of SIZES) counted.set(size, await costs(drive(), await folderOf(drive(), size)));
  });

  const at = (size: number, name: string): Cost => counted.get(size)!.get(name)!;

  itLong('docs/scale.md has the cost of each operation', async () => {
    const names = [...counted.get(10)!.keys()];
    await expectTable('operations', rowsOf(names, SIZES));
  });

  itLong(
    'docs/scale.md has the cost of snapshots, whose packs are in folders with random names',
    async () => {
      const sizes = SIZES.filter((size) => size >= SNAPSHOTS_FROM);
      await expectTable('snapshots', rowsOf(SNAPSHOT_NAMES, sizes), { isExact: false });
    },
  );

  const rowsOf = (names: readonly string[], sizes: readonly number[]): string[][] => [
    ['', ...sizes.map((size) => `${number(size)} files`), 'quota units', 'KiB'],
    ['---', ...sizes.map(() => '---:'), '---:', '---:'],
    ...names.map((name) => {
      const most = at(10_000, name);
      const requests = sizes.map((size) => number(at(size, name).requests));
      return [name, ...requests, number(most.units), roughly(most.bytes / 1_024)];
    }),
  ];

  itLong('docs/scale.md has the cost of several Node-REDs on one account', async () => {
    const backup = ['upload, a new file', 'prune, one file to remove'].map((name) => at(1_000, name).units);
    const workloads: [name: string, units: number][] = [
      [
        'uploads a backup per minute and prunes a folder of 1,000',
        backup.reduce((sum, units) => sum + units, 0),
      ],
      ['watches with one check every 60 s', at(1_000, '… a check without changes').units],
      ['lists a folder of 1,000 every second', 60 * at(1_000, 'search files in the folder').units],
      ['lists without pause', 60 * PACE * 100],
      ['downloads small files without pause', (60 * PACE * at(10, 'download, by ID').units) / 2],
    ];
    await expectTable('node-reds', [
      ['each instance', '1', '10', '100', 'per user', 'free per project'],
      ['---', '---:', '---:', '---:', '---:', '---:'],
      ...workloads.map(([name, units]) => [
        name,
        ...[1, 10, 100].map((count) => number(count * units)),
        number(Math.floor(OF_USER / units)),
        number(Math.floor(FREE_PER_DAY / (24 * 60 * units))),
      ]),
    ]);
  });
});

/** Sizes vary by a few bytes between runs. */
function roughly(value: number): string {
  return number(value < 10 ? Math.round(value) : Number(value.toPrecision(2)));
}

/** Compares the table between the markers, or writes it with `SCALE=write`. */
async function expectTable(
  name: string,
  rows: readonly (readonly string[])[],
  { isExact } = { isExact: true },
): Promise<void> {
  const [begin, end] = [`<!-- scale:${name} -->`, `<!-- /scale:${name} -->`];
  const text = readFileSync(FILE, 'utf8');
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (process.env['SCALE'] === 'write') {
    const table = rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
    const written = `${text.slice(0, from)}\n\n${table}\n\n${text.slice(to)}`;
    writeFileSync(FILE, await format(written, { ...(await resolveConfig(FILE)), parser: 'markdown' }));
    return;
  }
  const lines = text.slice(from, to).trim().split('\n');
  const documented = lines.map((line) => line.split('|').slice(1, -1));
  const texts = (table: readonly (readonly string[])[]): string[] =>
    table.map((cells) => cells.map((cell) => cell.trim().replace(/^-+/, '---')).join(' | '));
  const firstRough = isExact ? SIZE : 1;
  const exact = (cells: readonly string[]): readonly string[] => cells.slice(0, firstRough);
  texts(documented.map(exact)).should.eql(texts(rows.map(exact)));
  for (const [index, cells] of rows.entries())
    for (let column = firstRough; column < cells.length; column++)
      closeTo(documented[index]![column], cells[column], isExact ? 1 : LEEWAY[column]);
}

/** The column with KiB, the last one. */
const SIZE = 6;
/** Two folders for packs more or fewer, in requests and in quota units. */
const LEEWAY: readonly number[] = [0, 2, 2, 100, 5];

function closeTo(documented = '', counted = '', leeway = 1): void {
  const [written, now] = [documented, counted].map((cell) => Number(cell.replaceAll(',', '')));
  if (now === undefined || written === undefined || Number.isNaN(now)) return;
  written.should.be.approximately(now, Math.max(leeway, now / 10));
}
