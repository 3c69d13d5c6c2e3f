/** Finds what is damaged or missing in a repository, and which snapshots and files need it. */
import { createHash } from 'node:crypto';
import { readablePath } from '../disk/path-bytes';
import { DriveError, isDriveError } from '../errors';
import { packHeaderSize, readPackHeader } from './pack';
import type { TreeReader } from './read-snapshot';
import type { StoredSnapshot } from './repository';
import type { SnapshotNode } from './tree';

/** Bytes of a pack that are read at once. */
const SEGMENT = 16 * 1024 * 1024;
/** How many files and snapshots an error names. */
const NAMED = 10;
const DAY = 86_400_000;

/** What the damage affects, as users see it. */
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
  /** Whether each tree that was read, and all below it, are there. */
  private readonly trees = new Map<string, boolean>();
  private readonly affected: Affected = { snapshots: [], files: new Set() };

  constructor(
    private readonly reader: TreeReader,
    private readonly onRead: (bytes: number) => void,
  ) {}

  /** Compares the packs on the drive with the index. */
  async checkPacks(): Promise<void> {
    const { repository, index } = this.reader;
    for (const { name, size } of await repository.store.list(['data'])) this.stored.set(name, size);
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

  /** @throws `bad_response` if a snapshot needs what is damaged or missing. @param unreadable IDs of damaged snapshots */
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

  /** Reads a pack in order. @returns false if it isn't what its name says; blobs that are damaged are remembered */
  private async isGood(pack: string): Promise<boolean> {
    const { repository, index } = this.reader;
    const size = index.packSize(pack) ?? 0;
    const read = async (start: number, end: number): Promise<Buffer> => {
      const bytes = await repository.readPack(pack, { start, end });
      this.onRead(bytes.length);
      return bytes;
    };
    try {
      let tail = await read(Math.max(0, size - SEGMENT), size);
      const headerSize = packHeaderSize(tail, size, pack);
      if (headerSize > tail.length) tail = await read(size - headerSize, size);
      const blobs = readPackHeader(repository.key, tail, size, pack);
      const hash = createHash('sha256');
      let segment = { start: 0, bytes: tail.length === size ? tail : Buffer.alloc(0) };
      for (const blob of blobs) {
        const end = blob.offset + blob.length;
        if (end > segment.start + segment.bytes.length) {
          segment = {
            start: blob.offset,
            bytes: await read(blob.offset, Math.max(end, Math.min(blob.offset + SEGMENT, size - headerSize))),
          };
        }
        const sealed = segment.bytes.subarray(blob.offset - segment.start, end - segment.start);
        hash.update(sealed);
        try {
          repository.openBlob(sealed, { ...blob, pack });
        } catch {
          this.badBlobs.add(blob.id);
        }
      }
      return hash.update(tail.subarray(tail.length - headerSize)).digest('hex') === pack;
    } catch (error) {
      if (isDriveError(error, 'bad_response')) return false;
      throw error;
    }
  }

  private async isTreeGood(tree: string, path: string): Promise<boolean> {
    const known = this.trees.get(tree);
    if (known !== undefined) return known;
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
    this.trees.set(tree, isGood);
    return isGood;
  }

  private async isNodeGood({ subtree, content }: SnapshotNode, path: string): Promise<boolean> {
    if (subtree !== undefined) return this.isTreeGood(subtree, path);
    const isGood = content?.every((id) => this.hasBlob(id, false)) ?? true;
    if (!isGood) this.addFile(path);
    return isGood;
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
