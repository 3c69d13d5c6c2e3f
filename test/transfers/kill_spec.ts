/** Transfers survive three kills of Node-RED. kill_long.ts has larger files and more kills. */
import { testTransfersWithKills } from './kill-tests';

describe('transfers of 30 MB with three kills of Node-RED', () => {
  testTransfersWithKills({ size: 30_000_000, bytesPerSecond: 20_000_000 }, { count: 3, seed: 4 });
});
