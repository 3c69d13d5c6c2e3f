import { killAgainAndAgain } from './kill-tests';

/** A larger file and more kills are in kill_long.ts. */
describe('Node-RED is killed three times in a transfer of 20 MB', function () {
  this.timeout(60_000);
  killAgainAndAgain({ size: 20_000_000, bytesPerSecond: 10_000_000 }, { count: 3, seed: 4 });
});
