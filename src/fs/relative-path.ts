/** Relative paths that archives and journals contain, which may come from anyone. */
import { safeName } from './safe-name';

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
