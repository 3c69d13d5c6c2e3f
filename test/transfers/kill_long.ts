/** Node-RED killed again and again: docs/how-it-works.md, "Transfers that break". `KILL_SEED` repeats a run. */
import { testTransfersWithKills } from './kill-tests';

const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1e6);

describe('Node-RED is killed twenty times in a transfer of 200 MB', function () {
  this.timeout(600_000);
  testTransfersWithKills({ size: 200_000_000, bytesPerSecond: 20_000_000 }, { count: 20, seed });
});
