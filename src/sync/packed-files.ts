/**
 * A list of files that takes a third of the memory of objects, and none of the JavaScript heap: everything but the
 * folder of a file is in buffers.
 */
import type { LocalFile, RemoteFile, SyncFile, SyncFolder } from './sync-folder';

const CHUNK_SIZE = 256 * 1024;
/** Bytes of a record before its strings: four numbers, three lengths, and flags. */
const HEADER_SIZE = 4 * 8 + 3 * 2 + 1;
const FLAGS = { local: 1, remote: 2, document: 4, renamed: 8 };

export class PackedFiles {
  private readonly folders: SyncFolder[] = [];
  private readonly chunks: Buffer[] = [];
  /** Positions of the records, as if the chunks were one buffer. */
  private positions = new Float64Array(256);
  private used = CHUNK_SIZE;

  get length(): number {
    return this.folders.length;
  }

  push({ folder, name, local, remote, isRenamed }: SyncFile): void {
    const strings = [
      Buffer.from(name),
      Buffer.from(remote?.id ?? ''),
      Buffer.from(remote?.checksum ?? '', 'latin1'),
    ];
    const numbers = [local?.size, local?.mtimeMs, remote?.size, remote?.time];
    const size = HEADER_SIZE + strings.reduce((sum, { length }) => sum + length, 0);
    const chunk = this.chunkFor(size);
    this.addPosition((this.chunks.length - 1) * CHUNK_SIZE + this.used);
    let offset = this.used;
    for (const number of numbers) offset = chunk.writeDoubleLE(number ?? NaN, offset);
    for (const { length } of strings) offset = chunk.writeUInt16LE(length, offset);
    const flags = [local && FLAGS.local, remote && FLAGS.remote, remote?.isDocument && FLAGS.document];
    const bits = flags.reduce<number>((sum, bit) => sum + (bit || 0), isRenamed ? FLAGS.renamed : 0);
    offset = chunk.writeUInt8(bits, offset);
    for (const string of strings) offset += string.copy(chunk, offset);
    this.used = offset;
    this.folders.push(folder);
  }

  at(index: number): SyncFile {
    const { chunk, start } = this.recordAt(index);
    const numbers = [0, 1, 2, 3].map((each) => chunk.readDoubleLE(start + each * 8));
    const [size = 0, mtimeMs = 0, remoteSize = NaN, time = NaN] = numbers;
    const lengths = [0, 1, 2].map((each) => chunk.readUInt16LE(start + 32 + each * 2));
    const [nameLength = 0, idLength = 0, checksumLength = 0] = lengths;
    const flags = chunk.readUInt8(start + HEADER_SIZE - 1);
    const idStart = start + HEADER_SIZE + nameLength;
    const checksumStart = idStart + idLength;
    const local: LocalFile | undefined = flags & FLAGS.local ? { size, mtimeMs } : undefined;
    const remote: RemoteFile = {
      id: chunk.toString('utf8', idStart, checksumStart),
      size: numberOrUndefined(remoteSize),
      time: numberOrUndefined(time),
      checksum: chunk.toString('latin1', checksumStart, checksumStart + checksumLength) || undefined,
      isDocument: (flags & FLAGS.document) !== 0,
    };
    return {
      folder: this.folders[index] as SyncFolder,
      name: chunk.toString('utf8', start + HEADER_SIZE, idStart),
      local,
      remote: flags & FLAGS.remote ? remote : undefined,
      isRenamed: (flags & FLAGS.renamed) !== 0,
    };
  }

  /** Bytes of the local or the remote file; 0 if unknown. */
  sizeAt(index: number, side: 'local' | 'remote'): number {
    const { chunk, start } = this.recordAt(index);
    return numberOrUndefined(chunk.readDoubleLE(start + (side === 'local' ? 0 : 16))) ?? 0;
  }

  *[Symbol.iterator](): Generator<SyncFile> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  private recordAt(index: number): { chunk: Buffer; start: number } {
    const position = this.positions[index] as number;
    const chunk = this.chunks[Math.floor(position / CHUNK_SIZE)] as Buffer;
    return { chunk, start: position % CHUNK_SIZE };
  }

  private chunkFor(size: number): Buffer {
    if (this.used + size > CHUNK_SIZE) {
      this.chunks.push(Buffer.allocUnsafeSlow(CHUNK_SIZE));
      this.used = 0;
    }
    return this.chunks.at(-1) as Buffer;
  }

  private addPosition(position: number): void {
    if (this.length === this.positions.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.positions);
      this.positions = larger;
    }
    this.positions[this.length] = position;
  }
}

function numberOrUndefined(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
