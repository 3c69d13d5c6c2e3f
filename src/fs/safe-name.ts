/**
 * Turns a file name from Drive into one for any disk. Names in Drive may contain `/`, `..` or newlines. The result
 * stays in its folder, and is the same on every system. https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
import { splitName } from '../core/names';

/** Bytes: the limit of most file systems. Windows allows 255 UTF-16 units, which is never less. */
const MAX_NAME = 255;
const MAX_EXTENSION = 32;
const DEFAULT_NAME = 'unnamed';

/**
 * Separators, characters that Windows rejects, control characters, and unpaired surrogates, which UTF-8 can't encode.
 */
// eslint-disable-next-line no-control-regex
const UNSAFE = /[/\\<>:"|?*\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/gu;
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i;

/** @returns a name of 1 to 255 bytes without separators, never `.`, `..` or a Windows device */
export function safeName(name: string): string {
  const safe = trimEnd(name.replace(UNSAFE, '_')) || DEFAULT_NAME;
  return truncateName(WINDOWS_DEVICE.test(safe) ? `_${safe}` : safe, MAX_NAME);
}

/**
 * Shortens the stem and keeps the extension.
 * @param limit bytes in UTF-8
 */
export function truncateName(name: string, limit: number): string {
  if (Buffer.byteLength(name) <= limit) return name;
  const { extension } = splitName(name);
  const end = Buffer.byteLength(extension) <= MAX_EXTENSION ? extension : '';
  const stem = firstBytes(name, limit - Buffer.byteLength(end));
  return (trimEnd(stem) || '_') + end;
}

/** Windows drops spaces and dots at the end, so two different names could be the same file there. */
function trimEnd(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  return name.slice(0, end);
}

/** Cuts between characters. */
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

/**
 * @param isWindows whether names have to be valid on Windows, where `:` and `\` have a meaning
 * @returns the path without `.` and empty names, `''` for the archive's own folder; undefined if it is absolute,
 *   contains `..` or isn't a name on this system
 */
export function relativePath(name: string, isWindows = process.platform === 'win32'): string | undefined {
  if (name.startsWith('/') || name.includes('\0')) return undefined;
  const names = name.split('/').filter((part) => part !== '' && part !== '.');
  if (names.includes('..')) return undefined;
  if (isWindows && names.some((part) => safeName(part) !== part)) return undefined;
  return names.join('/');
}
