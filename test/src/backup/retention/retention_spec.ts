/** The files that the rules keep: docs/nodes/prune.md. */
import 'should';
import fc from 'fast-check';
import { Calendar } from '../../../../src/backup/retention/calendar';
import {
  type RetentionOptions,
  type RetentionRules,
  hasRule,
  applyRetention,
} from '../../../../src/backup/retention/retention';
import type { DriveFile } from '../../../../src/types';
import { checkProperty } from '../../../support/property';
import { runsOf } from '../../../support/run/long';

const DAY = 86_400_000;
const LISTS = runsOf(10_000, 1_000);
const NOW = Date.parse('2026-11-21T12:00:00Z');
const NONE: RetentionRules = {
  ...{ keepNewest: 0, keepDays: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, minimum: 0 },
};

function fileAt(time: number, id: string): DriveFile {
  return { id, name: `backup-${id}`, modifiedTime: new Date(time).toISOString() };
}

/** @param options by default, the files are dated by `modifiedTime`, in UTC */
function decide(
  files: readonly DriveFile[],
  rules: Partial<RetentionRules>,
  options: Partial<RetentionOptions> & { timeZone?: string } = {},
) {
  const calendar = new Calendar(options.timeZone ?? 'UTC');
  return applyRetention(
    files,
    { ...NONE, ...rules },
    { dateFrom: 'modifiedTime', calendar, now: NOW, ...options },
  );
}

const ids = (files: readonly DriveFile[]): string[] => files.map(({ id }) => id);
const nightly = (count: number): DriveFile[] =>
  Array.from({ length: count }, (_, age) => fileAt(NOW - age * DAY - 10 * 3_600_000, String(age)));

/** The ids of the files that are kept at a time by their dates. */
const keptForADay = (files: DriveFile[], timeZone: string, time: string): string[] =>
  ids(decide(files, { keepDays: 1 }, { dateFrom: 'name', timeZone, now: Date.parse(time) }).kept);

