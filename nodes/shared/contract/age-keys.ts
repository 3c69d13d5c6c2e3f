/** Keys of the age format, as users enter them: https://age-encryption.org/v1 */

/** Public keys, separated by line breaks, spaces or commas, as in age's recipients files with comments after `#`. */
export function parseRecipients(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, ''));
  return lines
    .join('\n')
    .split(/[\s,]+/)
    .filter(Boolean);
}

/**
 * Private keys, anywhere in the text: users paste the whole file that age-keygen has written, and the browser removes
 * its line breaks.
 */
export function parseIdentities(text: string): string[] {
  return text.match(/AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+?(?=AGE-SECRET-KEY-|[^0-9A-Z]|$)/g) ?? [];
}

/** Whether the key is complete and has no typing error. The prefixes are those that the age library encrypts for. */
export function isRecipient(key: string): boolean {
  return (
    /^age1(?:[02-9ac-hj-np-z]{58}|(?:pq|tag|tagpq)1[02-9ac-hj-np-z]+)$/.test(key) && hasValidChecksum(key)
  );
}

/** Whether the key is complete and has no typing error. */
export function isIdentity(key: string): boolean {
  const isWellFormed = /^AGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{58}$/.test(key);
  return isWellFormed && hasValidChecksum(key.toLowerCase());
}

export function isPrivateKey(key: string): boolean {
  return /AGE-SECRET-KEY-/i.test(key);
}

/** The value of a character is its position. */
const CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Bech32: https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki#checksum */
function hasValidChecksum(key: string): boolean {
  const separator = key.lastIndexOf('1');
  const prefix = [...key.slice(0, separator)].map((character) => character.charCodeAt(0));
  const data = [...key.slice(separator + 1)].map((character) => CHARACTERS.indexOf(character));
  let checksum = 1;
  for (const value of [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31), ...data]) {
    const top = checksum >> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of GENERATOR.entries()) if ((top >> bit) & 1) checksum ^= generator;
  }
  return checksum === 1;
}
