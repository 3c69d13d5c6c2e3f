import { type AgeRecipients, loadAge } from '../../../src/backup/archive/age';
/** Encrypted content for tests of what reads it. */

/** A passphrase takes 256 times as much work in archives of this package, which is a second. */
const WORK_FACTOR = 10;

export async function encrypted(content: Buffer, to: AgeRecipients): Promise<Buffer> {
  const encrypter = new (loadAge().Encrypter)();
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  if ('passphrase' in to) encrypter.setPassphrase(to.passphrase);
  else for (const recipient of to.recipients) encrypter.addRecipient(recipient);
  return Buffer.from(await encrypter.encrypt(content));
}
