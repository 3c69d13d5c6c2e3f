/** Builds tar archives of any content, also ones that no program would write. Names are as in path-bytes.ts. */
import { gzipSync } from 'node:zlib';
import { encodePath } from '../../../src/fs/path-bytes';

export interface TarItem {
  name: string;
  /** Type flag; `0`, a file, by default. */
  type?: string;
  content?: Buffer | string;
  linkName?: string;
  mode?: number;
  /** Seconds since 1970. */
  mtime?: number;
  uid?: number;
  /** The size in the header; the content's by default. */
  size?: number;
  /** Records of a pax header before the entry. */
  pax?: Readonly<Record<string, string>>;
}

const BLOCK = 512;
export const END_MARK = Buffer.alloc(2 * BLOCK);

/** With the end-of-archive mark. */
export function tar(...items: TarItem[]): Buffer {
  return Buffer.concat([...items.map(tarItem), END_MARK]);
}

export function tarGz(...items: TarItem[]): Buffer {
  return gzipSync(tar(...items));
}

/** One entry without the end-of-archive mark. */
export function tarItem(item: TarItem): Buffer {
  const content = Buffer.from(item.content ?? '');
  const blocks = [header(item, item.size ?? content.length), padded(content)];
  if (!item.pax) return Buffer.concat(blocks);
  const records = paxRecords(item.pax);
  const pax = { name: 'PaxHeaders/entry', type: 'x' };
  return Buffer.concat([header(pax, records.length), padded(records), ...blocks]);
}

function header(item: TarItem, size: number): Buffer {
  const { name, type = '0', linkName = '', mode = 0o644, mtime = 1_700_000_000, uid = 0 } = item;
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, digits: number): void => {
    block.write(value.toString(8).padStart(digits, '0'), offset, 'latin1');
  };
  encodePath(name).copy(block, 0, 0, 100);
  octal(mode, 100, 7);
  octal(uid, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(mtime, 136, 11);
  block.write(type, 156, 'latin1');
  encodePath(linkName).copy(block, 157, 0, 100);
  block.write('ustar\x0000', 257, 'latin1');
  block.fill(' ', 148, 156);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  return block;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(-content.length & (BLOCK - 1))]);
}

/** Each record begins with its own length. */
function paxRecords(records: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    const bytes = encodePath(rest).length;
    let length = bytes + String(bytes).length;
    length = bytes + String(length).length;
    return `${length}${rest}`;
  });
  return encodePath(lines.join(''));
}
