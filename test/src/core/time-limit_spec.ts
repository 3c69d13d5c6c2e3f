/** A limit of real time that doesn't count while the event loop is blocked. */
import 'should';
import { TimeLimit } from '../../../src/core/clock';
import { blockEventLoop } from '../../support/block-event-loop';

describe('TimeLimit', () => {
  const exceeded = (ms: number, hasProgress?: () => boolean): Promise<void> =>
    new Promise((resolve) => new TimeLimit(ms, resolve, hasProgress));

  it('TimeLimit starts again as long as there is progress', async () => {
    let remaining = 15;
    await exceeded(10, () => remaining-- > 0);
    // Ten more parts without progress.
    remaining.should.equal(-10);
  });

  it('TimeLimit is not exceeded by a blocked event loop', async () => {
    let isExceeded = false;
    const limit = new TimeLimit(50, () => (isExceeded = true));
    blockEventLoop(100);
    // The next timers and immediates run.
    await new Promise((resolve) => setTimeout(() => setImmediate(resolve)));
    isExceeded.should.be.false();
    limit.stop();
  });

  it('TimeLimit restarts until it is stopped', async () => {
    let isExceeded = false;
    const [stopped, restarted] = [new TimeLimit(10, () => (isExceeded = true)), exceeded(10)];
    stopped.restart();
    stopped.stop();
    stopped.restart();
    await restarted;
    await exceeded(10);
    isExceeded.should.be.false();
  });
});
