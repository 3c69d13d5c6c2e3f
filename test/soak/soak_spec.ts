/** A short soak, so that `npm run test:soak` still runs, and finds nothing. */
import should from 'should';
import { problemsOf, soakTable } from './report';
import { runSoak } from './run-soak';

describe('a soak', () => {
  it('finds nothing in a short one', async function () {
    this.timeout(60_000);
    const came = await runSoak({ messages: 300, inFlight: 8, tokenLifetime: 1, minRefreshes: 2 });
    should(problemsOf(came)).eql([], soakTable(came));
  });
});
