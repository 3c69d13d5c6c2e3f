/**
 * Packs: sealed blobs in a row, then a sealed header that lists them, then its length.
 * https://restic.readthedocs.io/en/stable/100_references.html#pack-format
 */
import { OVERHEAD, type RepositoryKey, seal, unseal } from './crypto';
import { JsonReader, damagedFile, isCount, isId, isStrings } from './json-file';
import { type JsonObject, isObjectArray, tryParse } from '../../core/validator';

/** A blob in a pack. */
export interface PackedBlob {
  /** SHA-256 of its plaintext, in hexadecimal. */
  id: string;
  isTree: boolean;
  /** Where it starts in the pack. */
  offset: number;
  /** Bytes in the pack, sealed. */
  length: number;
  /** Bytes of the plaintext, of a compressed blob only. */
  uncompressedLength?: number;
}

const TREE = 1;
const COMPRESSED = 2;
const ID = 32;
const LENGTH = 4;
/** Bytes of type, length and ID. */
const ENTRY = 1 + LENGTH + ID;
/** As restic's limit. */
const MAX_HEADER = 16 * 1024 * 1024;

/** A blob, and the ID of the pack that contains it. */
export interface LocatedBlob extends PackedBlob {
  pack: string;
}

/** @returns bytes in a pack beside its blobs */
export function headerSize(blobs: Iterable<PackedBlob>): number {
  let size = OVERHEAD + LENGTH;
  for (const blob of blobs) size += entrySize(blob);
  return size;
}

/** @returns bytes of a blob in the header */
export function entrySize({ uncompressedLength }: Pick<PackedBlob, 'uncompressedLength'>): number {
  return uncompressedLength === undefined ? ENTRY : ENTRY + LENGTH;
}

/** @param blobs in the order of their offsets. @returns what follows the blobs of a pack: the header and its length */
export function packHeader(key: RepositoryKey, blobs: readonly PackedBlob[]): Buffer {
  const plain = Buffer.alloc(headerSize(blobs) - OVERHEAD - LENGTH);
  let end = 0;
  for (const { id, isTree, length, uncompressedLength } of blobs) {
    const compressed = uncompressedLength === undefined ? 0 : COMPRESSED;
    end = plain.writeUInt8((isTree ? TREE : 0) + compressed, end);
    end = plain.writeUInt32LE(length, end);
    if (uncompressedLength !== undefined) end = plain.writeUInt32LE(uncompressedLength, end);
    end += plain.write(id, end, 'hex');
  }
  const header = seal(key, plain);
  const size = Buffer.alloc(LENGTH);
  size.writeUInt32LE(header.length);
  return Buffer.concat([header, size]);
}

/**
 * @param end the last bytes of the pack, at least four. @param size bytes of the pack. @param file for error messages
 * @returns how many bytes {@link readPackHeader} needs. @throws `bad_response` if it is impossible
 */
export function packHeaderSize(end: Buffer, size: number, file: string): number {
  const length = end.length < LENGTH ? 0 : end.readUInt32LE(end.length - LENGTH);
  if (length <= OVERHEAD || length > MAX_HEADER || length + LENGTH > size) throw damagedFile(file, 'header');
  return length + LENGTH;
}

/**
 * @param end the last bytes of the pack, at least {@link packHeaderSize}. @param size bytes of the pack
 * @throws `bad_response` if it is malformed, or the blobs don't fill the pack
 */
export function readPackHeader(key: RepositoryKey, end: Buffer, size: number, file: string): PackedBlob[] {
  const length = packHeaderSize(end, size, file);
  if (end.length < length) throw damagedFile(file, 'header');
  const plain = unseal(key, end.subarray(end.length - length, end.length - LENGTH), file);
  const blobs: PackedBlob[] = [];
  let offset = 0;
  for (let position = 0; position < plain.length; position += entrySize(blobs.at(-1) ?? {})) {
    const blob = readEntry(plain.subarray(position), offset);
    if (blob === undefined) throw damagedFile(file, 'header');
    blobs.push(blob);
    offset += blob.length;
  }
  if (offset + length !== size) throw damagedFile(file, 'size');
  return blobs;
}

