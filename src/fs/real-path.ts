/** Paths without symbolic links. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** @param path absolute; it may be missing. @returns it without symbolic links in the part that exists */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}
