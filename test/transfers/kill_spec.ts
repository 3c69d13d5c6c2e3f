/** Node-RED killed in a transfer, three times: docs/how-it-works.md, "Transfers that break". Twenty times: kill_long. */
import { testTransfersWithKills } from './kill-tests';

/** A larger file and more kills are in kill_long.ts. */
describe('Node-RED is killed three times in a transfer of 30 MB', function () {
  this.timeout(60_000);
  testTransfersWithKills({ size: 30_000_000, bytesPerSecond: 20_000_000 }, { count: 3, seed: 4 });
});
