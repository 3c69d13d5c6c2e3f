/** Stored sign-ins survive everything except a sign-out: docs/security.md, "What is stored where". */
import { ACCOUNTS, testSignInSequences } from '../../support/node-red/sign-in-sequences';

describe('stored sign-ins', () => {
  it(`accounts stay signed in until their users sign out, in ${ACCOUNTS} random sequences`, () =>
    testSignInSequences(Number(process.env['PROPERTY_SEED'] ?? 1), 1));
});
