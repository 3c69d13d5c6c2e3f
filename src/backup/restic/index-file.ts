/** Index files: which blobs each pack contains. https://restic.readthedocs.io/en/stable/100_references.html#indexing */
import { type JsonObject, isObjectArray, tryParse } from '../../core/validator';
import type { LocatedBlob } from './blob-index';
import { JsonReader, isCount, isId, isStrings } from './json-reader';
import type { PackedBlob } from './pack';
import { OVERHEAD } from './crypto';

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
