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

/** Full-width forms of the characters from `!` to `~` follow at this distance. */
const FULL_WIDTH = 0xfee0;
/** Symbols for control characters follow at this distance. */
const CONTROL_PICTURES = 0x2400;
// eslint-disable-next-line no-control-regex
const UNSAFE_ON_LINUX = /[/\u0000]/g;
// eslint-disable-next-line no-control-regex
const UNSAFE_ON_WINDOWS = /[/\\<>:"|?*\u0000-\u001f]|[. ](?=[. ]*$)/g;

/**
 * As {@link safeName} for one disk, whose names are compared with those on the drive: replaces only what the disk can't
 * store, by look-alikes. The result is readable, and rarely the same for two names.
 */
export function toDiskName(name: string, isWindows: boolean): string {
  const safe = name
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(isWindows ? UNSAFE_ON_WINDOWS : UNSAFE_ON_LINUX, lookAlike)
    .replace(/^\.{1,2}$/, (dots) => dots.replace(/\./g, lookAlike));
  const allowed = isWindows && WINDOWS_DEVICE.test(safe) ? `_${safe}` : safe;
  return truncateName(allowed || DEFAULT_NAME, MAX_NAME);
}

/** Whether a file on the drive has this name on some disk, see {@link toDiskName}. */
export function isNameOf(driveName: string, diskName: string): boolean {
  const names = [driveName, toDiskName(driveName, false), toDiskName(driveName, true)];
  return names.some((name) => name.normalize('NFC') === diskName.normalize('NFC'));
}

function lookAlike(char: string): string {
  const code = char.charCodeAt(0);
  return String.fromCharCode(code <= 0x20 ? CONTROL_PICTURES + code : FULL_WIDTH + code);
}
