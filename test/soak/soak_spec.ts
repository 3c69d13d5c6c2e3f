/** A short run of `npm run test:soak`. */
import should from 'should';
import { problemsOf, soakTable } from './report';
import { runSoak } from './run-soak';

describe('soak test', () => {
  it('a short soak test finds no problems', async function () {
    // A token must live longer than a busy machine may delay a request with it.
    const result = await runSoak({ messages: 300, inFlight: 8, tokenLifetime: 2, minRefreshes: 2 });
    should(problemsOf(result)).eql([], soakTable(result));
  });
});
