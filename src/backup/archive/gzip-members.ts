/**
 * Compresses a stream with several threads: it is split into blocks, each of which becomes a gzip member of its own.
 * Several members in a row are one valid file: https://www.rfc-editor.org/rfc/rfc1952#section-2.2
 */
import * as zlib from 'node:zlib';
import { type Gzip, type ZlibOptions, type ZlibReset, constants, createGzip } from 'node:zlib';
import { freeBuffer } from '../../core/buffers';
import { BLOCK_SIZE } from './index-format';

/** Blocks that are compressed at once. One of the four threads of Node's pool remains for other work. */
const PARALLEL = 3;
/** More than zlib adds to a block that doesn't shrink. */
const OVERHEAD = 4 * 1024;
/** Bytes of the parts of a block that are compressed or stored, depending on their content. */
const PART_SIZE = 4 * 1024;
/** Bytes of neighboring parts that are worth a member of their own, which starts without a history. */
const MIN_STORED = 8 * 1024;
/** Bytes of neighboring parts from which on some of them are compressed to find out whether that is worth it. */
const MIN_PROBED = 64 * 1024;
const PROBE_SIZE = 16 * 1024;
/** For a probe, zlib needs a quarter of the memory. Its window is as long as the probe. */
const PROBE_OPTIONS = { level: constants.Z_BEST_SPEED, windowBits: 14, memLevel: 6 };
/** Content that doesn't become smaller than this, such as photos and videos, is stored, which takes hardly any time. */
const WORTHWHILE = 0.97;
/**
 * A fifth less time than with the default level, for files that are 1 % larger; with more memory than by default,
 * another tenth less.
 */
const OPTIONS = { level: 5, memLevel: constants.Z_MAX_MEMLEVEL };
const CHUNK_SIZE = 64 * 1024;

/**
 * @param content its memory may be reused after the next call
 * @returns the compressed bytes of one block after the other, whose memory is reused after the next call
 */
export async function* gzipMembers(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const blocks = Array.from({ length: PARALLEL + 1 }, () => new Block());
  const pending: Promise<Buffer>[] = [];
  let started = 0;
  const current = (): Block => blocks[started % blocks.length] as Block;
  const start = (): void => {
    const compressing = current().compress();
    // Awaited below; until then, a rejection without a handler would end the process.
    compressing.catch(() => undefined);
    pending.push(compressing);
    started += 1;
  };
  try {
    for await (const chunk of content) {
      for (let position = 0; position < chunk.length;) {
        position += current().add(chunk, position);
        if (current().isFull) start();
        const first = pending.length === blocks.length ? pending.shift() : undefined;
        if (first) yield await first;
      }
    }
    if (!current().isEmpty) start();
    for (let first = pending.shift(); first; first = pending.shift()) yield await first;
  } finally {
    await Promise.allSettled(pending);
    for (const block of blocks) block.close();
  }
}

/** Neighboring parts of a block. */
interface Run {
  start: number;
  end: number;
  isWorthwhile: boolean;
}

/** A block with the buffers and compressors that are reused for later ones. */
class Block {
  private readonly input = Buffer.allocUnsafeSlow(BLOCK_SIZE);
  private readonly output = Buffer.allocUnsafeSlow(BLOCK_SIZE + OVERHEAD);
  private writer: MemberWriter | undefined;
  private probeWriter: MemberWriter | undefined;
  private length = 0;

