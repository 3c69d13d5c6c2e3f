/**
 * Names in trees are quoted as by Go's strconv.Quote, without the outer quotes: so names that aren't UTF-8 survive in
 * JSON.
 * https://pkg.go.dev/strconv#Quote
 */
import { decodePath } from '../../fs/path-bytes';

const SIMPLE: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', '"': '"' },
};
const LETTERS = new Map(Object.entries(SIMPLE).map(([letter, char]) => [char, letter]));
/** Characters that aren't escaped: unicode.IsPrint without quote and backslash. */
const UNQUOTED = /^(?:(?!["\\])[\p{L}\p{M}\p{N}\p{P}\p{S} ])*$/u;
/** Names with none of these mean what they are. JSON may contain half a surrogate pair, which isn't a character. */
const NEEDS_UNQUOTING = /["\\\n\p{Cs}]/u;
export const LONE_SURROGATES = /\p{Cs}/gu;
const TOKEN =
  /\\(?:([abfnrtv\\"])|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|([^"\\\n])/uy;

/** @param name written as in path-bytes.ts */
export function quoteName(name: string): string {
  return UNQUOTED.test(name) ? name : Array.from(name, quoteCharacter).join('');
}

function quoteCharacter(char: string): string {
  const letter = LETTERS.get(char);
  if (letter !== undefined) return `\\${letter}`;
  if (UNQUOTED.test(char)) return char;
  const code = char.codePointAt(0) as number;
  // A byte that isn't UTF-8, as in path-bytes.ts.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code & 0xff, 2)}`;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** @returns the name, written as in path-bytes.ts; undefined if it isn't quoted correctly */
export function unquoteName(quoted: string): string | undefined {
  if (!NEEDS_UNQUOTING.test(quoted)) return quoted;
  const parts: Buffer[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < quoted.length) {
    const match = TOKEN.exec(quoted);
    const bytes = match === null ? undefined : bytesOf(match);
    if (bytes === undefined) return undefined;
    parts.push(bytes);
  }
  return decodePath(Buffer.concat(parts));
}

function bytesOf([, letter, byte, octal, short, long, char]: RegExpExecArray): Buffer | undefined {
  if (letter !== undefined) return Buffer.from(SIMPLE[letter] ?? '');
  if (byte !== undefined) return Buffer.of(parseInt(byte, 16));
  if (octal !== undefined) return Buffer.of(parseInt(octal, 8));
  // Half a surrogate pair becomes U+FFFD here, as it does in Go's JSON.
  if (char !== undefined) return Buffer.from(char);
  const code = parseInt(short ?? long ?? '', 16);
  const isCharacter = code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? Buffer.from(String.fromCodePoint(code)) : undefined;
}
