/** Archives that lack a source, or something in it, are called `NAME.incomplete.EXT`. They replace no other archive. */

export const INCOMPLETE_SUFFIX = '.incomplete';

const NAME = /\.incomplete(?:\.tar|\.tar\.gz|\.tgz)(?:\.age)?$/i;

export function isIncompleteArchive(name: string): boolean {
  return NAME.test(name);
}
