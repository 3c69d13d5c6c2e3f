/** A day of 10, 100 and 1,000 machines, and the table in docs/scale.md that is computed from it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { FAULTS } from './faults';
import { type DayOptions, type DayResult, simulateDay } from './simulate-day';

const DOCS = path.join(__dirname, '../../docs/scale.md');
/** Google's limits, in quota units per minute. https://developers.google.com/workspace/drive/api/guides/limits */
const PER_USER = 325_000;
const PER_PROJECT = 1_000_000;

/** In the order of the table. */
const ROWS: readonly DayOptions[] = [
  { machines: 10, jitter: 0 },
  { machines: 100, jitter: 0 },
  { machines: 1_000, jitter: 0 },
  { machines: 1_000, jitter: 1_200 },
];

function row({ machines, jitter }: DayOptions, day: DayResult): string {
  const number = (value: number): string => value.toLocaleString('en-US');
  const percent = (limit: number): string => `${Math.ceil((day.unitsPerMinute / limit) * 100)} %`;
  const cells = [
    ...[machines, jitter, day.tokens, day.requests, day.perSecond, day.unitsPerMinute].map(number),
    ...[percent(PER_USER), percent(PER_PROJECT)],
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Each machine has exactly one archive, and has requested a token at most once an hour. */
function check({ tokensPerHour, archives }: DayResult, machines: number): void {
  tokensPerHour.should.equal(1);
  archives.should.have.length(machines);
  for (const names of archives) names.should.eql(['data-2024-05-17-0001.tar.gz']);
}

describe('fleets', () => {
  for (const options of ROWS) {
    const { machines, jitter } = options;
    it(`${machines} machines with a delay of up to ${jitter} s are in the table of docs/scale.md`, async () => {
      const day = await simulateDay(options);
      check(day, machines);
      const lines = (await readFile(DOCS, 'utf8')).replace(/ +/g, ' ').split('\n');
      const start = `| ${machines.toLocaleString('en-US')} | ${jitter.toLocaleString('en-US')} |`;
      lines.filter((line) => line.startsWith(start)).should.eql([row(options, day)]);
    }).timeout(3_600_000);
  }

  it('1,000 machines lose and repeat no backup although responses are lost and requests fail', async () => {
    const day = await simulateDay({ machines: 1_000, jitter: 1_200, withFaults: true });
    check(day, 1_000);
    // One machine in fifty gets each fault.
    should([...day.faults.keys()].sort()).eql(FAULTS.map(({ title }) => title).sort());
    for (const [title, count] of day.faults) [title, count].should.eql([title, 20]);
    day.tokens.should.equal(24_020);
  }).timeout(3_600_000);
});
