/** Keys of the age format as users enter them, compared with what the runtime accepts. */
import should from 'should';
import {
  isIdentity,
  isPrivateKey,
  isRecipient,
  parseIdentities,
  parseRecipients,
} from '../../../nodes/shared/contract/backup-settings';
import { checkIdentities, checkRecipients, generateAgeKeys, loadAge } from '../../../src/backup/archive/age';

describe('age keys', () => {
  const accepts = (check: () => void): boolean => {
    try {
      check();
      return true;
    } catch {
      return false;
    }
  };

  it('public keys are separated by line breaks, spaces or commas, and # starts a comment', () => {
    parseRecipients('# Anna\r\n age1a,age1b\n\n\tage1c age1d # cellar\n').should.eql([
      ...['age1a', 'age1b', 'age1c', 'age1d'],
    ]);
    parseRecipients(' \n# none\n').should.eql([]);
  });

  it('private keys are found in the file of age-keygen, even if the browser removed its line breaks', () => {
    const lines = [
      '# created: 2026-11-22',
      '# public key: age1qx',
      'AGE-SECRET-KEY-1AGE',
      'AGE-SECRET-KEY-PQ-1B',
    ];
    for (const separator of ['\n', '\r\n', ''])
      parseIdentities(lines.join(separator)).should.eql(['AGE-SECRET-KEY-1AGE', 'AGE-SECRET-KEY-PQ-1B']);
    parseIdentities('age1qx').should.eql([]);
  });

  it('the dialog accepts the same keys as the runtime', async () => {
    const { generateHybridIdentity, identityToRecipient } = loadAge();
    const own = await generateAgeKeys();
    const hybrid = await generateHybridIdentity();
    const keys = [own.recipient, own.identity, hybrid, await identityToRecipient(hybrid)];
    for (const key of keys) {
      const typingErrors = [
        key.slice(0, -1),
        `${key}q`,
        key.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')),
      ];
      for (const text of [key, ...typingErrors, key.toUpperCase(), key.toLowerCase()]) {
        isRecipient(text).should.equal(
          accepts(() => checkRecipients({ recipients: [text] })),
          text,
        );
        isIdentity(text).should.equal(
          accepts(() => checkIdentities([text])),
          text,
        );
      }
      should(isRecipient(key) || isIdentity(key)).be.true();
      isPrivateKey(key).should.equal(isIdentity(key));
    }
  });
});
