/**
 * A repository of restic, as the worker thread uses it. Everything in it may have been written by someone else.
 * https://restic.readthedocs.io/en/stable/100_references.html#repository-format
 */
import { DriveError, ifFound, isDriveError } from '../../errors';
import { BlobIndex } from './blob-index';
import { RepositoryCache } from './cache';
import { decodeFile, decompress, encodeFile } from './compression';
import { type RepositoryKey, freeIfLarge, idOf, seal, tryUnseal, unseal } from './crypto';
import { type LocatedBlob, readIndexFile } from './pack';
import {
  type OpenedKey,
  type Source,
  createRepository,
  findConfig,
  findWriter,
  ignoreDamage,
  keepOldestConfig,
  openKeys,
  passphraseKeys,
} from './keys';
import { damagedFile, isDamaged } from './json-file';
import type { Access } from './snapshot-request';
import { type RepositoryConfig, type Snapshot, readConfig, readSnapshot } from './snapshot-file';
import {
  type ByteRange,
  type FileType,
  MAX_COPIES,
  type RepositoryStore,
  type StoredFile,
  isForeign,
  isUnreadable,
  loadFile,
  namesOf,
  packSizes,
  readIntact,
  saveFile,
} from './store';

/** Bytes of a pack of trees that is fetched as a whole, because its other trees will be needed as well. */
const MAX_TREE_PACK = 64 * 1024 * 1024;
/** Bytes of a tree: a folder with a million entries. */
const MAX_TREE = 512 * 1024 * 1024;
/**
 * How often the size of a compressed tree it may have, and bytes that it may have always. The nodes of empty files
 * differ in few bytes.
 */
const MAX_TREE_RATIO = 200;
const MIN_TREE = 16 * 1024 * 1024;
/** Bytes of a piece of a file: eight times as many as the largest one of restic. */
const MAX_DATA = 64 * 1024 * 1024;
/** Small files that are loaded at once. */
const MAX_LOADING = 4;
/** Beyond these, no interrupted creation is looked for. */
const MAX_FIRST_SNAPSHOTS = 10;
const LISTED: readonly FileType[] = ['keys', 'locks', 'snapshots', 'index'];

interface OpenOptions {
  /** Whether a repository is created in an empty folder. */
  mayCreate?: boolean;
  /** What is read from the drive although it is in the cache. */
  distrusted?: readonly FileType[];
}

export interface StoredSnapshot extends Snapshot {
  /** ms since 1970, by the service's clock; undefined if unknown. */
  storedAt?: number | undefined;
  id: string;
}

/** The files of a repository, as they were listed at one time. */
interface Listed {
  keys: string[];
  locks: StoredFile[];
  snapshots: string[];
  index: string[];
  /** When the newest part of the index was stored: see {@link StoredFile}. */
  indexedAt?: number | undefined;
  /** Those of other accounts, which this one can't remove. */
  foreignIndex: Set<string>;
  /** Sizes of packs by ID, if they were listed. */
  packs?: Map<string, number | undefined>;
}

export class Repository {
  /** Files that were damaged or missing when they were read, but others served. */
  readonly damaged = new Set<string>();
  /** IDs of packs that are damaged or missing. The index isn't changed: a clean-up relies on which pack it prefers. */
  private readonly unusable = new Set<string>();
  /** Which of the files with the name of a pack is read, where the first one isn't intact. */
  private readonly intact = new Map<string, number>();
  /** As of the last {@link refresh}. */
  listed: Listed = { keys: [], locks: [], snapshots: [], index: [], foreignIndex: new Set() };
  /** Whether this process has created the repository. */
  private isCreated = false;

  /** Of the snapshots, by ID. */
  private readonly storedAt = new Map<string, number | undefined>();

  readonly store: RepositoryStore;
  readonly access: Access;
  readonly cache: RepositoryCache;
  readonly key: RepositoryKey;
  readonly config: RepositoryConfig;

  private constructor(
    source: Required<Source>,
    private readonly opened: OpenedKey,
  ) {
    ({ store: this.store, access: this.access, cache: this.cache } = source);
    ({ key: this.key, config: this.config } = opened);
  }

