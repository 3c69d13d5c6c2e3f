/**
 * What an archive's metadata notes for later backups, in `appProperties`, which only this client sees: which host and
 * paths it is from, and which disks were mounted in them. A property has at most 124 bytes, and a file 30 of them:
 * https://developers.google.com/workspace/drive/api/guides/properties
 */
import { createHash } from 'node:crypto';
import { isObject, isString } from '../core/validator';
import { type SourceMount, pathOfMount } from '../fs/mount-points';
import { isUtf8 } from '../fs/path-bytes';
import type { DriveFile } from '../types';

/** Members are unknown for archives of earlier versions and other programs, which have no note. */
export interface ArchiveNote {
  /** Equal for the archives of the same host and paths, in any order. */
  series?: string | undefined;
  /** Undefined if unknown. Paths that are too long, or must not be seen, are hashes: see {@link withPaths}. */
  mounts?: SourceMount[] | undefined;
}

const SERIES = 'backupSeries';
const MOUNTS = 'backupMounts';
/** Property names are `backupMount1`, … */
const MOUNT = 'backupMount';
const MAX_MOUNTS = 25;
/** Bytes of a value: a property less its name. */
const MAX_VALUE = 124 - `${MOUNT}${MAX_MOUNTS}`.length;

/** A hash, because paths may be long, and those of an encrypted archive are secret. */
export function seriesOf(host: string, sources: readonly string[]): string {
  return hash(JSON.stringify([host, ...[...sources].sort()]));
}

/** @param hidesNames whether the archive is encrypted. @returns the `appProperties` of an archive */
export function noteProperties({ series, mounts }: ArchiveNote, hidesNames: boolean): Record<string, string> {
  const noted = mounts?.slice(0, MAX_MOUNTS).map((mount) => toNoted(mount, hidesNames));
  return {
    ...(series !== undefined && { [SERIES]: series }),
    ...(noted && { [MOUNTS]: String(noted.length) }),
    ...Object.fromEntries((noted ?? []).map((mount, index) => [`${MOUNT}${index + 1}`, mount])),
  };
}

export function readNote({ appProperties }: DriveFile): ArchiveNote {
  const noted = isObject(appProperties) ? appProperties : {};
  const valueOf = (name: string): string | undefined => (isString(noted[name]) ? noted[name] : undefined);
  const count = Number(valueOf(MOUNTS) ?? NaN);
  const length = Math.min(count, MAX_MOUNTS) || 0;
  const mounts = Array.from({ length }, (_, index) => valueOf(`${MOUNT}${index + 1}`) ?? []).flat();
  return { series: valueOf(SERIES), mounts: Number.isNaN(count) ? undefined : mounts };
}

/** @returns the mount points with their paths, as far as these are among those of today */
export function withPaths(noted: readonly SourceMount[], today: Iterable<SourceMount>): SourceMount[] {
  const paths = new Map(Array.from(today, pathOfMount).map((path) => [hiddenPath(path), path]));
  return noted.map((mount) => {
    const path = pathOfMount(mount);
    return withPath(mount, paths.get(path) ?? path);
  });
}

/** @returns false for a path that is only known as a hash */
export function hasPath(mount: SourceMount): boolean {
  return !pathOfMount(mount).startsWith('#');
}

function toNoted(mount: SourceMount, hidesNames: boolean): SourceMount {
  const path = pathOfMount(mount);
  const isShown = !hidesNames && isUtf8(path) && Buffer.byteLength(mount) <= MAX_VALUE;
  return isShown || !hasPath(mount) ? mount : withPath(mount, hiddenPath(path));
}

function withPath(mount: SourceMount, path: string): SourceMount {
  return mount.startsWith('=') ? `=${path}` : path;
}

function hiddenPath(path: string): string {
  return `#${hash(path).slice(0, 22)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
