/** The Flow Library's scorecard of the packed package. https://nodered.org/docs/creating-nodes/packaging */
import { rm } from 'node:fs/promises';
import 'should';
import { pack, installTarball } from './tarball';
import { scorecard } from './scorecard';

/** All checks of the tool: license, bug tracker, name, keywords, versions, examples, dependencies. */
const CHECKS = 'D01 D02 D03 N01 N02 P01 P03 P04 P05 P06 P07 P08'.split(' ');

describe("the Flow Library's scorecard", function () {
  this.timeout(300_000);

  it('the packed package passes all checks of the scorecard', async () => {
    const tarball = await pack();
    const userDir = await installTarball(tarball.file);
    try {
      const card = await scorecard(userDir);
      Object.keys(card).sort().should.eql(CHECKS);
      Object.keys(card)
        .filter((check) => !card[check]?.test)
        .should.be.empty();
    } finally {
      await Promise.all([tarball.remove(), rm(userDir, { recursive: true })]);
    }
  });
});
