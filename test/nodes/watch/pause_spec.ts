/** How long a watch waits: what docs/nodes/watch.md says. */
import 'should';
import { pauseAfter } from '../../../nodes/watch/watch-runner';

const MINUTE = 60_000;

describe('pause of a watch', () => {
  it('is the interval, and longer while there is trouble, but not for ever', () => {
    const minutes = (failures: number, interval: number): number =>
      pauseAfter(failures, interval * MINUTE) / MINUTE;
    [0, 1, 2, 3, 4, 5, 100].map((failures) => minutes(failures, 1)).should.eql([1, 1, 2, 4, 8, 15, 15]);
    [0, 1, 9].map((failures) => minutes(failures, 60)).should.eql([60, 60, 60]);
  });
});
