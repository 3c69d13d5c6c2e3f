/**
 * Part files that ended or killed downloads have left behind, to go on with or to clear away. Whoever takes one renames
 * it to a name of its own, and only one can: so two never write to the same.
 */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { newPartName, readPartName, targetIn } from './part-name';

/** ms after which nobody is expected to come back for one: as long as the service keeps an upload. */
const KEPT_FOR = 7 * 24 * 60 * 60 * 1_000;

interface Leftover {
  fileName: string;
  key: string;
  /** Bytes. */
  size: number;
}

/** Names of the parts that this process writes now, in any folder: they are unique. */
const inUse = new Set<string>();

/** Those of them that are left already, but are still being closed. */
const closing = new Map<string, Promise<void>>();

/** @returns the name, which is in use until {@link release} */
export function reserve(name: string, key: string | undefined): string {
  const fileName = newPartName(name, key);
  inUse.add(fileName);
  return fileName;
}

export function release(fileName: string): void {
  inUse.delete(fileName);
}

/** Releases it when it is closed: {@link OrphanedParts.find} waits for that. @param closed never rejects */
export function releaseAfter(fileName: string, closed: Promise<void>): void {
  const over = closed.then(() => {
    closing.delete(fileName);
    release(fileName);
  });
  closing.set(fileName, over);
}

export class OrphanedParts {
  private constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly found: readonly Leftover[],
  ) {}

  /** @param name of the file that is downloaded now. Nothing is found in a folder that can't be read. */
  static async find(folder: string, name: string): Promise<OrphanedParts> {
    const mine = [...closing].filter(([fileName]) => readPartName(fileName)?.target === targetIn(name));
    await Promise.all(mine.map(([, over]) => over));
    const names: string[] = await readdir(folder).catch(() => []);
    const found = await Promise.all(names.map((fileName) => lookAt(folder, fileName, targetIn(name))));
    const leftovers = found.flatMap((each) => each ?? []);
    return new OrphanedParts(folder, name, leftovers);
  }

  /** Takes the longest part of a content. @returns its new name, to be released */
  async claim(key: string): Promise<string | undefined> {
    const fitting = this.found.filter((each) => each.key === key && each.size > 0);
    for (const { fileName } of fitting.sort((a, b) => b.size - a.size)) {
      const mine = reserve(this.name, key);
      try {
        await rename(join(this.folder, fileName), join(this.folder, mine));
        return mine;
      } catch {
        // Somebody else was faster.
        release(mine);
      }
    }
    return undefined;
  }

  /** Removes what else there was of the target, and of others what is too old. */
  async clear(): Promise<void> {
    const paths = this.found.map(({ fileName }) => join(this.folder, fileName));
    await Promise.all(paths.map((path) => rm(path).catch(() => undefined)));
  }
}

/** @returns undefined for what is no part, is written to now, or belongs to another target that may be gone on with */
async function lookAt(folder: string, fileName: string, target: string): Promise<Leftover | undefined> {
  const part = readPartName(fileName);
  if (!part || inUse.has(fileName)) return undefined;
  const there = await stat(join(folder, fileName)).catch(() => undefined);
  if (!there?.isFile() || isWritten(part.pid, there.mtimeMs)) return undefined;
  if (part.target !== target && Date.now() - there.mtimeMs < KEPT_FOR) return undefined;
  return { fileName, key: part.key, size: there.size };
}

/** A number of our own that isn't in use is that of an earlier process: in a container it is the same each time. */
function isWritten(pid: number, mtimeMs: number): boolean {
  // Since the machine started, the number may have gone to another.
  const started = Date.now() - uptime() * 1_000;
  return pid !== process.pid && mtimeMs >= started && isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
