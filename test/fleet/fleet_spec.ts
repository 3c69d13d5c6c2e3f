/** A day of a small fleet. fleet_long.ts runs 1,000 machines. */
import 'should';
import { simulateDay } from './simulate-day';

describe('a fleet', () => {
  it('a day of six machines needs one token per hour each, and loses or repeats no backup', async () => {
    const { archives, tokensPerHour } = await simulateDay({ machines: 6, jitter: 1_200 });
    tokensPerHour.should.equal(1);
    archives.should.have.length(6);
    for (const names of archives) names.should.eql(['data-2024-05-17-0001.tar.gz']);
  });
});
