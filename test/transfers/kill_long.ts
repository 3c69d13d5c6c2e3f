/** Transfers survive twenty kills of Node-RED. `KILL_SEED` repeats a run. */
import { testTransfersWithKills } from './kill-tests';

const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1e6);

describe('transfers of 200 MB with twenty kills of Node-RED', function () {
  this.timeout(600_000);
  testTransfersWithKills({ size: 200_000_000, bytesPerSecond: 20_000_000 }, { count: 20, seed });
});
