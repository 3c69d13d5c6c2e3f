/** Calendar days, weeks, months and years in a time zone. */
import { DriveError } from '../../errors';

/** A local date and time. */
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

export const DAY = 86_400_000;
/** Time zones change their offset only at full quarters of an hour. */
const QUARTER = 900_000;

export class Calendar {
  private readonly format: Intl.DateTimeFormat;
  private readonly offsets = new Map<number, number>();

  /**
   * @param timeZone IANA name; `''` for this machine's time zone
   * @throws `invalid_input` for an unknown time zone
   */
  constructor(timeZone: string) {
    try {
      this.format = new Intl.DateTimeFormat('en-US', {
        timeZone: timeZone || undefined,
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

  /** IANA name. */
  get timeZone(): string {
    return this.format.resolvedOptions().timeZone;
  }

  /**
   * @param time milliseconds since 1970
   * @returns a number that is equal for times in the same day, ISO 8601 week, month or year
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
   * @returns milliseconds since 1970. In an hour that occurs twice, the first occurrence; in a skipped hour, the time
   * after the change, shifted by the length of the gap
   */
  timeOf({ year, month, day, hour, minute, second }: WallTime): number {
    const wall = Date.UTC(year, month - 1, day, hour, minute, second);
    const before = wall - this.offset(wall - DAY);
    if (before + this.offset(before) === wall) return before;
    const after = wall - this.offset(wall + DAY);
    return after + this.offset(after) === wall ? after : before;
  }

  /** @param time ms since 1970 */
  wallTimeOf(time: number): WallTime {
    const wall = new Date(time + this.offset(time));
    return {
      year: wall.getUTCFullYear(),
      month: wall.getUTCMonth() + 1,
      day: wall.getUTCDate(),
      hour: wall.getUTCHours(),
      minute: wall.getUTCMinutes(),
      second: wall.getUTCSeconds(),
    };
  }

  /** The offset from UTC at that time, in ms. */
  private offset(time: number): number {
    const quarter = Math.floor(time / QUARTER);
    const known = this.offsets.get(quarter);
    if (known !== undefined) return known;
    const start = quarter * QUARTER;
    const part = new Map(this.format.formatToParts(start).map(({ type, value }) => [type, value]));
    const number = (name: Intl.DateTimeFormatPartTypes): number => Number(part.get(name));
    const year = part.get('era') === 'BC' ? 1 - number('year') : number('year');
    const wall = new Date(0);
    wall.setUTCFullYear(year, number('month') - 1, number('day'));
    wall.setUTCHours(number('hour'), number('minute'), number('second'));
    const offset = wall.getTime() - start;
    this.offsets.set(quarter, offset);
    return offset;
  }
}
