/**
 * The small JSON files of a repository: its config, snapshots and locks.
 * https://restic.readthedocs.io/en/stable/100_references.html#snapshots
 */
import { DriveError } from '../../errors';
import type { PartOwner } from '../../fs/part-owner';
import { type JsonObject, isBoolean, isNumber, isObject, isString, tryParse } from '../../core/validator';
import { isIrreducible } from './chunker';
import { JsonReader, NS_PER_MS, formatTime, isId, isStrings, parseTime } from './json-file';

export interface RepositoryConfig {
  version: 1 | 2;
  /** 32 bytes in hexadecimal. */
  id: string;
  polynomial: bigint;
}

/** What is written; without `excludes`, `uid` and `gid`, what is read. */
export interface Snapshot {
  /** Nanoseconds since 1970. */
  time: bigint;
  tree: string;
  parent?: string | undefined;
  /** Absolute. */
  paths: string[];
  hostname: string;
  username: string;
  tags: string[];
  excludes?: string[] | undefined;
  uid?: number | undefined;
  gid?: number | undefined;
  /** As in mount-points.ts. Only this package writes it. */
  mounts?: string[] | undefined;
}

export interface Lock {
  /** ms since 1970. */
  time: number;
  exclusive: boolean;
  hostname: string;
  username: string;
  pid: number;
  /** Only this package writes it; restic ignores what it doesn't know. */
  owner?: PartOwner | undefined;
}

export function configJson({ version, id, polynomial }: RepositoryConfig): Buffer {
  return toJson({ version, id, chunker_polynomial: polynomial.toString(16) });
}

/** @throws `bad_response` if it is malformed, or of another version */
export function readConfig(json: Buffer): RepositoryConfig {
  const reader = new JsonReader('config');
  const config = reader.object(tryParse(json));
  const version = reader.member(config, 'version', isNumber);
  if (version !== 1 && version !== 2) {
    throw new DriveError('bad_response', { text: 'bad_response_repository_version', params: { version } });
  }
  const digits = reader.member(config, 'chunker_polynomial', isString);
  const polynomial = /^[0-9a-f]{14}$/.test(digits) ? BigInt(`0x${digits}`) : 0n;
  if (!isIrreducible(polynomial)) throw reader.wrong('chunker_polynomial');
  return { version, id: reader.member(config, 'id', isId), polynomial };
}

export function snapshotJson(snapshot: Snapshot): Buffer {
  const { time, parent, tree, paths, hostname, username, uid, gid, excludes, tags } = snapshot;
  const { mounts: source_mounts } = snapshot;
  const optional = { uid, gid, excludes: nonEmpty(excludes), tags: nonEmpty(tags), source_mounts };
  return toJson({ time: formatTime(time), parent, tree, paths, hostname, username, ...optional });
}

/** @throws `bad_response` if it is malformed */
export function readSnapshot(json: Buffer, file: string): Snapshot {
  const reader = new JsonReader(file);
  const object = reader.object(tryParse(json));
  const time = parseTime(reader.member(object, 'time', isString));
  if (time === undefined) throw reader.wrong('time');
  return {
    time,
    tree: reader.member(object, 'tree', isId),
    parent: reader.optional(object, 'parent', isId),
    paths: reader.optional(object, 'paths', isStrings) ?? [],
    hostname: reader.optional(object, 'hostname', isString) ?? '',
    username: reader.optional(object, 'username', isString) ?? '',
    tags: reader.optional(object, 'tags', isStrings) ?? [],
    mounts: reader.optional(object, 'source_mounts', isStrings),
  };
}

export function lockJson({ time, exclusive, ...owner }: Lock): Buffer {
  return toJson({ time: formatTime(BigInt(time) * NS_PER_MS), exclusive, ...owner });
}

/** @throws `bad_response` if it is malformed */
export function readLock(json: Buffer, file: string): Lock {
  const reader = new JsonReader(file);
  const object = reader.object(tryParse(json));
  const time = parseTime(reader.member(object, 'time', isString));
  if (time === undefined) throw reader.wrong('time');
  return {
    time: Number(time / NS_PER_MS),
    exclusive: reader.optional(object, 'exclusive', isBoolean) ?? false,
    hostname: reader.optional(object, 'hostname', isString) ?? '',
    username: reader.optional(object, 'username', isString) ?? '',
    pid: reader.optional(object, 'pid', isNumber) ?? 0,
    owner: ownerOf(reader, object),
  };
}

function ownerOf(reader: JsonReader, lock: JsonObject): PartOwner | undefined {
  const owner = reader.optional(lock, 'owner', isObject);
  return (
    owner && {
      pidNamespace: reader.member(owner, 'pidNamespace', isString),
      pid: reader.member(owner, 'pid', isNumber),
      startTime: reader.member(owner, 'startTime', isString),
      token: reader.member(owner, 'token', isString),
    }
  );
}

function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  return list?.length === 0 ? undefined : list;
}

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
