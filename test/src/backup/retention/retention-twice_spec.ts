/** A list that contains a file twice, because it changed while the pages were requested. */
import 'should';
import fc from 'fast-check';
import { Calendar } from '../../../../src/backup/retention/calendar';
import { type RetentionRules, applyRetention } from '../../../../src/backup/retention/retention';
import type { DriveFile } from '../../../../src/types';
import { checkProperty } from '../../../support/property';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const NONE: RetentionRules = {
  ...{ keepNewest: 0, keepDays: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, minimum: 0 },
};
const calendar = new Calendar('UTC');

function decide(files: DriveFile[], rules: Partial<RetentionRules>): { kept: string[]; removed: string[] } {
  const options = { dateFrom: 'modifiedTime' as const, calendar, now: NOW };
  const { kept, removed } = applyRetention(files, { ...NONE, ...rules }, options);
  return { kept: kept.map(({ id }) => id), removed: removed.map(({ id }) => id) };
}

const fileAt = (age: number, id: string): DriveFile => ({
  id,
  modifiedTime: new Date(NOW - age * DAY).toISOString(),
});

describe('applyRetention with duplicate files', () => {
  const [newest, second, third] = [fileAt(1, 'newest'), fileAt(2, 'second'), fileAt(3, 'third')];

  it('applyRetention counts a duplicate file once', () => {
    decide([newest, second, third, newest], { keepNewest: 2 }).should.eql({
      kept: ['newest', 'second'],
      removed: ['third'],
    });
  });

  it('applyRetention uses the latest date of a duplicate file', () => {
    decide([newest, second, third, fileAt(0, 'third')], { keepNewest: 1 }).should.eql({
      kept: ['third'],
      removed: ['newest', 'second'],
    });
  });

  it('applyRetention keeps a duplicate file if one of its entries has no date', () => {
    decide([newest, third, { id: 'third' }], { keepNewest: 1 }).removed.should.eql([]);
  });

  it('applyRetention decides as if each file were listed once with its latest date', () => {
    const ages = fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 400 })), {
      maxLength: 30,
    });
    const count = fc.integer({ min: 0, max: 5 });
    const rules = fc.record({
      keepNewest: count,
      keepDays: count,
      daily: count,
      monthly: count,
      minimum: count,
    });
    checkProperty(
      fc.property(ages, rules, (listed, chosen) => {
        const latest = new Map<number, number>();
        for (const [id, age] of listed) latest.set(id, Math.min(age, latest.get(id) ?? age));
        const toFiles = (all: Iterable<[number, number]>): DriveFile[] =>
          [...all].map(([id, age]) => fileAt(age, String(id)));
        const { kept, removed } = decide(toFiles(listed), { ...chosen, yearly: 1 });
        const expected = decide(toFiles(latest), { ...chosen, yearly: 1 });
        return JSON.stringify([kept, removed]) === JSON.stringify([expected.kept, expected.removed]);
      }),
    );
  });
});