  get isFull(): boolean {
    return this.length === BLOCK_SIZE;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  /** @returns the number of bytes that had room */
  add(chunk: Buffer, start: number): number {
    const copied = chunk.copy(this.input, this.length, start);
    this.length += copied;
    return copied;
  }

  /** @returns one or more members, in a buffer that is reused for the next block */
  async compress(): Promise<Buffer> {
    const content = this.input.subarray(0, this.length);
    this.length = 0;
    let written = 0;
    for (const { start, end, isWorthwhile } of await this.runs(content)) {
      const [run, output] = [content.subarray(start, end), this.output.subarray(written)];
      this.writer ??= new MemberWriter(OPTIONS);
      written += isWorthwhile ? await this.writer.write(run, output) : writeStoredMember(run, output);
    }
    return this.output.subarray(0, written);
  }

  private async runs(content: Buffer): Promise<Run[]> {
    const runs: Run[] = [];
    for (const run of partsOf(content)) {
      const length = run.end - run.start;
      // Bytes that look like noise may still repeat.
      run.isWorthwhile ||=
        length < MIN_STORED ||
        (length >= MIN_PROBED && (await this.shrinks(content.subarray(run.start, run.start + PROBE_SIZE))));
      addRun(runs, run);
    }
    return runs;
  }

  private async shrinks(probe: Buffer): Promise<boolean> {
    this.probeWriter ??= new MemberWriter(PROBE_OPTIONS);
    return (await this.probeWriter.write(probe, this.output)) < probe.length * WORTHWHILE;
  }

  close(): void {
    this.writer?.close();
    this.probeWriter?.close();
    for (const buffer of [this.input, this.output]) freeBuffer(buffer);
  }
}

/** @returns neighboring parts that are both worth compressing, or both not, by how often each byte occurs */
function partsOf(content: Buffer): Run[] {
  const runs: Run[] = [];
  for (let start = 0; start < content.length; start += PART_SIZE) {
    const end = Math.min(start + PART_SIZE, content.length);
    addRun(runs, { start, end, isWorthwhile: sampledEntropy(content, start, end) < 8 * WORTHWHILE });
  }
  return runs;
}

/** Adds a run, or joins it with the last one. */
function addRun(runs: Run[], run: Run): void {
  const last = runs.at(-1);
  if (last?.isWorthwhile === run.isWorthwhile) last.end = run.end;
  else runs.push(run);
}

const counts = new Uint16Array(256);
/** n log2 n */
const weights = Float64Array.from({ length: PART_SIZE + 1 }, (_, count) => count && count * Math.log2(count));

/** @returns bits per byte, from 0 to 8, that codes for single bytes need; of every other byte, which is enough */
function sampledEntropy(content: Buffer, start: number, end: number): number {
  counts.fill(0);
  for (let index = start; index < end; index += 2) counts[content[index] as number]!++;
  const total = Math.ceil((end - start) / 2);
  let bits = Math.log2(total);
  for (let value = 0; value < 256; value++) bits -= (weights[counts[value] as number] as number) / total;
  return bits;
}

/** Writes gzip members one after the other with the same compressor, whose memory is allocated once. */
class MemberWriter {
  private readonly gzip: Gzip & ZlibReset;
  private output: Buffer = Buffer.alloc(0);
  private length = 0;
  /** The buffer that the compressor is filling. */
  private filling: ArrayBufferLike | undefined;
  private fail: (error: Error) => void = () => undefined;

  constructor(options: ZlibOptions) {
    // Each write is a whole member: a separate flush would be another round trip to the thread pool.
    const each = { chunkSize: CHUNK_SIZE, flush: constants.Z_FINISH };
    // The types of Node.js 18 lack `reset` here: https://nodejs.org/api/zlib.html#zlibreset
    this.gzip = createGzip({ ...options, ...each }) as Gzip & ZlibReset;
    this.gzip.on('data', (chunk: Buffer) => this.collect(chunk));
    this.gzip.on('error', (error) => this.fail(error));
  }

  /** @returns the length of the member in `output` */
  write(content: Buffer, output: Buffer): Promise<number> {
    this.output = output;
    this.length = 0;
    return new Promise((resolve, reject) => {
      this.fail = reject;
      this.gzip.write(content, (error) => {
        if (error) return reject(error);
        this.gzip.reset();
        return resolve(this.length);
      });
    });
  }

  close(): void {
    this.gzip.close();
  }

  private collect(chunk: Buffer): void {
    this.output.set(chunk, this.length);
    this.length += chunk.length;
    // The compressor never returns to an earlier buffer.
    if (this.filling && this.filling !== chunk.buffer) freeBuffer(Buffer.from(this.filling));
    this.filling = chunk.buffer;
  }
}

/** No flags, no time, no extra flags, an unknown system. */
const STORED_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** Bytes of a stored block: its length has 16 bits. */
const MAX_STORED = 0xffff;

/**
 * Writes a gzip member whose content isn't compressed. Not by zlib: at level 0, Node.js 18.5 writes beyond its memory,
 * and later versions copy everything twice.
 * https://www.rfc-editor.org/rfc/rfc1952#section-2.3, https://www.rfc-editor.org/rfc/rfc1951#section-3.2.4
 * @returns its length in `output`
 */
export function writeStoredMember(content: Buffer, output: Buffer): number {
  let position = STORED_HEADER.copy(output);
  for (let start = 0; start < content.length; start += MAX_STORED) {
    const length = Math.min(MAX_STORED, content.length - start);
    const isLast = start + length === content.length;
    position = output.writeUInt8(isLast ? 1 : 0, position);
    position = output.writeUInt16LE(length, position);
    position = output.writeUInt16LE(length ^ 0xffff, position);
    position += content.copy(output, position, start, start + length);
  }
  position = output.writeUInt32LE(crc32(content), position);
  return output.writeUInt32LE(content.length, position);
}

/** Node.js has a function since 20.15. */
const native = (zlib as { crc32?: (data: Buffer) => number }).crc32;

function crc32(content: Buffer): number {
  return native ? native(content) : crc32InTable(content);
}

let table: Uint32Array | undefined;

/** https://www.rfc-editor.org/rfc/rfc1952#section-8 */
export function crc32InTable(content: Buffer): number {
  table ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });
  const values = table;
  let crc = -1;
  // Without iterators and checks for undefined: this loop sees every byte.
  for (let index = 0; index < content.length; index++) {
    crc = (values[(crc ^ (content[index] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
