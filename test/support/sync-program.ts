/** A program `sync` that fails, as for a disk that can't store what was written to it. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** @param folder for the program. @param message that it fails with; undefined if there is no such program */
export async function withSync<T>(
  folder: string,
  message: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const programs = path.join(folder, 'programs');
  await mkdir(programs, { recursive: true });
  const program = path.join(programs, message === undefined ? 'other' : 'sync');
  await writeFile(program, `#!/bin/sh\necho "${message ?? ''}" >&2\nexit 1\n`);
  await chmod(program, 0o755);
  const { PATH } = process.env;
  process.env.PATH = programs;
  try {
    return await work();
  } finally {
    process.env.PATH = PATH;
  }
}
