/** Adds blobs to a repository: in packs, which are uploaded while the next ones are filled, and then in an index. */
import type { BlobIndex } from './blob-index';
import { compress } from './compression';
import { freeIfLarge, idOf, seal } from './crypto';
import { type PackedBlob, entrySize, groupByPack, headerSize, indexFiles, packHeader } from './pack';
import type { RepositoryLock } from './locks';
import type { Repository } from './repository';

/** Uploads at once. The memory of each pack is used again for another one. */
const MAX_UPLOADS = 2;
/** Blobs in a pack: those of tiny files would take more memory as entries of the index than the pack itself. */
const MAX_BLOBS = 16_384;
/** Bytes of a pack of trees at most: most backups fill less than one, and the memory would wait for that. */
const MAX_TREE_PACK = 4 * 1024 * 1024;
/** Bytes of memory for a new pack. */
const FIRST_MEMORY = 1024 * 1024;
/** Packs after which an index is written, so that a run that is interrupted later needn't store them again. */
const PACKS_PER_INDEX = 64;

export class BlobWriter {
  /** Bytes of the blobs before compression. */
  addedBytes = 0;
  private readonly open: { data: OpenPack; tree: OpenPack };
  /** IDs of blobs that are in no complete pack yet. */
  private readonly pending = new Set<string>();
  private readonly uploads = new Set<Promise<void>>();
  /** IDs of complete packs. */
  private readonly packs = new Set<string>();
  private readonly free: ArrayBuffer[] = [];
  private error: { reason: unknown } | undefined;
  /** Blobs in the index of the repository. */
  private indexed: number;

  /** @param index to which the blobs are added. @param packSize bytes */
  constructor(
    private readonly repository: Repository,
    private readonly lock: RepositoryLock,
    private readonly index: BlobIndex,
    private readonly packSize: number,
  ) {
    this.indexed = index.size;
    this.open = { data: this.newPack('data'), tree: this.newPack('tree') };
  }

  /** @returns the ID of the blob, which is stored only if the repository doesn't have it */
  async add(plain: Buffer, isTree: boolean): Promise<string> {
    const id = idOf(plain);
    if (this.index.has(id, isTree) || this.pending.has(blobKey(id, isTree))) return id;
    this.pending.add(blobKey(id, isTree));
    this.addedBytes += plain.length;
    const compressed = this.repository.config.version > 1 ? compress(plain) : undefined;
    const sealed = seal(this.repository.key, compressed ?? plain);
    await this.addSealed(sealed, { id, isTree, ...(compressed && { uncompressedLength: plain.length }) });
    freeIfLarge(sealed);
    return id;
  }

  /** @param sealed blob that isn't in any pack that stays */
  async addSealed(sealed: Buffer, blob: Omit<PackedBlob, 'offset' | 'length'>): Promise<void> {
    const type = blob.isTree ? 'tree' : 'data';
    if (!this.open[type].hasRoomFor(sealed.length, blob)) await this.finishPack(type);
    this.open[type].add(sealed, blob);
  }

  /** Whether a pack is one of this writer. */
  hasStored(pack: string): boolean {
    return this.packs.has(pack);
  }

  /** Resolves when everything is in the index of the repository. */
  async finish(): Promise<void> {
    await this.finishPack('data');
    await this.finishPack('tree');
    await this.writeIndex();
  }

  private newPack(type: 'data' | 'tree'): OpenPack {
    const size = type === 'data' ? this.packSize : Math.min(this.packSize, MAX_TREE_PACK);
    return new OpenPack(size, this.free.pop());
  }

  private async finishPack(type: 'data' | 'tree'): Promise<void> {
    const pack = this.open[type];
    if (pack.blobs.length === 0) return;
    const { repository, index } = this;
    const header = packHeader(repository.key, pack.blobs);
    pack.append(header);
    const content = pack.content;
    const id = idOf(content);
    for (const blob of pack.blobs) {
      index.add(blob, id);
      this.pending.delete(blobKey(blob.id, blob.isTree));
    }
    if (type === 'tree') repository.cache.write('data', id, content);
    while (this.uploads.size >= MAX_UPLOADS) await Promise.race(this.uploads);
    this.throwIfFailed();
    this.upload(id, pack);
    this.open[type] = this.newPack(type);
    if (this.packs.add(id).size % PACKS_PER_INDEX === 0) await this.writeIndex();
  }

  private upload(id: string, { memory, length }: OpenPack): void {
    const upload = this.repository.store.save('data', id, memory, length).then(
      (returned) => void this.free.push(returned),
      (reason: unknown) => void (this.error ??= { reason }),
    );
    const ended = upload.finally(() => this.uploads.delete(ended));
    this.uploads.add(ended);
  }

  private async writeIndex(): Promise<void> {
    await Promise.all(this.uploads);
    this.throwIfFailed();
    for (const json of indexFiles(groupByPack(this.index.from(this.indexed))))
      await this.lock.save('index', json);
    this.indexed = this.index.size;
  }

  private throwIfFailed(): void {
    if (this.error) throw this.error.reason;
  }
}

/** A data blob and a tree may have the same content. */
function blobKey(id: string, isTree: boolean): string {
  return isTree ? `/${id}` : id;
}

/** A pack that is being filled. */
class OpenPack {
  readonly blobs: PackedBlob[] = [];
  length = 0;
  private headerSize = headerSize([]);

  /** @param size bytes that it should have at most */
  constructor(
    private readonly size: number,
    public memory = new ArrayBuffer(FIRST_MEMORY),
  ) {}

  get content(): Buffer {
    return Buffer.from(this.memory, 0, this.length);
  }

  /** A pack may always contain one blob. */
  hasRoomFor(length: number, blob: Pick<PackedBlob, 'uncompressedLength'>): boolean {
    if (this.blobs.length === 0) return true;
    const size = this.length + length + this.headerSize + entrySize(blob);
    return this.blobs.length < MAX_BLOBS && size <= this.size;
  }

  add(sealed: Buffer, blob: Omit<PackedBlob, 'offset' | 'length'>): void {
    this.blobs.push({ ...blob, offset: this.length, length: sealed.length });
    this.headerSize += entrySize(blob);
    this.append(sealed);
  }

  append(bytes: Buffer): void {
    const end = this.length + bytes.length;
    if (end > this.memory.byteLength) {
      // Doubled, but to no more than a full pack needs.
      const grown = new ArrayBuffer(Math.max(end, Math.min(this.size, 2 * this.memory.byteLength)));
      this.content.copy(Buffer.from(grown));
      freeIfLarge(Buffer.from(this.memory));
      this.memory = grown;
    }
    bytes.copy(Buffer.from(this.memory), this.length);
    this.length = end;
  }
}
