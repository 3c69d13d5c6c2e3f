/** Stored sign-ins survive everything except a sign-out: docs/security.md, "What is stored where". */
import { testSignInSequences } from '../../support/node-red/sign-in-sequences';

const ACCOUNTS = 12;

describe('stored sign-ins', () => {
  it(`accounts stay signed in until their users sign out, in ${ACCOUNTS} random sequences`, () =>
    testSignInSequences({
      seed: Number(process.env['PROPERTY_SEED'] ?? 1),
      accounts: ACCOUNTS,
      rounds: 1,
    }));
});