describe('applyRetention', () => {
  it('applyRetention removes nothing without a rule', () => {
    ids(decide(nightly(5), { minimum: 1 }).removed).should.deepEqual([]);
    hasRule({ ...NONE, minimum: 3 }).should.equal(false);
    hasRule({ ...NONE, yearly: 1 }).should.equal(true);
  });

  it('applyRetention keeps the newest files of a list in any order', () => {
    const { kept, removed } = decide(nightly(5).reverse(), { keepNewest: 2 });
    ids(kept).should.deepEqual(['0', '1']);
    ids(removed).should.deepEqual(['2', '3', '4']);
  });

  it('applyRetention keeps files newer than keepDays days', () => {
    const files = [fileAt(NOW - 2 * DAY + 1, 'newer'), fileAt(NOW - 2 * DAY, 'exactly as old')];
    ids(decide(files, { keepDays: 2 }).removed).should.deepEqual(['exactly as old']);
  });

  it('applyRetention keeps the newest file of each day and counts only days with files', () => {
    const hours = (age: number): number => NOW - age * 3_600_000;
    const files = [2, 5, 20, 30, 200, 201].map((age) => fileAt(hours(age), String(age)));
    ids(decide(files, { daily: 3 }).kept).should.deepEqual(['2', '20', '200']);
  });

  it('applyRetention never keeps fewer files than the minimum', () => {
    const old = nightly(20).slice(10);
    ids(decide(old, { keepDays: 1, minimum: 3 }).kept).should.deepEqual(['10', '11', '12']);
    ids(decide(nightly(2), { keepNewest: 1, minimum: 5 }).removed).should.deepEqual([]);
  });

  it('applyRetention keeps files without a date or dated more than a day ahead, without counting them', () => {
    const files = [
      ...nightly(2),
      { id: 'undated', name: 'x' },
      fileAt(NOW + 25 * 3_600_000, 'ahead'),
      { id: 'nonsense', modifiedTime: 'yesterday' },
    ];
    const { kept, removed } = decide(files, { keepNewest: 1 });
    ids(kept).should.deepEqual(['0', 'undated', 'ahead', 'nonsense']);
    ids(removed).should.deepEqual(['1']);
  });

  it('applyRetention keeps files without a name, or without a date in it, if names date the files', () => {
    const files = [{ id: 'unnamed' }, { id: 'undated', name: 'x' }];
    const dated = ['2026-11-19', '2026-11-20'].map((name) => ({ id: name, name }));
    const { kept, removed } = decide([...files, ...dated], { keepNewest: 1 }, { dateFrom: 'name' });
    ids(kept).sort().should.deepEqual(['2026-11-20', 'undated', 'unnamed']);
    ids(removed).should.deepEqual(['2026-11-19']);
  });

  it('applyRetention reads dates in names as times in the time zone', () => {
    const names = ['a-2026-11-20.tar', 'a-2026-11-19.tar', 'a-2026-11-18T23:30Z.tar', 'a.tar'];
    const files = names.map((name) => ({ id: name, name, modifiedTime: new Date(NOW).toISOString() }));
    const { kept, removed } = decide(files, { daily: 2 }, { dateFrom: 'name', timeZone: 'Europe/Berlin' });
    ids(kept).should.deepEqual(['a-2026-11-20.tar', 'a-2026-11-18T23:30Z.tar', 'a.tar']);
    ids(removed).should.deepEqual(['a-2026-11-19.tar']);
  });

  it('applyRetention keeps the files of one date in order of their creation', () => {
    // The order of the ids is another one.
    const created = [3, 1, 2].map((hour) => ({
      ...{ id: `${9 - hour}`, name: 'a-2026-11-20.tar', createdTime: `2026-11-20T0${hour}:00:00.000Z` },
    }));
    const { kept, removed } = decide(created.reverse(), { keepNewest: 1 }, { dateFrom: 'name' });
    ids([...kept, ...removed]).should.deepEqual(['6', '7', '8']);
  });

  it('applyRetention keeps a file that counts as the newest, even if no rule keeps its date', () => {
    const files = [fileAt(NOW - 9 * DAY, 'new'), fileAt(NOW - 8 * DAY, 'other')];
    ids(decide(files, { keepDays: 1 }, { newestId: 'new' }).kept).should.deepEqual(['new']);
  });

  it('applyRetention counts a file dated with the next day, which a clock that is ahead may cause', () => {
    const files = ['a-2026-11-22.tar', 'a-2026-11-21.tar'].map((name) => ({ id: name, name }));
    ids(decide(files, { keepNewest: 1 }, { dateFrom: 'name' }).kept).should.deepEqual([files[0]!.id]);
  });

  it('applyRetention counts the age from the end of the day, also if clocks skip its midnight', () => {
    const files = [{ id: 'a', name: 'a-2018-11-04.tar' }];
    const keptAt = (time: string) => keptForADay(files, 'America/Sao_Paulo', time);
    keptAt('2018-11-06T01:59:59Z').should.deepEqual(['a']);
    keptAt('2018-11-06T02:00:00Z').should.deepEqual([]);
  });

  it('applyRetention counts the age of a file dated only with a day from the end of that day', () => {
    const names = ['a-2026-11-20.tar', 'a-2026-11-20 00-00-00.tar', 'a-2026-11-19.tar'];
    const files = names.map((name) => ({ id: name, name }));
    // The day begins and ends at 23:00 UTC.
    const keptAt = (time: string) => keptForADay(files, 'Europe/Berlin', time);
    keptAt('2026-11-20T23:05:00Z').should.deepEqual(names.slice(0, 1));
    keptAt('2026-11-21T22:59:00Z').should.deepEqual(names.slice(0, 1));
    keptAt('2026-11-21T23:00:00Z').should.deepEqual([]);
  });

  it('applyRetention decides by id among files with the same date', () => {
    const files = ['b', 'c', 'a'].map((id) => fileAt(NOW, id));
    ids(decide(files, { keepNewest: 1 }).kept).should.deepEqual(['c']);
    ids(decide([...files].reverse(), { keepNewest: 1 }).kept).should.deepEqual(['c']);
  });
});

/** Oracle: decides for each file on its own, with the calendar of Intl. */
function isKept(file: Entry, all: readonly Entry[], rules: RetentionRules, now: number): boolean {
  const newer = all.filter((other) => isNewer(other, file));
  if (newer.length < Math.max(rules.keepNewest, rules.minimum)) return true;
  if (now - file.time < rules.keepDays * DAY) return true;
  const kinds = ['day', 'week', 'month', 'year'] as const;
  return kinds.some((kind, index) => {
    const count = [rules.daily, rules.weekly, rules.monthly, rules.yearly][index] ?? 0;
    const names = new Set(newer.map((other) => other[kind]));
    return !names.has(file[kind]) && names.size < count;
  });
}

function isNewer(a: Entry, b: Entry): boolean {
  if (a.time !== b.time) return a.time > b.time;
  return a.id > b.id;
}

interface Entry {
  id: string;
  time: number;
  day: string;
  week: string;
  month: string;
  year: string;
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

function entryAt(time: number, id: string, timeZone: string): Entry {
  const dateFormat = dateFormats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone });
  dateFormats.set(timeZone, dateFormat);
  const day = dateFormat.format(time);
  const monday = new Date(`${day}T00:00:00Z`);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  return { id, time, day, week: monday.toISOString(), month: day.slice(0, 7), year: day.slice(0, 4) };
}

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

const small = fc.integer({ min: 0, max: 6 });
const rulesOf = fc.record<RetentionRules>({
  keepNewest: small,
  keepDays: fc.oneof(small, fc.integer({ min: 0, max: 400 })),
  daily: fc.integer({ min: 0, max: 12 }),
  weekly: small,
  monthly: fc.integer({ min: 0, max: 14 }),
  yearly: small,
  minimum: small,
});
/** Hours before now: many files within days, or few within years. */
const agesOf = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 24 * 20 }), { maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 24 * 1_500 }), { maxLength: 40 }),
);

