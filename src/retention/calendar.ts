/** Days, weeks, months and years as people count them, in their time zone. */
import { DriveError } from '../errors';

/** What a clock on the wall shows. */
export interface WallTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

export type Period = 'day' | 'week' | 'month' | 'year';

const DAY = 86_400_000;
/** Zones change their clocks at full quarters of an hour only, so within one the offset is the same. */
const QUARTER = 900_000;

export class Calendar {
  private readonly format: Intl.DateTimeFormat;
  private readonly offsets = new Map<number, number>();

  /**
   * @param timeZone IANA name, `''` for this machine's
   * @throws `invalid_input` for a zone that isn't known here
   */
  constructor(timeZone: string) {
    try {
      this.format = new Intl.DateTimeFormat('en-US', {
        ...(timeZone === '' ? {} : { timeZone }),
        calendar: 'gregory',
        hourCycle: 'h23',
        era: 'short',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      throw new DriveError('invalid_input', { text: 'invalid_input_time_zone', params: { timeZone } });
    }
  }

  /**
   * @param time milliseconds since 1970
   * @returns the same for two times exactly if they are in the same day, ISO 8601 week, month or year
   */
  periodOf(time: number, period: Period): number {
    const wall = new Date(time + this.offset(time));
    if (period === 'year') return wall.getUTCFullYear();
    if (period === 'month') return wall.getUTCFullYear() * 12 + wall.getUTCMonth();
    const day = Math.floor(wall.getTime() / DAY);
    // Day 0 was a Thursday; weeks begin on Monday.
    return period === 'day' ? day : Math.floor((day + 3) / 7);
  }

  /**
   * @returns milliseconds since 1970. Of an hour that comes twice it is the first; of one that is left out, the time as
   * far behind the change as the clock would have shown it.
   */
  timeOf({ year, month, day, hour, minute, second }: WallTime): number {
    const wall = Date.UTC(year, month - 1, day, hour, minute, second);
    const before = wall - this.offset(wall - DAY);
    if (before + this.offset(before) === wall) return before;
    const after = wall - this.offset(wall + DAY);
    return after + this.offset(after) === wall ? after : before;
  }

  /** What the zone's clocks are ahead of UTC at that time, ms. */
  private offset(time: number): number {
    const quarter = Math.floor(time / QUARTER);
    const known = this.offsets.get(quarter);
    if (known !== undefined) return known;
    const begin = quarter * QUARTER;
    const part = new Map(this.format.formatToParts(begin).map(({ type, value }) => [type, value]));
    const number = (name: Intl.DateTimeFormatPartTypes): number => Number(part.get(name));
    const year = part.get('era') === 'BC' ? 1 - number('year') : number('year');
    const wall = new Date(0);
    wall.setUTCFullYear(year, number('month') - 1, number('day'));
    wall.setUTCHours(number('hour'), number('minute'), number('second'));
    const offset = wall.getTime() - begin;
    this.offsets.set(quarter, offset);
    return offset;
  }
}
