/** Finds what is damaged or missing in a repository, and which snapshots and files need it. */
import { createHash } from 'node:crypto';
import { freeBuffer } from '../concurrency/free-buffer';
import { readablePath } from '../disk/path-bytes';
import { DriveError, isDriveError } from '../errors';
import { BlobSet } from './blob-index';
import { packHeaderSize, readPackHeader } from './pack';
import type { TreeReader } from './read-snapshot';
import type { StoredSnapshot } from './repository';
import { type SnapshotNode, outOfRange } from './tree';

/** Bytes of a pack that are read at once. */
const SEGMENT = 16 * 1024 * 1024;
/** How many files and snapshots an error names. */
const NAMED = 10;
const DAY = 86_400_000;

/** Snapshots and files that need something damaged, as users see them. */
interface Affected {
  /** Short IDs. */
  snapshots: string[];
  /** Paths in the first of them. */
  files: Set<string>;
}

export class RepositoryCheck {
  /** Packs that are missing, or have another size than the index says. */
  private readonly badPacks = new Set<string>();
  /** Sizes on the drive; undefined where the service doesn't tell. */
  private readonly stored = new Map<string, number | undefined>();
  private readonly badBlobs = new Set<string>();
  private readonly seenTrees: BlobSet;
  /** Something in them, or below, is missing or damaged. */
  private readonly badTrees: BlobSet;
  private readonly affected: Affected = { snapshots: [], files: new Set() };

  constructor(
    private readonly reader: TreeReader,
    private readonly onRead: (bytes: number) => void,
  ) {
    this.seenTrees = new BlobSet(reader.index);
    this.badTrees = new BlobSet(reader.index);
  }

  /** Compares the packs on the drive with the index. @throws `conflict` if one is in the trash */
  async checkPacks(): Promise<void> {
    const { repository, index } = this.reader;
    for (const { name, size } of await repository.store.list(['data'])) this.stored.set(name, size);
    await repository.store.checkTrash(index.packs.filter((pack) => !this.stored.has(pack)));
    for (const pack of index.packs) {
      const size = this.stored.get(pack) ?? (this.stored.has(pack) ? index.packSize(pack) : undefined);
      if (size !== index.packSize(pack)) this.badPacks.add(pack);
    }
  }

  /** @param percent of the packs, another part each day. @param time ms since 1970 */
  async readPacks(percent: number, time: number): Promise<void> {
    const start = (Math.floor(time / DAY) * percent) % 100;
    for (const pack of this.reader.index.packs) {
      const place = (parseInt(pack.slice(0, 8), 16) / 2 ** 32) * 100;
      const isChosen = (place - start + 100) % 100 < percent;
      if (!isChosen || this.badPacks.has(pack)) continue;
      if (!(await this.isGood(pack))) this.badPacks.add(pack);
    }
  }

  /**
   * @throws `bad_response` if a snapshot needs what is damaged or missing.
   * @param unreadable IDs of damaged snapshots
   */
  async checkSnapshots(
    snapshots: readonly StoredSnapshot[],
    unreadable: readonly string[] = [],
  ): Promise<void> {
    for (const { id, tree } of snapshots) if (!(await this.isTreeGood(tree, ''))) this.addSnapshot(id);
    for (const id of unreadable) this.addSnapshot(id);
    if (this.affected.snapshots.length > 0) throw damaged(this.affected.snapshots, [...this.affected.files]);
  }

  private addSnapshot(id: string): void {
    this.affected.snapshots.push(id.slice(0, 8));
  }

  /** @returns false if it isn't what its name says; blobs that are damaged are remembered */
  private async isGood(pack: string): Promise<boolean> {
    try {
      return (await this.hashOf(pack)) === pack;
    } catch (error) {
      if (isDriveError(error, 'bad_response')) return false;
      throw error;
    }
  }

  /** Reads a pack in order, several blobs at once. @returns its SHA-256. @throws `bad_response` */
  private async hashOf(pack: string): Promise<string> {
    const { repository, index } = this.reader;
    const size = index.packSize(pack) ?? 0;
    let end = await this.read(pack, Math.max(0, size - SEGMENT), size);
    const headerSize = packHeaderSize(end, size, pack);
    if (headerSize > end.length) end = await this.read(pack, size - headerSize, size);
    const hash = createHash('sha256');
    // Most packs are read at once.
    let segment = { start: 0, bytes: end.length === size ? end : Buffer.alloc(0) };
    for (const blob of readPackHeader(repository.key, end, size, pack)) {
      const blobEnd = blob.offset + blob.length;
      if (blobEnd > segment.start + segment.bytes.length) {
        freeBuffer(segment.bytes);
        const last = Math.max(blobEnd, Math.min(blob.offset + SEGMENT, size - headerSize));
        segment = { start: blob.offset, bytes: await this.read(pack, blob.offset, last) };
      }
      const sealed = segment.bytes.subarray(blob.offset - segment.start, blobEnd - segment.start);
      hash.update(sealed);
      try {
        freeBuffer(repository.openBlob(sealed, { ...blob, pack }));
      } catch {
        this.badBlobs.add(blob.id);
      }
    }
    hash.update(end.subarray(end.length - headerSize));
    for (const each of new Set([segment.bytes, end])) freeBuffer(each);
    return hash.digest('hex');
  }

  private async read(pack: string, start: number, end: number): Promise<Buffer> {
    const bytes = await this.reader.repository.readPack(pack, { start, end });
    this.onRead(bytes.length);
    return bytes;
  }

  private async isTreeGood(tree: string, path: string): Promise<boolean> {
    const number = this.reader.index.numberOf(tree, true);
    if (number !== undefined && !this.seenTrees.add(number)) return !this.badTrees.has(number);
    let isGood = this.hasBlob(tree, true);
    if (!isGood) this.addFile(`${path}/`);
    try {
      for (const node of isGood ? await this.reader.nodesOf(tree) : []) {
        if (!(await this.isNodeGood(node, `${path}/${node.name}`))) isGood = false;
      }
    } catch (error) {
      if (!isDriveError(error, 'bad_response')) throw error;
      isGood = false;
      this.addFile(`${path}/`);
    }
    if (number !== undefined && !isGood) this.badTrees.add(number);
    return isGood;
  }

  private async isNodeGood(node: SnapshotNode, path: string): Promise<boolean> {
    const { subtree, content = [] } = node;
    const isGood = !outOfRange(node) && content.every((id) => this.hasBlob(id, false));
    if (!isGood) this.addFile(path);
    return (subtree === undefined || (await this.isTreeGood(subtree, path))) && isGood;
  }

  private hasBlob(id: string, isTree: boolean): boolean {
    const blob = this.reader.index.find(id, isTree);
    return blob !== undefined && !this.badPacks.has(blob.pack) && !this.badBlobs.has(id);
  }

  private addFile(path: string): void {
    if (this.affected.files.size <= NAMED) this.affected.files.add(readablePath(path));
  }
}

export function damaged(snapshots: readonly string[], files: readonly string[]): DriveError {
  const params = { snapshots: named(snapshots), files: named(files) };
  return new DriveError('bad_response', { text: 'bad_response_repository_damaged', params });
}

function named(list: readonly string[]): string {
  return [...list.slice(0, NAMED), ...(list.length > NAMED ? ['…'] : [])].join(', ') || '-';
}
