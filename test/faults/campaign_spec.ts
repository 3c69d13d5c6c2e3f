/** A short run of `npm run test:faults`. */
import 'should';
import { runCampaign } from './run-campaign';

describe('fault campaign', () => {
  it('a short fault campaign with the client finds no problems', async function () {
    const report = await runCampaign({ seed: 7, runs: 60, layer: 'client' });
    report.isClean.should.equal(true, report.toString());
    report.faultKinds.should.be.aboveOrEqual(30);
    report.results.should.be.above(30);
    report.errors.size.should.be.above(5);
  });

  it('a short fault campaign with the nodes finds no problems', async function () {
    const report = await runCampaign({ seed: 7, runs: 45, layer: 'nodes' });
    report.isClean.should.equal(true, report.toString());
    report.faultKinds.should.be.aboveOrEqual(30);
    report.results.should.be.above(30);
    report.errors.size.should.be.above(5);
  });
});
