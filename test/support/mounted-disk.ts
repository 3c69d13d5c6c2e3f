/** Disks with their own file systems, unlike the temporary folder's: images, which only root on Linux can mount. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  rmdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import { type Program, needsProgram } from './archive/programs';

export type MountedDiskKind = keyof typeof KINDS;

interface Kind {
  programs: readonly Program[];
  format: readonly string[];
  mount: (image: string, folder: string) => void;
}

/**
 * - `exfat`: ignores case, has another inode for each spelling, and refuses some characters; no links.
 * - `ntfs`: ignores case, but keeps the spelling of a name that is written again.
 * - `ntfs-windows-names`: distinguishes case, and refuses some characters.
 * - `ext4-whole-seconds`: has times without fractions, as with small inodes.
 * - `fat`: has times in steps of two seconds. As on exfat, a file's time of change is that of its content.
 */
const KINDS = {
  exfat: {
    programs: ['mkfs.exfat', 'mount.exfat-fuse'],
    format: ['mkfs.exfat'],
    mount: (image, folder) => {
      const device = execFileSync('losetup', ['-f', '--show', image]).toString().trim();
      try {
        execFileSync('mount.exfat-fuse', [device, folder], { stdio: 'ignore' });
      } finally {
        // The system frees it when the disk is unmounted.
        execFileSync('losetup', ['-d', device]);
      }
    },
  },
  fat: {
    programs: ['mkfs.vfat', 'fusefat'],
    format: ['mkfs.vfat'],
    mount: (image, folder) => void execFileSync('fusefat', ['-o', 'rw+', image, folder], { stdio: 'ignore' }),
  },
  ntfs: ntfs('mount.lowntfs-3g', 'ignore_case'),
  'ntfs-windows-names': ntfs('mount.ntfs-3g', 'windows_names'),
  ext4: ext4(),
  'ext4-whole-seconds': ext4('-I', '128'),
} satisfies Record<string, Kind>;

function ntfs(program: Program, option: string): Kind {
  return {
    programs: ['mkfs.ntfs', program],
    format: ['mkfs.ntfs', '-F', '-q'],
    mount: (image, folder) => void execFileSync(program, [image, folder, '-o', option], { stdio: 'ignore' }),
  };
}

function ext4(...options: string[]): Kind {
  return {
    programs: ['mkfs.ext4'],
    format: ['mkfs.ext4', '-q', ...options],
    mount: (image, folder) => void execFileSync('mount', ['-o', 'loop', image, folder]),
  };
}

const IMAGE_SIZE = 64 * 1024 * 1024;

/** Mounts an image. @returns a function that unmounts and removes it. Skips the test where that isn't possible. */
function mountDisk(test: Context, kind: MountedDiskKind, folder: string): () => void {
  const { programs, format, mount }: Kind = KINDS[kind];
  if (process.platform !== 'linux' || process.geteuid?.() !== 0)
    test.skip('only root on Linux can mount disks');
  for (const program of programs) needsProgram(test, program);
  const place = mkdtempSync(path.join(tmpdir(), 'cloud-drive-image-'));
  const image = path.join(place, 'image');
  const unmount = (): void => {
    // With what a test has mounted on it.
    spawnSync('umount', ['-R', folder]);
    rmSync(place, { recursive: true });
  };
  try {
    writeFileSync(image, '');
    truncateSync(image, IMAGE_SIZE);
    execFileSync(format[0] as string, [...format.slice(1), image], { stdio: 'ignore' });
    mount(image, folder);
  } catch (error) {
    unmount();
    test.skip(`this system can’t mount ${kind} (${String(error)})`);
  }
  return unmount;
}

/** A new disk for each test, because FUSE remembers names. @returns the absolute path of a name on it */
export function useMountedDisk(kind: MountedDiskKind): (...names: string[]) => string {
  let folder = '';
  let unmount = (): void => undefined;
  beforeEach(function () {
    this.timeout(200_000);
    folder = mkdtempSync(path.join(tmpdir(), 'cloud-drive-mount-'));
    unmount = mountDisk(this, kind, folder);
  });
  afterEach(() => {
    unmount();
    rmdirSync(folder);
  });
  return (...names) => path.join(folder, ...names);
}

/** Shows a folder at another place too, as a container does with a folder of its host. */
export function bindMount(folder: string, place: string): void {
  mkdirSync(place, { recursive: true });
  execFileSync('mount', ['--bind', folder, place]);
}

/** Also while it is in use. */
export function unmount(place: string): void {
  execFileSync('umount', ['--lazy', place]);
}

/** A disk that never answers, such as a network drive whose server is off. @returns a function that removes it */
export function mountDeadDisk(place: string): () => void {
  mkdirSync(place, { recursive: true });
  // A FUSE disk without a program that serves it.
  const served = openSync('/dev/fuse', 'r+');
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
  const stdio = ['ignore', 'ignore', 'ignore', served] as const;
  execFileSync('mount', ['-i', '-t', 'fuse', '-o', options, 'dead', place], { stdio: [...stdio] });
  return () => {
    closeSync(served);
    unmount(place);
  };
}
