import { testSignInSequences } from '../../support/node-red/sign-in-sequences';

const SEQUENCES = 1_000;
const ACCOUNTS = 50;

describe('stored sign-ins', () => {
  for (let seed = 2; seed <= 1 + SEQUENCES / ACCOUNTS; seed++) {
    it(`accounts stay signed in until their users sign out, in ${ACCOUNTS} random sequences of seed ${seed}`, () =>
      testSignInSequences({ seed, accounts: ACCOUNTS, rounds: 2 }));
  }
});