/** @returns undefined if it is malformed */
function readEntry(entry: Buffer, offset: number): PackedBlob | undefined {
  const type = entry[0] as number;
  const isCompressed = (type & COMPRESSED) !== 0;
  const idStart = 1 + (isCompressed ? 2 : 1) * LENGTH;
  if (type > TREE + COMPRESSED || entry.length < idStart + ID) return undefined;
  const length = entry.readUInt32LE(1);
  if (length < OVERHEAD) return undefined;
  const id = entry.toString('hex', idStart, idStart + ID);
  const blob = { id, isTree: (type & TREE) !== 0, offset, length };
  return isCompressed ? { ...blob, uncompressedLength: entry.readUInt32LE(1 + LENGTH) } : blob;
}

export interface IndexedPack {
  id: string;
  blobs: readonly PackedBlob[];
}

/** Bytes of JSON after which an index file is complete. It may have 8 MiB, but takes several times as much memory. */
const FULL = 2 * 1024 * 1024;
/** Lengths and offsets in a pack have 32 bits. */
const MAX_UINT32 = 2 ** 32 - 1;

/** Yields the JSON of as many index files as needed. */
export function* indexFiles(packs: Iterable<IndexedPack>): Generator<Buffer> {
  let parts: string[] = [];
  let length = 0;
  for (const pack of packs) {
    const part = JSON.stringify({ id: pack.id, blobs: pack.blobs.map(blobJson) });
    if (length > 0 && length + part.length > FULL) {
      yield indexFile(parts);
      parts = [];
      length = 0;
    }
    parts.push(part);
    length += part.length;
  }
  if (parts.length > 0) yield indexFile(parts);
}

/** @param blobs those of a pack one after the other */
export function* groupByPack(blobs: Iterable<LocatedBlob>): Generator<IndexedPack> {
  let current: { id: string; blobs: PackedBlob[] } | undefined;
  for (const { pack, ...blob } of blobs) {
    if (current?.id !== pack) {
      if (current) yield current;
      current = { id: pack, blobs: [] };
    }
    current.blobs.push(blob);
  }
  if (current) yield current;
}

function indexFile(packs: readonly string[]): Buffer {
  return Buffer.from(`{"packs":[${packs.join()}]}`);
}

function blobJson({ id, isTree, offset, length, uncompressedLength }: PackedBlob): object {
  return { id, type: isTree ? 'tree' : 'data', offset, length, uncompressed_length: uncompressedLength };
}

/** Yields the packs of an index file. @throws `bad_response` if it is malformed */
export function* readIndexFile(json: Buffer, file: string): Generator<IndexedPack> {
  const reader = new JsonReader(file);
  const index = reader.object(tryParse(json));
  reader.optional(index, 'supersedes', isStrings);
  for (const pack of reader.optional(index, 'packs', isObjectArray) ?? []) {
    const id = reader.member(pack, 'id', isId);
    const blobs = reader.optional(pack, 'blobs', isObjectArray) ?? [];
    yield { id, blobs: blobs.map((blob) => readBlob(reader, blob)) };
  }
}

function readBlob(reader: JsonReader, json: JsonObject): PackedBlob {
  const { type } = json;
  if (type !== 'data' && type !== 'tree') throw reader.wrong('type');
  const id = reader.member(json, 'id', isId);
  const offset = reader.member(json, 'offset', isCount);
  const length = reader.member(json, 'length', isCount);
  const uncompressedLength = reader.optional(json, 'uncompressed_length', isCount) ?? 0;
  if (length < OVERHEAD || offset + length > MAX_UINT32) throw reader.wrong('length');
  if (uncompressedLength > MAX_UINT32) throw reader.wrong('uncompressed_length');
  const blob = { id, isTree: type === 'tree', offset, length };
  // As for restic, 0 means that the blob isn't compressed.
  return uncompressedLength === 0 ? blob : { ...blob, uncompressedLength };
}
