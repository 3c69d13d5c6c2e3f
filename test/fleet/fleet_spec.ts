/** A day of a small fleet, in which everything goes wrong once. fleet_long.ts runs 1,000 machines. */
import 'should';
import { FAULTS } from './faults';
import { simulateDay } from './simulate-day';

describe('a fleet', () => {
  it('a day of ten machines needs one token per hour each, and loses or repeats no backup', async () => {
    const { archives, tokens, tokensPerHour, faults } = await simulateDay({
      machines: FAULTS.length,
      jitter: 1_200,
      withFaults: true,
    });
    // The one response that is lost costs another request.
    tokens.should.equal(FAULTS.length * 24 + 1);
    tokensPerHour.should.equal(1);
    for (const names of archives) names.should.eql(['data-2024-05-17-0001.tar.gz']);
    for (const { title } of FAULTS) [title, faults.get(title)].should.eql([title, 1]);
  });
});
