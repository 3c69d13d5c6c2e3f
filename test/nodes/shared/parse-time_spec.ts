/** Times that a user types in a dialog: docs/nodes/search-files.md. */
import 'should';
import should from 'should';
import { parseTime } from '../../../nodes/shared/contract/parse-time';

const NOW = new Date(2026, 4, 31, 12, 0, 0).getTime();
const DAY = 86_400_000;

describe('parseTime', () => {
  const cases: [string, number][] = [
    ['2026-05-30', new Date(2026, 4, 30).getTime()],
    ['2026-05-30 08:15', new Date(2026, 4, 30, 8, 15).getTime()],
    ['2026-05-30T08:15:30', new Date(2026, 4, 30, 8, 15, 30).getTime()],
    ['2026-05-30T08:15:30Z', Date.UTC(2026, 4, 30, 8, 15, 30)],
    ['2026-05-30T08:15:30.250+02:00', Date.UTC(2026, 4, 30, 6, 15, 30, 250)],
    ['30 days', NOW - 30 * DAY],
    ['1 day', NOW - DAY],
    ['1.5 hours', NOW - DAY / 16],
    ['90minutes', NOW - DAY / 16],
    ['2 Weeks', NOW - 14 * DAY],
    ['1 month', new Date(2026, 3, 30, 12).getTime()],
    ['3 months', new Date(2026, 1, 28, 12).getTime()],
    ['2 years', new Date(2024, 4, 31, 12).getTime()],
  ];
  for (const [text, time] of cases) {
    it(`parseTime parses ${text}`, () => {
      should(parseTime(text, NOW)).equal(time);
    });
  }

  for (const text of [
    '',
    'yesterday',
    '30',
    'days',
    '-3 days',
    '2026',
    '2026-02-30',
    '21.11.2026',
    '1.5 months',
    '2026-05-30 25:00',
    '2026-05-30T08:60',
  ]) {
    it(`parseTime rejects ${JSON.stringify(text)}`, () => {
      should(parseTime(text, NOW)).be.undefined();
    });
  }
});
