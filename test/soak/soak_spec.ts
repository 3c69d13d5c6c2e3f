/** A short soak, so that `npm run test:soak` still runs, and finds nothing. */
import should from 'should';
import { faultsOf, tableOf } from './report';
import { soak } from './run';

describe('a soak', () => {
  it('finds nothing in a short one', async function () {
    this.timeout(60_000);
    const came = await soak({ messages: 300, inFlight: 8, tokenLifetime: 1, leastRefreshes: 2 });
    should(faultsOf(came)).eql([], tableOf(came));
  });
});
