/** What kind of file system a folder is on: see statfs(2). */
import { statfs } from 'node:fs/promises';

/** ext2 to ext4, XFS, Btrfs, tmpfs, F2FS, ZFS, overlayfs: local, and a name can contain everything but `/`. */
const LINUX_FILE_SYSTEMS: ReadonlySet<number | undefined> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0x2fc12fc1, 0x794c7630],
]);

/** @returns its magic number, if known */
export async function fileSystemType(folder: string): Promise<number | undefined> {
  // Node.js has it since 18.15.
  const find = statfs as typeof statfs | undefined;
  const stats = await find?.(folder).catch(() => undefined);
  return stats && Number(stats.type);
}

export function isLinuxFileSystem(type: number | undefined): boolean {
  return LINUX_FILE_SYSTEMS.has(type);
}
