/**
 * Tests that only `npm run test:long` runs, in files whose other tests `npm test` runs as well: they show again, for more
 * cases or with more steps, what a quicker test shows.
 */
const isLongRun = process.env['CLOUD_DRIVE_LONG'] === '1';

type Register = (title: string, test: Mocha.Func | Mocha.AsyncFunc) => void;

/** As `it`. */
export const itLong: Register = (title, test) => {
  if (isLongRun) it(title, test);
};

/** @returns all cases in a long run, otherwise the first ones */
export function casesOf<T>(cases: readonly T[], few: number): readonly T[] {
  return isLongRun ? cases : cases.slice(0, few);
}

/** @returns how often something random is repeated */
export function runsOf(many: number, few: number): number {
  return isLongRun ? many : few;
}
