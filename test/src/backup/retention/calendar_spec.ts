/** Days, weeks, months and years in a time zone (weeks by ISO 8601). https://tc39.es/ecma402/#datetimeformat-objects */
import 'should';
import should from 'should';
import { Calendar } from '../../../../src/backup/retention/calendar';

const at = (text: string): number => Date.parse(text);
const localTime = (year: number, month: number, day: number, hour = 0, minute = 0) => ({
  year,
  month,
  day,
  hour,
  minute,
  second: 0,
});

describe('Calendar', () => {
  const berlin = new Calendar('Europe/Berlin');

  it('Calendar ends a day at midnight in its time zone', () => {
    const last = berlin.periodOf(at('2026-11-21T22:59:59Z'), 'day');
    berlin.periodOf(at('2026-11-21T23:00:00Z'), 'day').should.equal(last + 1);
    berlin.periodOf(at('2026-11-20T23:00:00Z'), 'day').should.equal(last);
  });

  it('Calendar starts weeks on Monday, also across years', () => {
    const week = berlin.periodOf(at('2026-12-28T12:00:00Z'), 'week');
    berlin.periodOf(at('2027-01-03T12:00:00Z'), 'week').should.equal(week);
    berlin.periodOf(at('2026-12-27T12:00:00Z'), 'week').should.equal(week - 1);
    berlin.periodOf(at('2027-01-04T12:00:00Z'), 'week').should.equal(week + 1);
  });

  it('Calendar ends months and years at midnight in its time zone', () => {
    const times = ['2026-12-31T22:59:59Z', '2026-12-31T23:00:00Z'].map(at);
    times.map((time) => berlin.periodOf(time, 'year')).should.deepEqual([2026, 2027]);
    const [december = 0, january = 0] = times.map((time) => berlin.periodOf(time, 'month'));
    january.should.equal(december + 1);
  });

  it('Calendar counts days of 23 and 25 hours as one day', () => {
    const hours = (from: string, count: number): Set<number> =>
      new Set(
        Array.from({ length: count }, (_, hour) => berlin.periodOf(at(from) + hour * 3_600_000, 'day')),
      );
    hours('2026-03-28T23:00:00Z', 23).size.should.equal(1);
    hours('2026-03-28T23:00:00Z', 24).size.should.equal(2);
    hours('2026-10-24T22:00:00Z', 25).size.should.equal(1);
    hours('2026-10-24T22:00:00Z', 26).size.should.equal(2);
  });

  it('Calendar converts local times, also of skipped and repeated hours', () => {
    berlin.timeOf(localTime(2026, 11, 21, 2)).should.equal(at('2026-11-21T01:00:00Z'));
    berlin.timeOf(localTime(2026, 7, 1)).should.equal(at('2026-06-30T22:00:00Z'));
    // A repeated time means its first occurrence, a skipped one the time after the change.
    berlin.timeOf(localTime(2026, 10, 25, 2, 30)).should.equal(at('2026-10-25T00:30:00Z'));
    berlin.timeOf(localTime(2026, 3, 29, 2, 30)).should.equal(at('2026-03-29T01:30:00Z'));
    berlin.timeOf(localTime(2026, 3, 29, 3, 30)).should.equal(at('2026-03-29T01:30:00Z'));
  });

  it('Calendar supports time zones with odd offsets', () => {
    const kathmandu = new Calendar('Asia/Kathmandu');
    kathmandu.timeOf(localTime(2026, 11, 21)).should.equal(at('2026-11-20T18:15:00Z'));
    const lordHowe = new Calendar('Australia/Lord_Howe');
    lordHowe.timeOf(localTime(2026, 1, 1)).should.equal(at('2025-12-31T13:00:00Z'));
    lordHowe.timeOf(localTime(2026, 7, 1)).should.equal(at('2026-06-30T13:30:00Z'));
  });

  it("Calendar uses this machine's time zone for an empty name", () => {
    const here = new Date(2026, 10, 21, 5, 30).getTime();
    new Calendar('').timeOf(localTime(2026, 11, 21, 5, 30)).should.equal(here);
  });

  it('Calendar rejects an unknown time zone', () => {
    should(() => new Calendar('Europe/Atlantis')).throw({
      code: 'invalid_input',
      text: 'invalid_input_time_zone',
      params: { timeZone: 'Europe/Atlantis' },
    });
  });
});
