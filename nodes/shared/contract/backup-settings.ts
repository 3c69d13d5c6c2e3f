/** The name of an archive, keys of the age format, tags: checked by the dialogs and by the runtime. */

/** Of the template of a name. src/backup/archive-name.ts has the same rules, and rejects control characters. */
const PLACEHOLDERS = ['{name}', '{host}', '{date}', '{time}', '{number}'];
/**
 * The node adds `.tar`, `.gz`, `.age` and the mark of incomplete archives itself. With another extension, a name would
 * promise what the archive isn't.
 */
const EXTENSION = /(?:\.(?:incomplete|tar|tgz|tbz2?|txz|tzst|gz|bz2|xz|zst|age|zip|7z|rar))+\s*$/i;
/** Placeholders that run into each other: the name of another source could look like a number of this one. */
const NO_SEPARATOR = /(?:\{\w+\}|\d)\{number\}|\{number\}(?:\{\w+\}|\d)|\{name\}\{host\}|\{host\}\{name\}/;

/** A text key, and its parameters. */
export type TemplateProblem =
  | ['slash', Record<never, string>]
  | ['placeholder', { placeholder: string }]
  | ['separator', { parts: string }]
  | ['extension', { extension: string }];

/** @returns undefined for a template that the runtime accepts, or an empty one */
export function templateProblem(template: string): TemplateProblem | undefined {
  if (template.includes('/')) return ['slash', {}];
  const placeholder = template.match(/\{[^{}]*\}?/g)?.find((each) => !PLACEHOLDERS.includes(each));
  if (placeholder !== undefined) return ['placeholder', { placeholder }];
  const parts = NO_SEPARATOR.exec(template)?.[0];
  if (parts !== undefined) return ['separator', { parts }];
  const extension = EXTENSION.exec(template)?.[0].trim();
  return extension === undefined ? undefined : ['extension', { extension }];
}

/**
 * Public keys of https://age-encryption.org/v1, separated by line breaks, spaces or commas, as in age's recipients files with comments after `#`. */
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

/** Characters. */
export const MIN_PASSPHRASE = 8;

/** The tag that marks a snapshot as incomplete. */
export const INCOMPLETE_TAG = 'incomplete';

/** @returns the first tag that can't be used; undefined if there is none */
export function tagProblem(tags: readonly string[]): { kind: 'comma' | 'reserved'; tag: string } | undefined {
  for (const tag of tags.map((each) => each.trim())) {
    // restic separates tags by commas.
    if (tag.includes(',')) return { kind: 'comma', tag };
    if (tag === INCOMPLETE_TAG) return { kind: 'reserved', tag };
  }
  return undefined;
}
