/**
 * A name from the drive as a file name on any disk. Drive names may hold `/`, `..`, newlines, anything; what comes out
 * never leaves the folder it is put into, and the same name always comes out the same, whatever the system.
 * https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
import { splitName } from '../files/numbered-name';

/** Most file systems take names of 255 bytes; Windows takes 255 UTF-16 units, which is never less. */
const LONGEST = 255;
const LONGEST_EXTENSION = 32;
const NAMELESS = 'unnamed';

/** Separators, what Windows refuses, control characters, and halves of characters that UTF-8 cannot write. */
// eslint-disable-next-line no-control-regex
const UNSAFE = /[/\\<>:"|?*\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/gu;
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i;

/** @returns a name without separators, of 1 to 255 bytes, that is not `.`, `..` or a device of Windows */
export function safeName(name: string): string {
  const plain = withoutEnd(name.replace(UNSAFE, '_'));
  const kept = plain === '' ? NAMELESS : plain;
  return fitted(DEVICE.test(kept) ? `_${kept}` : kept, LONGEST);
}

/**
 * @param limit bytes in UTF-8
 * @returns the name, its stem shortened where it is longer, the extension kept
 */
export function fitted(name: string, limit: number): string {
  if (Buffer.byteLength(name) <= limit) return name;
  const { extension } = splitName(name);
  const end = Buffer.byteLength(extension) <= LONGEST_EXTENSION ? extension : '';
  const beginning = firstBytes(name, limit - Buffer.byteLength(end));
  return (withoutEnd(beginning) || '_') + end;
}

/** Windows drops blanks and dots at the end, so that two names would be one there. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  return name.slice(0, end);
}

/** As many whole characters as fit. */
function firstBytes(text: string, limit: number): string {
  let bytes = 0;
  let length = 0;
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > limit) break;
    length += char.length;
  }
  return text.slice(0, length);
}
