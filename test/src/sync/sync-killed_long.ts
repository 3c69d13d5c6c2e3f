/** Synchronizations survive ten kills. `KILL_SEED` repeats a run. */
import { testKilledSyncs } from '../../support/sync/kill-tests';

const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1e6);

describe(`synchronization in a process that is killed ten times (seed ${seed})`, function () {
  this.timeout(600_000);
  testKilledSyncs({ count: 10, seed, small: 400, large: 20, maxResent: 0.05 });
});
