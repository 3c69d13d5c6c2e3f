/** A short run of `npm run test:faults`. */
import 'should';
import { runCampaign } from './run-campaign';

/** ms. Below mocha's limit, which would leave Node-RED running for the next spec. */
const LIMIT = 240_000;

describe('fault campaign', () => {
  it('a short fault campaign with the client finds no problems', async () => {
    const report = await runCampaign({ seed: 7, runs: 30, layer: 'client', limit: LIMIT });
    report.isClean.should.equal(true, report.toString());
    report.faultKinds.should.be.aboveOrEqual(25);
    report.results.should.be.above(25);
    report.errors.size.should.be.above(5);
  });

  it('a short fault campaign with the nodes finds no problems', async () => {
    const report = await runCampaign({ seed: 7, runs: 24, layer: 'nodes', limit: LIMIT });
    report.isClean.should.equal(true, report.toString());
    report.faultKinds.should.be.aboveOrEqual(25);
    report.results.should.be.above(25);
    report.errors.size.should.be.above(5);
  });
});