  /**
   * @throws `invalid_input` for a wrong passphrase, `conflict` for a folder with other content, `not_found` for an
   * empty one, `bad_response` for a damaged repository
   */
  static async open(
    store: RepositoryStore,
    access: Access,
    { mayCreate = false, distrusted = [] }: OpenOptions = {},
  ): Promise<Repository> {
    const cache = new RepositoryCache(access.cacheFolder, access.place, distrusted);
    const source = { store, cache, access };
    let files = await store.list(['config', ...LISTED]);
    const isCreated = !files.some(({ type }) => type === 'config');
    if (isCreated) {
      if (!mayCreate) throw new DriveError('not_found', { text: 'not_found_repository' });
      await createRepository(source, files);
      files = await store.list(['config', ...LISTED]);
    }
    const repository = new Repository(source, await openKeys(source, files));
    repository.isCreated = isCreated;
    repository.setListed(files);
    return repository;
  }

  /**
   * Lists again. A lock must have been written before what it protects is listed.
   * @param listsPacks takes fewer requests than listing the packs afterwards
   */
  async refresh(listsPacks = false): Promise<void> {
    const files = await this.store.list(listsPacks ? [...LISTED, 'data'] : LISTED);
    this.setListed(files);
    if (listsPacks) this.listed.packs = packSizes(files);
  }

  /** Oldest first, those of the same time by their IDs. @returns also the IDs of those that can't be read */
  async snapshots(): Promise<{ snapshots: StoredSnapshot[]; damaged: string[] }> {
    const snapshots: StoredSnapshot[] = [];
    const damaged: string[] = [];
    for (const [id, loading] of this.loadAll('snapshots')) {
      try {
        const json = await loading;
        if (json)
          snapshots.push({ ...readSnapshot(json, `snapshots/${id}`), id, storedAt: this.storedAt.get(id) });
      } catch (error) {
        if (!isDriveError(error, 'bad_response')) throw error;
        damaged.push(id);
      }
    }
    this.cache.keepOnly('snapshots', new Set(this.listed.snapshots));
    const inOrder = snapshots.sort((a, b) => Number(a.time - b.time) || (a.id < b.id ? -1 : 1));
    return { snapshots: inOrder, damaged };
  }

  /** @throws `bad_response` if a part of the index is damaged */
  index(): Promise<BlobIndex> {
    return this.loadIndex((_, error) => {
      throw error;
    });
  }

  /** For reading: without the parts that are damaged. What only these list will be missing. */
  intactIndex(): Promise<BlobIndex> {
    return this.loadIndex((id) => this.damaged.add(`index/${id}`));
  }

  private async loadIndex(onDamaged: (id: string, error: Error) => void): Promise<BlobIndex> {
    const index = new BlobIndex();
    for (const [id, loading] of this.loadAll('index')) {
      try {
        const json = await loading;
        // Removed since it was listed: its replacement has the same blobs, and may be listed next time.
        if (json) this.addTo(index, id, json);
      } catch (error) {
        if (!isDamaged(error)) throw error;
        onDamaged(id, error);
      }
    }
    this.cache.keepOnly('index', new Set(this.listed.index));
    // Those that are on the drive must be found.
    if (index.isCrowded) {
      const stored = new Set(namesOf(await this.store.list(['data']), 'data'));
      index.drop(index.packs.filter((pack) => !stored.has(pack)));
    }
    return index;
  }

  private addTo(index: BlobIndex, id: string, json: Buffer): void {
    for (const { id: pack, blobs } of readIndexFile(json, `index/${id}`)) {
      if (this.listed.foreignIndex.has(id)) index.foreign.add(pack);
      for (const blob of blobs) index.add(blob, pack);
    }
  }

  /** @returns the plaintext. @throws `bad_response` if the tree is missing or damaged */
  async tree(index: BlobIndex, id: string): Promise<Buffer> {
    const blob = this.locate(index, id, true);
    if (!blob) throw damagedFile(id, 'missing');
    const range = rangeOf(blob);
    const cached = this.cache.read('data', blob.pack, range);
    const plain = cached && this.tryOpenBlob(cached, blob);
    if (plain) return plain;
    const isWhole = (index.packSize(blob.pack) ?? Infinity) <= MAX_TREE_PACK;
    try {
      const pack = await this.readPack(blob.pack, isWhole ? undefined : range);
      const opened = this.openBlob(isWhole ? pack.subarray(range.start, range.end) : pack, blob);
      if (isWhole) this.cache.write('data', blob.pack, pack);
      return opened;
    } catch (error) {
      return this.findIntact(index, blob, error);
    }
  }

