/** Synchronizations survive two kills; sync-killed_long.ts has more. */
import { testKilledSyncs } from '../../support/sync/kill-tests';

describe('synchronization in a process that is killed', () => {
  testKilledSyncs({ count: 2, seed: 4, small: 60, large: 2, maxResent: 0.1 });
});
