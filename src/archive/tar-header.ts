/**
 * Headers of tar entries, with extended records where the ustar format can't express a value.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_03
 */
import type { Header } from 'tar-stream';
import type { OpenedEntry } from './source-entry';

export type TarHeader = Partial<Header> & { name: string };

const SECOND = 1_000_000_000n;
/** The library writes times as signed 32-bit integers. */
const MAX_TIME = 0x7fff_ffffn;
/** Seven octal digits. */
const MAX_ID = 0o7777777n;
/** Eleven octal digits. */
const MAX_SIZE = 0o77777777777n;

const NON_ASCII = /[^\0-\x7f]/;

/** @param hardLink the path of an earlier entry that is the same file */
export function tarHeader({ path, type, stats, linkname }: OpenedEntry, hardLink?: string): TarHeader {
  const name = type === 'directory' ? `${path}/` : path;
  const size = type === 'file' && hardLink === undefined ? stats.size : 0n;
  const target = hardLink ?? linkname;
  const pax = paxRecords(stats, size, target);
  const seconds = stats.mtimeNs / SECOND;
  return {
    name,
    type: hardLink === undefined ? type : 'link',
    // With the bits of the type: the library replaces a mode of 0.
    mode: Number(stats.mode),
    uid: Number(min(stats.uid, MAX_ID)),
    gid: Number(min(stats.gid, MAX_ID)),
    size: Number(size),
    mtime: new Date(Number(seconds < 0n ? 0n : min(seconds, MAX_TIME)) * 1000),
    ...(target === undefined ? {} : { linkname: target }),
    ...(Object.keys(pax).length > 0 ? { pax } : {}),
  };
}

function paxRecords(
  { mtimeNs, uid, gid }: OpenedEntry['stats'],
  size: bigint,
  target: string | undefined,
): Record<string, string> {
  const pax: Record<string, string> = {};
  const isWhole = mtimeNs % SECOND === 0n;
  if (!isWhole || mtimeNs < 0n || mtimeNs / SECOND > MAX_TIME) pax['mtime'] = decimalSeconds(mtimeNs);
  if (uid > MAX_ID) pax['uid'] = String(uid);
  if (gid > MAX_ID) pax['gid'] = String(gid);
  if (size > MAX_SIZE) pax['size'] = String(size);
  // The library adds a record for a path that isn't ASCII, but not for such a target of a link.
  if (target !== undefined && NON_ASCII.test(target)) pax['linkpath'] = target;
  return pax;
}

function decimalSeconds(ns: bigint): string {
  const absolute = ns < 0n ? -ns : ns;
  const fraction = String(absolute % SECOND)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${ns < 0n ? '-' : ''}${absolute / SECOND}${fraction && `.${fraction}`}`;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
