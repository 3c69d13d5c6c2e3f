/** The first date in a name: docs/nodes/prune.md, `dateFrom`. */
import 'should';
import fc from 'fast-check';
import { findDateInName } from '../../../../src/backup/retention/date-in-name';
import { checkProperty } from '../../../support/property';

/** `2026-11-21 02:00:00`, with `Z` if the name contains it; `-` without a date. */
function format(name: string): string {
  const date = findDateInName(name)?.date;
  if (!date) return '-';
  const two = (number: number): string => String(number).padStart(2, '0');
  const { year, month, day, hour, minute, second, isUtc } = date;
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}${isUtc ? 'Z' : ''}`;
}

describe('findDateInName', () => {
  const cases: [string, string][] = [
    ['backup-2026-11-21.tar.gz', '2026-11-21 00:00:00'],
    ['backup-20261121.tar.gz', '2026-11-21 00:00:00'],
    ['2026_11_21 house.zip', '2026-11-21 00:00:00'],
    ['2026.11.21.db', '2026-11-21 00:00:00'],
    ['db-2026-11-21T02:30:05Z.sql', '2026-11-21 02:30:05Z'],
    ['db-2026-11-21T02:30:05.123Z.sql', '2026-11-21 02:30:05Z'],
    ['db-20261121T023005Z.sql', '2026-11-21 02:30:05Z'],
    ['db_20261121_0230.sql', '2026-11-21 02:30:00'],
    ['db 2026-11-21 0230.sql', '2026-11-21 02:30:00'],
    ['db-2026-11-21T0230.sql', '2026-11-21 02:30:00'],
    ['db-2026-11-21-02:30.sql', '2026-11-21 02:30:00'],
    ['db-2026-11-21-02-30.sql', '2026-11-21 02:30:00'],
    ['db-20261121-023005.sql', '2026-11-21 02:30:05'],
    ['202611210230.jpg', '2026-11-21 02:30:00'],
    ['20261121023005.jpg', '2026-11-21 02:30:05'],
    ['IMG_20261121_023005.jpg', '2026-11-21 02:30:05'],
    ['2026-11-21 02.30.05.png', '2026-11-21 02:30:05'],
    ['2026-11-21_18h30.png', '2026-11-21 18:30:00'],
    ['2026-11-21Zebra.png', '2026-11-21 00:00:00'],
    ['2024-02-29.tar', '2024-02-29 00:00:00'],
    // Dates that aren't on the calendar are skipped.
    ['2026-02-29.tar', '-'],
    ['2026-13-01.tar', '-'],
    ['2026-00-10 then 2026-10-01.tar', '2026-10-01 00:00:00'],
    ['archive-0042 of 2026-11-21', '2026-11-21 00:00:00'],
    ['two 2026-11-20 and 2026-11-21', '2026-11-20 00:00:00'],
    // Digits after a date that aren't a time are ignored.
    ['2026-11-21-9942.tar', '2026-11-21 00:00:00'],
    // Four digits are more likely a number than a time: 0060 must not be older than 0059.
    ['archive-2026-11-21-0059.tar', '2026-11-21 00:00:00'],
    ['archive-20261121-0059.tar', '2026-11-21 00:00:00'],
    ['archive-2026-11-21.0059.tar', '2026-11-21 00:00:00'],
    ['archive-2026-11-21 - 0059.tar', '2026-11-21 00:00:00'],
    ['2026-11-21 (1).tar', '2026-11-21 00:00:00'],
    ['2026-11/21', '-'],
    ['2026-1121', '-'],
    ['archive-0042.tar.gz', '-'],
    ['120261121', '-'],
    ['202611219', '-'],
    ['1969-12-31.tar', '-'],
    ['', '-'],
  ];
  for (const [name, date] of cases) {
    it(`findDateInName reads ${JSON.stringify(name)} as ${date === '-' ? 'no date' : date}`, () => {
      format(name).should.equal(date);
    });
  }

  it('findDateInName never takes a number of four digits after a separator for a time', () => {
    const day = fc.constantFrom('2026-11-21', '20261121', '2026_11_21');
    checkProperty(
      fc.property(
        day,
        fc.integer({ min: 0, max: 9_999 }),
        fc.constantFrom('-', '.', ' - '),
        (date, number, separator) =>
          format(`archive-${date}${separator}${String(number).padStart(4, '0')}.tar`).endsWith(' 00:00:00'),
      ),
    );
  });

  it('findDateInName handles names of 100,000 characters', () => {
    format('2026-13-'.repeat(12_500)).should.equal('-');
    format('9'.repeat(100_000)).should.equal('-');
  });
});