function agrees(times: readonly number[], rules: RetentionRules, timeZone: string): boolean {
  const entries = times.map((time, index) => entryAt(time, String(index).padStart(4, '0'), timeZone));
  const { kept, removed } = decide(
    entries.map(({ time, id }) => fileAt(time, id)),
    rules,
    { timeZone },
  );
  const expected = entries.filter((entry) => !hasRule(rules) || isKept(entry, entries, rules, NOW));
  const isComplete = kept.length + removed.length === times.length;
  const isSafe = kept.length >= Math.min(rules.minimum, times.length);
  const found = ids(kept).sort().join();
  return (
    isComplete &&
    isSafe &&
    found ===
      ids(expected as unknown as DriveFile[])
        .sort()
        .join()
  );
}

describe('applyRetention compared with an oracle', () => {
  it(`applyRetention agrees with the oracle on ${LISTS} random lists and never keeps fewer than the minimum`, () => {
    checkProperty(
      fc.property(agesOf, rulesOf, fc.constantFrom(...ZONES), (ages, rules, zone) =>
        agrees(
          ages.map((age) => NOW - age * 3_600_000),
          rules,
          zone,
        ),
      ),
      LISTS,
    );
  });

  it('applyRetention agrees with the oracle on a year of nightly backups with gaps, wrong clocks and duplicates', () => {
    const night = (age: number): number[] => {
      const time = NOW - age * DAY;
      if (age % 17 === 3 || (age > 200 && age < 215)) return [];
      if (age % 29 === 7) return [time, time, time + 1];
      // A clock that is wrong by hours for some nights.
      return [age % 41 < 4 ? time - 7 * 3_600_000 : time];
    };
    const times = Array.from({ length: 365 }, (_, age) => night(age)).flat();
    const rules = { ...NONE, daily: 7, weekly: 4, monthly: 12, minimum: 3 };
    for (const zone of ZONES) agrees(times, rules, zone).should.equal(true, zone);
  });

  /** Each night starts with the files that the rules kept the night before. */
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']) {
    it(`applyRetention agrees with the oracle every night of a year in ${zone}, with clock changes, missing nights and duplicates`, () => {
      const rules = { ...NONE, daily: 7, weekly: 4, monthly: 12, minimum: 3 };
      let files: DriveFile[] = [];
      let created = 0;
      let nights = 0;
      for (const [index, now] of halfPastTwo(zone).entries()) {
        for (const time of backupTimes(index, now))
          files.push(fileAt(time, String(created++).padStart(4, '0')));
        const { kept, removed } = decide(files, rules, { timeZone: zone, now });
        ids(kept)
          .sort()
          .should.deepEqual(expectedIds(files, rules, zone, now), new Date(now).toISOString());
        (kept.length + removed.length).should.equal(files.length);
        kept.length.should.be.aboveOrEqual(Math.min(rules.minimum, files.length));
        files = kept;
        nights += 1;
      }
      nights.should.be.within(364, 367);
      // Seven days, four weeks and twelve months, which overlap, and the files dated ahead.
      files.length.should.be.within(15, 23);
    });
  }
});

/** The times at which clocks show 02:30: none when they are set forward, two when they are set back. */
function halfPastTwo(timeZone: string): number[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' });
  const from = Date.parse('2026-01-01T12:00:00Z');
  return Array.from({ length: 365 * 48 }, (_, index) => from + index * 1_800_000).filter(
    (time) => clock.format(time) === '02:30',
  );
}

/** The times of the backups of one night, usually one. */
function backupTimes(index: number, now: number): number[] {
  if (index % 17 === 3 || (index > 120 && index < 150)) return [];
  if (index % 29 === 7) return [now, now, now - 1];
  // A wrong clock: by hours, a day and a half ahead, or never set.
  if (index % 41 === 5) return [now - 7 * 3_600_000];
  if (index % 97 === 11) return [now + 36 * 3_600_000];
  if (index % 151 === 9) return [1_000];
  return [now];
}

/** By the oracle; files dated more than a day ahead are kept and don't count. */
function expectedIds(
  files: readonly DriveFile[],
  rules: RetentionRules,
  timeZone: string,
  now: number,
): string[] {
  const timeOf = (file: DriveFile): number => Date.parse(file.modifiedTime ?? '');
  const ahead = files.filter((file) => timeOf(file) > now + DAY);
  const entries = files
    .filter((file) => !ahead.includes(file))
    .map((file) => entryAt(timeOf(file), file.id, timeZone));
  const kept = entries.filter((entry) => isKept(entry, entries, rules, now));
  return [...ahead, ...kept].map(({ id }) => id).sort();
}
