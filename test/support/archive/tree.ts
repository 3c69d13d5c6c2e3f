/** Folders on disk as plain values, for comparison. Paths are as in path-bytes.ts. */
import { createHash } from 'node:crypto';
import {
  chmod,
  lstat,
  lutimes,
  mkdir,
  readFile,
  readdir,
  readlink,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodePath, diskPath } from '../../../src/fs/path-bytes';

/** Everything that an archive restores, by path, one line each: `-rw-r--r-- 5 2023-11-14T22:13:20.500Z 2cf24dba`. */
export async function describeTree(folder: string): Promise<Record<string, string>> {
  const lines: Record<string, string> = {};
  await describe(folder, '', lines);
  return lines;
}

/** Names and contents only; folders end with `/`. */
export async function contentsOf(folder: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const path of Object.keys(await describeTree(folder))) {
    const full = diskPath(join(folder, path));
    const stats = await lstat(full);
    if (stats.isSymbolicLink()) contents[path] = `-> ${await targetOf(full)}`;
    else if (stats.isDirectory()) contents[`${path}/`] = '';
    else contents[path] = await readFile(full, 'utf8');
  }
  return contents;
}

/** Folders end with `/`; text that begins with `-> ` is the target of a link. Parents are created. */
export async function writeTree(folder: string, contents: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    const full = join(folder, path);
    if (path.endsWith('/')) {
      await mkdir(diskPath(full), { recursive: true });
      continue;
    }
    await mkdir(diskPath(dirname(full)), { recursive: true });
    if (content.startsWith('-> ')) await symlink(diskPath(content.slice(3)), diskPath(full));
    else await writeFile(diskPath(full), content);
  }
}

async function targetOf(link: string | Buffer): Promise<string> {
  return decodePath(await readlink(link, { encoding: 'buffer' }));
}

/** Sets modes, and times with fractions of a second, that differ from entry to entry. */
export async function varyAttributes(folder: string): Promise<void> {
  const paths = Object.keys(await describeTree(folder)).reverse();
  for (const [index, path] of paths.entries()) {
    const full = diskPath(join(folder, path));
    const stats = await lstat(full);
    const time = 1_600_000_000.25 + index * 1_000.5;
    if (stats.isSymbolicLink()) await lutimes(full, time, time);
    else {
      const mode = [0o755, 0o700, 0o775][index % 3] ?? 0;
      await chmod(full, stats.isDirectory() ? mode : mode & 0o666);
      await utimes(full, time, time);
    }
  }
}

async function describe(folder: string, path: string, lines: Record<string, string>): Promise<void> {
  for (const bytes of await readdir(diskPath(join(folder, path)), { encoding: 'buffer' })) {
    const name = decodePath(bytes);
    const child = path === '' ? name : `${path}/${name}`;
    const full = diskPath(join(folder, child));
    const stats = await lstat(full);
    const mode = (stats.mode & 0o7777).toString(8);
    const common = `${mode} ${stats.mtimeMs / 1_000}`;
    if (stats.isSymbolicLink()) lines[child] = `link ${stats.mtimeMs / 1_000} ${await targetOf(full)}`;
    else if (stats.isDirectory()) {
      lines[child] = `folder ${common}`;
      await describe(folder, child, lines);
    } else if (!stats.isFile()) {
      // Reading a FIFO would never end.
      lines[child] = `device ${common} ${stats.rdev}`;
    } else {
      const hash = createHash('sha256')
        .update(await readFile(full))
        .digest('hex');
      lines[child] = `file ${common} ${stats.size} ${hash.slice(0, 12)} ${stats.nlink}`;
    }
  }
}
