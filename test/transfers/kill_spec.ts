/** Transfers survive two kills of Node-RED. kill_long.ts has larger files and more kills. */
import { testTransfersWithKills } from './kill-tests';

describe('transfers of 24 MB with two kills of Node-RED', () => {
  testTransfersWithKills({ size: 24_000_000, bytesPerSecond: 20_000_000 }, { count: 2, seed: 4 });
});