  /** @returns the place from which a blob is read: if possible, not in a pack of which something couldn't be read */
  locate(index: BlobIndex, id: string, isTree: boolean): LocatedBlob | undefined {
    if (this.unusable.size === 0) return index.find(id, isTree);
    const places = index.placesOf(id, isTree).map((number) => index.at(number));
    return places.find(({ pack }) => !this.unusable.has(pack)) ?? places[0];
  }

  /**
   * Any intact copy of a blob serves, in each pack that contains it, and in each file with the name of such a pack.
   * @param failure of reading the blob from the preferred place. @returns the plaintext
   * @throws the failure if there is no intact copy
   */
  async findIntact(index: BlobIndex, { id, isTree, pack }: LocatedBlob, failure: unknown): Promise<Buffer> {
    if (!isUnreadable(failure)) throw failure;
    this.unusable.add(pack);
    for (const number of index.placesOf(id, isTree)) {
      const blob = index.at(number);
      const file = { type: 'data', name: blob.pack, range: rangeOf(blob) } as const;
      const reading = readIntact(this.store, file, (sealed) => this.tryOpenBlob(sealed, blob));
      const found = await reading.catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
      });
      if (!found) continue;
      this.intact.set(blob.pack, found.attempt);
      this.damaged.add(`data/${pack}`);
      return found.opened;
    }
    throw failure;
  }

  /** @throws `bad_response` if the pack is missing, `conflict` if it is in the trash */
  async readPack(pack: string, range?: ByteRange): Promise<Buffer> {
    const bytes = await ifFound(this.store.load('data', pack, range, this.intact.get(pack)));
    if (bytes) return bytes;
    await this.store.checkMoved('data', [pack]);
    throw damagedFile(`data/${pack}`, 'missing');
  }

  /** @returns the plaintext of a blob. @throws `bad_response` */
  openBlob(sealed: Buffer, { id, isTree, uncompressedLength }: LocatedBlob): Buffer {
    const content = unseal(this.key, sealed, id);
    // As restic, not by the length in the index: only the hash proves the content.
    const limit = isTree ? Math.min(MAX_TREE, MIN_TREE + content.length * MAX_TREE_RATIO) : MAX_DATA;
    const plain = uncompressedLength === undefined ? content : decompress(content, limit, id);
    if (plain !== content) freeIfLarge(content);
    if (idOf(plain) !== id) throw damagedFile(id, 'hash');
    return plain;
  }

  /**
   * Another machine may have created the repository at the same time, and a list may have been late. Then its config
   * stays, and what this process has written is discarded, because nobody could read it.
   * @throws `conflict` if the config is no longer the one of this repository
   */
  async checkConfig(): Promise<void> {
    if (!this.isCreated || (await this.isInUse())) return;
    await keepOldestConfig(this.store, this.key);
    const stored = await ifFound(this.store.load('config', 'config'));
    const plain = stored && tryUnseal(this.key, stored);
    if (plain && readConfig(plain).id === this.config.id) return;
    this.cache.remove('config', 'config');
    throw new DriveError('conflict', { text: 'conflict_repository_replaced' });
  }

  /** Whether another run has stored a snapshot with this key: then its config stays. */
  private async isInUse(): Promise<boolean> {
    const snapshots = namesOf(await this.store.list(['snapshots']), 'snapshots');
    return (await findWriter(this, snapshots, [this])) !== undefined;
  }

  /**
   * Removes what an interrupted creation has left beside this repository: restic uses the first key that the passphrase
   * opens, and may read any config.
   */
  async discardOthers(): Promise<void> {
    const { keys, snapshots } = this.listed;
    const isAlone = keys.length < 2 && (await this.store.stat('config', 'config')) < 2;
    // During the first run, the other machine may be at work, and a list may lack its config.
    if (isAlone || snapshots.length === 0 || snapshots.length > MAX_FIRST_SNAPSHOTS) return;
    const files = await this.store.list(['config', 'keys', 'snapshots']);
    const copies = await this.store.stat('config', 'config');
    // Not if another key has a snapshot: then nobody knows which is the right one.
    for (const id of namesOf(files, 'snapshots')) if (!(await findWriter(this, [id], [this]))) return;
    const opened: { name: string; key: RepositoryKey }[] = [];
    for await (const each of passphraseKeys(this, files)) opened.push(each);
    for (let attempt = 0; attempt < Math.min(copies, MAX_COPIES); attempt++) {
      const content = await this.store.load('config', 'config', undefined, attempt);
      const plain = opened.map(({ key }) => tryUnseal(key, content)).find((each) => each !== undefined);
      const isOther = plain && readConfig(plain).id !== this.config.id;
      if (isOther) await this.store.discard('config', 'config', attempt);
    }
    for (const { name, key } of opened)
      if (!key.encrypt.equals(this.key.encrypt)) await this.store.discard('keys', name, 0);
  }

  /** Looks whether key and config on the drive still open the repository. @throws `bad_response` if they don't */
  async checkAccess(): Promise<void> {
    const file = await this.lostFile();
    if (file === undefined) return;
    // Someone may have changed the passphrase meanwhile.
    const { store, access } = this;
    const openAgain = async (): Promise<{ key: RepositoryKey }> =>
      // Without the cache.
      openKeys({ store, access }, await store.list(['config', 'keys', 'snapshots']));
    const opened = await openAgain().catch((error: unknown) => {
      if (!isDamaged(error) && !isDriveError(error, 'invalid_input')) throw error;
    });
    if (opened?.key.encrypt.equals(this.key.encrypt)) return;
    throw new DriveError('bad_response', { text: 'bad_response_repository_access', params: { file } });
  }

  /** @returns the file on the drive without which this key doesn't open the repository any more */
  private async lostFile(): Promise<string | undefined> {
    if (!(await findConfig(this.store, this.key).catch(ignoreDamage))) return 'config';
    const key = await this.loadStored('keys', this.opened.keyName).catch(ignoreDamage);
    return key ? undefined : `keys/${this.opened.keyName}`;
  }

  /** Writes a snapshot, an index or a lock. @returns its ID */
  async save(type: FileType, json: Buffer): Promise<string> {
    const sealed = seal(this.key, encodeFile(json, this.config.version));
    const id = idOf(sealed);
    if (type !== 'locks') this.cache.write(type, id, sealed);
    await saveFile(this.store, type, id, sealed);
    return id;
  }

  /** @returns the file as it is stored; undefined if it was removed meanwhile. @throws `bad_response` if it is damaged */
  loadSealed(type: FileType, id: string): Promise<Buffer | undefined> {
    return loadFile(this, type, id);
  }

  /** As {@link loadSealed}, but decrypted. @throws also if that fails */
  async load(type: FileType, id: string): Promise<Buffer | undefined> {
    const sealed = await this.loadSealed(type, id);
    return sealed && decodeFile(unseal(this.key, sealed, `${type}/${id}`), `${type}/${id}`);
  }

  /** Reads a file from the drive. @returns it as it is stored; undefined if it is missing. @throws `bad_response` if it is damaged */
  loadStored(type: FileType, id: string): Promise<Buffer | undefined> {
    return loadFile({ store: this.store }, type, id);
  }

  /** Yields them in order. The next ones are loaded meanwhile. */
  private *loadAll(type: 'snapshots' | 'index'): Generator<[id: string, json: Promise<Buffer | undefined>]> {
    const loading: [string, Promise<Buffer | undefined>][] = [];
    for (const id of this.listed[type]) {
      const json = this.load(type, id);
      // It is thrown when it is this one's turn.
      json.catch(() => undefined);
      loading.push([id, json]);
      if (loading.length === MAX_LOADING) yield loading.shift() as [string, Promise<Buffer | undefined>];
    }
    yield* loading;
  }

  private tryOpenBlob(sealed: Buffer, blob: LocatedBlob): Buffer | undefined {
    try {
      return this.openBlob(sealed, blob);
    } catch {
      this.cache.remove('data', blob.pack);
      return undefined;
    }
  }

  private setListed(files: readonly StoredFile[]): void {
    for (const { type, name, storedAt } of files) if (type === 'snapshots') this.storedAt.set(name, storedAt);
    const index = files.filter(({ type }) => type === 'index');
    this.listed = {
      keys: namesOf(files, 'keys'),
      locks: files.filter(({ type }) => type === 'locks'),
      snapshots: namesOf(files, 'snapshots'),
      index: namesOf(index, 'index'),
      indexedAt: newestOf(index),
      foreignIndex: new Set(namesOf(index.filter(isForeign), 'index')),
    };
  }
}

/** @returns undefined if nothing is known */
function newestOf(files: readonly StoredFile[]): number | undefined {
  const times = files.flatMap(({ storedAt = [] }) => storedAt);
  return times.sort((a, b) => a - b).at(-1);
}

function rangeOf({ offset, length }: LocatedBlob): ByteRange {
  return { start: offset, end: offset + length };
}
