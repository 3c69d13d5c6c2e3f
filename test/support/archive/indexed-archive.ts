/** Builds archives with an index, also ones that no program would write. */
import { gzipSync } from 'node:zlib';
import {
  BLOCK_SIZE,
  IndexPages,
  type IndexedEntry,
  writeIndex,
} from '../../../src/backup/archive/index-format';
import { type TarItem, tar } from './tar-builder';

interface Footer {
  start: number;
  tarLength: number;
}

/** What differs from the index that belongs to the archive. */
export interface ForgedIndex {
  entries?: readonly IndexedEntry[];
  /** Compressed. */
  pages?: (pages: Uint8Array[]) => Uint8Array[];
  sizes?: (sizes: number[]) => number[];
  footer?: (footer: Footer) => Footer;
  index?: (index: Buffer) => Buffer;
}

/** @param items files and folders without extended headers */
export function indexedArchive(
  items: readonly TarItem[],
  { entries = items.map(indexed), pages = same, sizes = same, footer = same, index = same }: ForgedIndex = {},
): Buffer {
  const { content, blocks } = compressed(items);
  const collected = new IndexPages();
  for (const entry of entries) collected.add(entry);
  collected.finishPage();
  const file = Buffer.concat(blocks);
  const written = writeIndex(
    sizes(blocks.map(({ length }) => length)),
    pages(collected.take()),
    footer({ start: file.length, tarLength: content.length }),
  );
  return Buffer.concat([file, index(written)]);
}

const compressedItems = new WeakMap<readonly TarItem[], { content: Buffer; blocks: Buffer[] }>();

/** Once for all indexes that are forged for it. */
function compressed(items: readonly TarItem[]): { content: Buffer; blocks: Buffer[] } {
  const known = compressedItems.get(items);
  if (known) return known;
  const content = tar(...items);
  const blocks: Buffer[] = [];
  for (let start = 0; start < content.length; start += BLOCK_SIZE)
    blocks.push(gzipSync(content.subarray(start, start + BLOCK_SIZE), { level: 1 }));
  compressedItems.set(items, { content, blocks });
  return { content, blocks };
}

export function indexed({ name, type, content = '', mode = 0o644 }: TarItem): IndexedEntry {
  return {
    ...{ path: name.replace(/\/$/, ''), mode, time: 1_700_000_000_000, target: '', headers: 1 },
    type: type === '5' ? 'folder' : 'file',
    size: content.length,
  };
}

function same<T>(value: T): T {
  return value;
}
