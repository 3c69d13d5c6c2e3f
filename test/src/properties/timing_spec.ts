/** Ranges, waits and `Retry-After` for any numbers and any header. */
import fc from 'fast-check';
import should from 'should';
import { DriveError } from '../../../src/errors';
import {
  contentRange,
  parseContentRange,
  parseStoredRange,
  rangeFrom,
} from '../../../src/http/content-range';
import { type BudgetedCall, parseRetryAfter, retry, retryDelay } from '../../../src/http/retry';
import { FakeClock } from '../../support/clock';
import { checkProperty, checkAsyncProperty } from '../../support/property';

const position = fc.integer({ min: 0, max: 5 * 2 ** 40 });

describe('ranges of any size', () => {
  it('are read as they were written', () =>
    checkProperty(
      fc.property(position, fc.integer({ min: 1, max: 2 ** 40 }), position, (start, length, more) => {
        const span = { start, end: start + length, total: start + length + more };
        should(parseContentRange(contentRange(span))).deepEqual(span);
        should(parseContentRange(contentRange({ start, end: span.end }))).deepEqual({ start, end: span.end });
        should(parseStoredRange(`bytes=0-${start}`)).equal(start + 1);
        rangeFrom(start).should.equal(`bytes=${start}-`);
      }),
    ));

  it('are a part of the whole, or none, whatever the header', () =>
    checkProperty(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^ ?bytes[ =]\d{0,17}-\d{0,17}(\/(\d{0,17}|\*))? ?$/)),
        (header) => {
          const span = parseContentRange(header);
          if (span) {
            span.start.should.be.aboveOrEqual(0).and.below(span.end);
            if (span.total !== undefined) span.end.should.be.belowOrEqual(span.total);
            Number.isSafeInteger(span.end).should.be.true();
          }
          const stored = parseStoredRange(header);
          if (stored !== undefined) Number.isSafeInteger(stored).should.be.true();
        },
      ),
      1_000,
    ));
});

describe('waits of any retry', () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

  it('are within their bounds, and never shorter than what was asked for', () =>
    checkProperty(
      fc.property(fc.nat(1e6), fraction, fc.nat(1e9), (attempt, random, asked) => {
        const wait = retryDelay(attempt, random);
        wait.should.be.within(0, Math.min(64_000, 1_000 * 2 ** Math.min(attempt, 7)));
        retryDelay(attempt, random, asked).should.equal(Math.max(wait, asked));
      }),
    ));

  it('read Retry-After as a wait that is none or a number, whatever the header', () =>
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

  it('read any date as the time until then', () =>
    checkProperty(
      fc.property(fc.nat(4e9), fc.nat(4e9), (at, now) => {
        const header = new Date(at * 1_000).toUTCString();
        should(parseRetryAfter({ 'retry-after': header }, now * 1_000)).equal(Math.max(0, at - now) * 1_000);
        should(parseRetryAfter({ 'retry-after': String(at % 1e9) }, now)).equal((at % 1e9) * 1_000);
      }),
    ));

  it('never pass the budget, counted from the last progress', () =>
    checkAsyncProperty(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400_000 }),
        fc.array(
          fc.record({ takes: fc.nat(60_000), asked: fc.option(fc.nat(100_000)), moves: fc.boolean() }),
        ),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        async (retryFor, tries, random) => {
          const clock = new FakeClock();
          let last = clock.now();
          let tried = 0;
          const work = ({ budget }: BudgetedCall): Promise<string> => {
            const { takes, asked, moves } = tries[tried++] ?? { takes: 0, asked: null, moves: false };
            if (tried > tries.length) return Promise.resolve('done');
            // Whatever the wait before this try was, it was over within the budget.
            (clock.now() - last).should.be.belowOrEqual(retryFor + 60_000);
            clock.elapse(takes);
            if (moves) {
              budget.restart();
              last = clock.now();
            }
            const retryAfter = asked === null ? {} : { retryAfter: asked };
            return Promise.reject(new DriveError('service_unavailable', { retryable: true, ...retryAfter }));
          };
          try {
            (await retry(work, { clock, random: () => random, retryFor })).should.equal('done');
          } catch (error) {
            const asked = (error as DriveError).retryAfter ?? 0;
            // It gave up only where nothing was left, or less than was asked for.
            (clock.now() - last + asked).should.be.aboveOrEqual(retryFor);
          }
        },
      ),
    ));
});
