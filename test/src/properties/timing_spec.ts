/** Content ranges, retry delays and `Retry-After` with random values. */
import fc from 'fast-check';
import should from 'should';
import { type DriveError } from '../../../src/errors';
import { driveError } from '../../support/client/drive-error';
import { contentRange, parseContentRange, parseStoredRange } from '../../../src/transfer/content-range';
import { type BudgetedCall, parseRetryAfter, retry, retryDelay } from '../../../src/http/retry';
import { FakeClock } from '../../support/clock';
import { checkProperty, checkAsyncProperty } from '../../support/property';

const position = fc.integer({ min: 0, max: 5 * 2 ** 40 });

describe('random content ranges', () => {
  it('a formatted content range is parsed to the same range', () =>
    checkProperty(
      fc.property(position, fc.integer({ min: 1, max: 2 ** 40 }), position, (start, length, more) => {
        const range = { start, end: start + length, total: start + length + more };
        should(parseContentRange(contentRange(range))).deepEqual(range);
        should(parseContentRange(contentRange({ start, end: range.end }))).deepEqual({
          start,
          end: range.end,
        });
        should(parseStoredRange(`bytes=0-${start}`)).equal(start + 1);
      }),
    ));

  it('a random Content-Range yields a valid range or undefined', () =>
    checkProperty(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^ ?bytes[ =]\d{0,17}-\d{0,17}(\/(\d{0,17}|\*))? ?$/)),
        (header) => {
          const range = parseContentRange(header);
          if (range) {
            range.start.should.be.aboveOrEqual(0).and.below(range.end);
            if (range.total !== undefined) range.end.should.be.belowOrEqual(range.total);
            Number.isSafeInteger(range.end).should.be.true();
          }
          const stored = parseStoredRange(header);
          if (stored !== undefined) Number.isSafeInteger(stored).should.be.true();
        },
      ),
      1_000,
    ));
});

describe('random retry delays', () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

  it('retryDelay stays within its bounds and is never shorter than retryAfter', () =>
    checkProperty(
      fc.property(fc.nat(1e6), fraction, fc.nat(1e9), (attempt, random, asked) => {
        const wait = retryDelay(attempt, random);
        wait.should.be.within(0, Math.min(64_000, 1_000 * 2 ** Math.min(attempt, 7)));
        retryDelay(attempt, random, asked).should.equal(Math.max(wait, asked));
      }),
    ));

  it('parseRetryAfter returns undefined or a number of ms for a random header', () =>
    checkProperty(
      fc.property(
        fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String)),
        fc.nat(2 ** 42),
        (header, now) => {
          const wait = parseRetryAfter({ 'retry-after': header }, now);
          if (wait !== undefined) should(Number.isFinite(wait) && wait >= 0).be.true();
        },
      ),
      1_000,
    ));

  it('parseRetryAfter returns the time until a random date', () =>
    checkProperty(
      fc.property(fc.nat(4e9), fc.nat(4e9), (at, now) => {
        const header = new Date(at * 1_000).toUTCString();
        should(parseRetryAfter({ 'retry-after': header }, now * 1_000)).equal(Math.max(0, at - now) * 1_000);
        should(parseRetryAfter({ 'retry-after': String(at % 1e9) }, now)).equal((at % 1e9) * 1_000);
      }),
    ));

  it('retry never exceeds its budget, which restarts after progress', () =>
    checkAsyncProperty(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400_000 }),
        fc.array(
          fc.record({ takes: fc.nat(60_000), asked: fc.option(fc.nat(100_000)), moves: fc.boolean() }),
        ),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        async (retryFor, attempts, random) => {
          const clock = new FakeClock();
          let last = clock.now();
          let attempted = 0;
          const work = ({ budget }: BudgetedCall): Promise<string> => {
            const { takes, asked, moves } = attempts[attempted++] ?? { takes: 0, asked: null, moves: false };
            if (attempted > attempts.length) return Promise.resolve('done');
            // The delay before this attempt ended within the budget.
            (clock.now() - last).should.be.belowOrEqual(retryFor + 60_000);
            clock.elapse(takes);
            if (moves) {
              budget.restart();
              last = clock.now();
            }
            const retryAfter = asked === null ? {} : { retryAfter: asked };
            return Promise.reject(driveError('service_unavailable', { retryable: true, ...retryAfter }));
          };
          try {
            (await retry(work, { clock, random: () => random, retryFor })).should.equal('done');
          } catch (error) {
            const asked = (error as DriveError).retryAfter ?? 0;
            // The remaining budget was shorter than the requested delay.
            (clock.now() - last + asked).should.be.aboveOrEqual(retryFor);
          }
        },
      ),
    ));
});
