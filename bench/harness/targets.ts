/** Folders that contestants write into, a new one for each run. */
import { mkdir, readdir, truncate } from 'node:fs/promises';
import path from 'node:path';

export class Targets {
  private count = 0;

  constructor(private readonly parent: string) {}

  /** The folder of the last run. */
  get current(): string {
    return path.join(this.parent, `target-${this.count}`);
  }

  /** Frees the disk space of the last run. @returns the path of a new folder */
  async next(): Promise<string> {
    if (this.count > 0) await emptyFolder(this.current);
    this.count++;
    await mkdir(this.current);
    return this.current;
  }
}

async function emptyFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await emptyFiles(
    entries.filter((each) => each.isFile()).map(({ parentPath, name }) => path.join(parentPath, name)),
  );
}

/**
 * Empties files instead of removing them. For up to 40 seconds ext4 doesn't reuse the inodes of removed files but searches
 * past all of them whenever a file is created, which would make the next contestant several times slower.
 */
export async function emptyFiles(files: readonly string[]): Promise<void> {
  for (const file of files) await truncate(file);
}
