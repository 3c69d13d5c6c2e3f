/** Finds what is damaged or missing in a repository, and which snapshots and files need it. */
import { createHash } from 'node:crypto';
import { freeBuffer } from '../../core/buffers';
import { readablePath } from '../../fs/path-bytes';
import { DriveError, isDriveError } from '../../errors';
import { BlobSet } from './blob-index';
import type { LocatedBlob } from './pack';
import { freeIfLarge } from './crypto';
import { MAX_READ, isDamaged } from './json-file';
import { type TreeReader, plainLength } from './read-snapshot';
import type { StoredSnapshot } from './repository';
import { type ByteRange, isUnreadable } from './store';
import { type SnapshotNode, outOfRange } from './tree';
import { DAY } from '../../core/clock';

/** Bytes of a pack that are read at once. */
const SEGMENT = 16 * 1024 * 1024;
/** How many files and snapshots an error names. */
const NAMED = 10;

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
  /** IDs of packs. */
  private missing: readonly string[] = [];
  /** By their numbers in the index: another copy of a blob may be intact. */
  private readonly badBlobs: BlobSet;
  private readonly seenTrees: BlobSet;
  /** Something in them, or below, is missing or damaged. */
  private readonly badTrees: BlobSet;
  private readonly affected: Affected = { snapshots: [], files: new Set() };
  /** Keys and index files, by their paths in the repository. */
  private readonly unreadable: string[] = [];

  constructor(
    private readonly reader: TreeReader,
    private readonly onRead: (bytes: number) => void,
  ) {
    this.badBlobs = new BlobSet(reader.index);
    this.seenTrees = new BlobSet(reader.index);
    this.badTrees = new BlobSet(reader.index);
  }

  /** Compares the packs on the drive with the index. */
  async checkPacks(): Promise<void> {
    const { repository, index } = this.reader;
    const stored = new Map<string, readonly (number | undefined)[]>();
    for (const { name, size, sizes = [size] } of await repository.store.list(['data']))
      stored.set(name, sizes);
    this.missing = index.packs.filter((pack) => !stored.has(pack));
    for (const pack of index.packs) {
      // The service may not tell the size.
      const isStored = stored
        .get(pack)
        ?.some((size) => (size ?? index.packSize(pack)) === index.packSize(pack));
      if (isStored) continue;
      this.badPacks.add(pack);
      repository.damaged.add(`data/${pack}`);
    }
  }

  /** @param percent of the packs, another part each day. @param time ms since 1970 */
  async readPacks(percent: number, time: number): Promise<void> {
    const start = (Math.floor(time / DAY) * percent) % 100;
    const blobsOf = this.reader.index.byPack();
    for (const pack of this.reader.index.packs) {
      const place = (parseInt(pack.slice(0, 8), 16) / 2 ** 32) * 100;
      const isChosen = (place - start + 100) % 100 < percent;
      if (isChosen && !this.badPacks.has(pack)) await this.readPack(pack, blobsOf(pack));
    }
  }

  /** Looks for key files, also of other passphrases, and index files that nobody can read. */
  async checkFiles(): Promise<void> {
    const { repository } = this.reader;
    for (const id of repository.listed.keys) {
      await repository.loadSealed('keys', id).catch((error: unknown) => {
        if (!isDamaged(error)) throw error;
        this.unreadable.push(`keys/${id}`);
      });
    }
    for (const file of repository.damaged) if (file.startsWith('index/')) this.unreadable.push(file);
  }

  /**
   * @throws `conflict` if something that is missing is in the trash; `bad_response` if a snapshot needs what is damaged or missing, or restic can't open the repository.
   * @param unreadable IDs of damaged snapshots
   */
  async checkSnapshots(
    snapshots: readonly StoredSnapshot[],
    unreadable: readonly string[] = [],
  ): Promise<void> {
    for (const { id, tree } of snapshots) if (!(await this.isTreeGood(tree, ''))) this.addSnapshot(id);
    for (const id of unreadable) this.addSnapshot(id);
    const files = [...this.affected.files, ...this.unreadable];
    if (this.affected.snapshots.length === 0 && this.unreadable.length === 0) return;
    await this.reader.repository.store.checkMoved('data', this.missing);
    throw damaged(this.affected.snapshots, files);
  }

  private addSnapshot(id: string): void {
    this.affected.snapshots.push(id.slice(0, 8));
  }

  /** Reads what the index says of a pack, as a restore does, from each of the files with its name until one is intact. */
  private async readPack(pack: string, numbers: readonly number[]): Promise<void> {
    const { store, damaged } = this.reader.repository;
    let bad: readonly number[] = numbers;
    let isIntact = false;
    // One that is the only one is read again: its bytes may have changed on the way.
    const copies = Math.max(2, await store.stat('data', pack));
    for (let copy = 0; copy < copies && !isIntact; copy++) {
      const found = await this.readCopy(pack, copy, numbers);
      isIntact = found.isIntact;
      bad = isIntact ? found.bad : bad.filter((each) => found.bad.includes(each));
    }
    for (const each of bad) this.badBlobs.add(each);
    if (!isIntact || bad.length > 0) damaged.add(`data/${pack}`);
  }

  /** Reads a pack in order, several blobs at once. @returns whether it is what its name says, and what can't be opened */
  private async readCopy(
    pack: string,
    copy: number,
    numbers: readonly number[],
  ): Promise<{ isIntact: boolean; bad: number[] }> {
    const { index } = this.reader;
    const size = index.packSize(pack) ?? 0;
    const hash = createHash('sha256');
    const bad: number[] = [];
    let next = 0;
    let window: Buffer = Buffer.alloc(0);
    for (let position = 0; position < size;) {
      const bytes = await this.readSegment(
        pack,
        { start: position, end: Math.min(position + SEGMENT, size) },
        copy,
      );
      if (bytes.length === 0) break;
      hash.update(bytes);
      const joined: Buffer = window.length === 0 ? bytes : Buffer.concat([window, bytes]);
      position += bytes.length;
      const start = position - joined.length;
      for (; next < numbers.length; next++) {
        const number = numbers[next] as number;
        const blob = index.at(number);
        const isTooLarge = blob.length > MAX_READ;
        if (!isTooLarge && blob.offset + blob.length > position) break;
        if (
          isTooLarge ||
          !this.opens(joined.subarray(blob.offset - start, blob.offset - start + blob.length), blob)
        )
          bad.push(number);
      }
      const kept = next < numbers.length ? index.at(numbers[next] as number).offset - start : joined.length;
      window = Buffer.from(joined.subarray(kept));
      for (const each of new Set([bytes, joined])) freeBuffer(each);
    }
    return { isIntact: hash.digest('hex') === pack, bad: [...bad, ...numbers.slice(next)] };
  }

  /** @returns nothing behind the end, and if it can't be read */
  private async readSegment(pack: string, range: ByteRange, copy: number): Promise<Buffer> {
    const { store } = this.reader.repository;
    try {
      const bytes = await store.load('data', pack, range, copy);
      this.onRead(bytes.length);
      return bytes;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return Buffer.alloc(0);
    }
  }

  private opens(sealed: Buffer, blob: LocatedBlob): boolean {
    try {
      freeIfLarge(this.reader.repository.openBlob(sealed, blob));
      return true;
    } catch {
      return false;
    }
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
    const hasContent = content.every((id) => this.hasBlob(id, false));
    const isGood = !outOfRange(node) && hasContent && this.hasSize(node);
    if (!isGood) this.addFile(path);
    return (subtree === undefined || (await this.isTreeGood(subtree, path))) && isGood;
  }

  private hasSize({ type, size, content = [] }: SnapshotNode): boolean {
    const { repository, index } = this.reader;
    const lengthOf = (id: string): number => {
      const blob = repository.locate(index, id, false);
      return blob ? plainLength(blob) : 0;
    };
    return type !== 'file' || content.reduce((sum, id) => sum + lengthOf(id), 0) === size;
  }

  private hasBlob(id: string, isTree: boolean): boolean {
    const { index } = this.reader;
    const isIntact = (number: number): boolean =>
      !this.badBlobs.has(number) && !this.badPacks.has(index.at(number).pack);
    return index.placesOf(id, isTree).some(isIntact);
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
