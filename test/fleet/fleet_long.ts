/** A day of 10, 100 and 1,000 machines, and the table in docs/scale.md that is computed from it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import { type DayResult, simulateDay } from './simulate-day';

const DOCS = path.join(__dirname, '../../docs/scale.md');
/** Google's limits, in quota units per minute. https://developers.google.com/workspace/drive/api/guides/limits */
const PER_USER = 325_000;
const PER_PROJECT = 1_000_000;

function row(machines: number, jitter: number, day: DayResult): string {
  const number = (value: number): string => value.toLocaleString('en-US');
  const percent = (limit: number): string => `${Math.ceil((day.unitsPerMinute / limit) * 100)} %`;
  const cells = [
    ...[machines, jitter, day.tokens, day.requests, day.perSecond, day.unitsPerMinute].map(number),
    ...[percent(PER_USER), percent(PER_PROJECT)],
  ];
  return `| ${cells.join(' | ')} |`;
}

describe('the table of fleets in docs/scale.md', () => {
  for (const [machines, jitter] of [
    [10, 0],
    [100, 0],
    [1_000, 0],
  ] as const) {
    it(`${machines} machines with a delay of up to ${jitter} s are in the table, and lose or repeat no backup`, async () => {
      const day = await simulateDay({ machines, jitter });
      day.tokensPerHour.should.equal(1);
      day.archives.should.have.length(machines);
      for (const names of day.archives) names.should.eql(['data-2024-05-17-0001.tar.gz']);
      const text = (await readFile(DOCS, 'utf8')).replace(/ +/g, ' ');
      text.should.containEql(row(machines, jitter, day));
    }).timeout(1_800_000);
  }
});
