import { systemClock } from '../../../src/http/clock';
import { rejected } from '../../support/rejected';

describe('the real clock', () => {
  it('wakes, and has moved', async () => {
    const before = systemClock.now();
    await systemClock.sleep(2);
    systemClock.now().should.be.above(before);
  });

  it('is ended by its signal', async () => {
    const abort = new AbortController();
    const sleep = systemClock.sleep(60_000, abort.signal);
    abort.abort();
    await rejected(sleep, 'cancelled');
    await rejected(systemClock.sleep(60_000, abort.signal), 'cancelled');
  });
});
