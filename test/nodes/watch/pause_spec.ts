/** The pause between polls, as described in docs/nodes/watch.md. */
import 'should';
import { pauseAfter } from '../../../nodes/watch/watch-runner';

const MINUTE = 60_000;

describe('pauseAfter', () => {
  it('pauseAfter returns the interval, doubled per failure up to 15 minutes', () => {
    const minutes = (failures: number, interval: number): number =>
      pauseAfter(failures, interval * MINUTE) / MINUTE;
    [0, 1, 2, 3, 4, 5, 100].map((failures) => minutes(failures, 1)).should.eql([1, 1, 2, 4, 8, 15, 15]);
    [0, 1, 9].map((failures) => minutes(failures, 60)).should.eql([60, 60, 60]);
  });
});
