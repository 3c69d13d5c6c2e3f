/** A short piece of `npm run test:faults`, so that it still runs and still finds nothing. */
import 'should';
import { runCampaign } from './run-campaign';

describe('the fault campaign', () => {
  it('finds nothing in a short run through the client', async function () {
    this.timeout(60_000);
    const report = await runCampaign({ seed: 7, runs: 60, layer: 'client' });
    report.isClean.should.equal(true, report.toString());
    report.faultKinds.should.be.aboveOrEqual(30);
    report.results.should.be.above(30);
    report.errors.size.should.be.above(5);
  });

  it('finds nothing in a short run through the nodes', async function () {
    this.timeout(60_000);
    const report = await runCampaign({ seed: 7, runs: 45, layer: 'nodes' });
    report.isClean.should.equal(true, report.toString());
    report.faultKinds.should.be.aboveOrEqual(30);
    report.results.should.be.above(30);
    report.errors.size.should.be.above(5);
  });
});
