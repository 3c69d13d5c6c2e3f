/** A list in which a file stands twice, since it changed while it was read. */
import 'should';
import fc from 'fast-check';
import { Calendar } from '../../../src/retention/calendar';
import { type RetentionRules, applyRetention } from '../../../src/retention/retention';
import type { DriveFile } from '../../../src/types';
import { checkProperty } from '../../support/property';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const NONE: RetentionRules = {
  keepNewest: 0,
  keepDays: 0,
  daily: 0,
  weekly: 0,
  monthly: 0,
  yearly: 0,
  minimum: 0,
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

describe('retained, of a list that changed while it was read', () => {
  const [newest, second, third] = [fileAt(1, 'newest'), fileAt(2, 'second'), fileAt(3, 'third')];

  it('counts a file once that is there twice', () => {
    decide([newest, second, third, newest], { keepNewest: 2 }).should.eql({
      kept: ['newest', 'second'],
      removed: ['third'],
    });
  });

  it('takes a file by its latest date', () => {
    decide([newest, second, third, fileAt(0, 'third')], { keepNewest: 1 }).should.eql({
      kept: ['third'],
      removed: ['newest', 'second'],
    });
  });

  it('leaves a file that once could not be dated', () => {
    decide([newest, third, { id: 'third' }], { keepNewest: 1 }).removed.should.eql([]);
  });

  it('decides as if each file were there once, by its latest date', () => {
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
      fc.property(ages, rules, (listed, wanted) => {
        const latest = new Map<number, number>();
        for (const [id, age] of listed) latest.set(id, Math.min(age, latest.get(id) ?? age));
        const asFiles = (all: Iterable<[number, number]>): DriveFile[] =>
          [...all].map(([id, age]) => fileAt(age, String(id)));
        const { kept, removed } = decide(asFiles(listed), { ...wanted, yearly: 1 });
        const once = decide(asFiles(latest), { ...wanted, yearly: 1 });
        return JSON.stringify([kept, removed]) === JSON.stringify([once.kept, once.removed]);
      }),
    );
  });
});
