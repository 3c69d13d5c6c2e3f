/** Times in JSON: RFC 3339 with up to nanoseconds, as Go writes them. */

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
export const NS_PER_MS = 1_000_000n;
const NS_PER_S = 1_000_000_000n;
/** The years that JSON can have: 0000 to 9999. */
const FIRST = BigInt(Date.parse('0000-01-01T00:00:00Z')) * NS_PER_MS;
const LAST = BigInt(Date.parse('9999-12-31T23:59:59Z')) * NS_PER_MS;

/** @returns nanoseconds since 1970; undefined if it isn't a time */
export function parseTime(text: string): bigint | undefined {
  const [, seconds, fraction = '', zone] = TIME.exec(text) ?? [];
  if (seconds === undefined || zone === undefined) return undefined;
  const ms = Date.parse(seconds + zone);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * NS_PER_MS + BigInt(fraction.padEnd(9, '0'));
}

/** @param ns nanoseconds since 1970; before the year 0 and after 9999, the nearest time is written */
export function formatTime(ns: bigint): string {
  const time = ns < FIRST ? FIRST : ns > LAST ? LAST : ns;
  const fraction = ((time % NS_PER_S) + NS_PER_S) % NS_PER_S;
  const seconds = new Date(Number((time - fraction) / NS_PER_MS)).toISOString().slice(0, 19);
  const digits = fraction.toString().padStart(9, '0').replace(/0+$/, '');
  return `${seconds}${digits && '.'}${digits}Z`;
}
