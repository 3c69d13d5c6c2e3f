/**
 * A repository of restic, as the worker thread uses it. Everything in it may have been written by someone else.
 * https://restic.readthedocs.io/en/stable/100_references.html#repository-format
 */
import { randomBytes } from 'node:crypto';
import { DriveError, ifFound, isDriveError } from '../errors';
import { BlobIndex, type LocatedBlob } from './blob-index';
import { RepositoryCache } from './cache';
import { newPolynomial } from './chunker';
import { decodeFile, decompress, encodeFile } from './compression';
import { type RepositoryKey, freeIfLarge, idOf, newRepositoryKey, seal, tryUnseal, unseal } from './crypto';
import { readIndexFile } from './index-file';
import { createKeyFile, openKeyFile } from './key-file';
import { damagedFile, isDamaged } from './damaged-file';
import type { Access } from './snapshot-job';
import { type RepositoryConfig, type Snapshot, configJson, readConfig, readSnapshot } from './snapshot-file';
import type { ByteRange, FileType, RepositoryStore, StoredFile } from './store';

/** Bytes of a pack of trees that is fetched as a whole, because its other trees will be needed as well. */
const MAX_TREE_PACK = 64 * 1024 * 1024;
/** Bytes of a tree: a folder with a million entries. */
const MAX_TREE = 512 * 1024 * 1024;
/** Small files that are loaded at once. */
const MAX_LOADING = 4;
/** More would take minutes to try. */
const MAX_KEYS = 50;
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
  /** Those of other accounts, which this one can't remove. */
  foreignIndex: Set<string>;
  /** Sizes of packs by ID, if they were listed. */
  packs?: Map<string, number | undefined>;
}

export class Repository {
  /** As of the last {@link refresh}. */
  listed: Listed = { keys: [], locks: [], snapshots: [], index: [], foreignIndex: new Set() };
  /** Whether this process has created the repository. */
  private isCreated = false;

  /** Of the snapshots, by ID. */
  private readonly storedAt = new Map<string, number | undefined>();

  private constructor(
    readonly store: RepositoryStore,
    readonly access: Access,
    readonly cache: RepositoryCache,
    readonly key: RepositoryKey,
    readonly config: RepositoryConfig,
    /** Of the file that the passphrase opens. */
    private readonly keyName: string,
  ) {}

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
    let files = await store.list(['config', ...LISTED]);
    const isCreated = !files.some(({ type }) => type === 'config');
    if (isCreated) {
      if (!mayCreate) throw new DriveError('not_found', { text: 'not_found_repository' });
      await createRepository(store, access);
      files = await store.list(['config', ...LISTED]);
    }
    const opened = await openKeys({ store, cache, access }, namesOf(files, 'keys'));
    const repository = new Repository(store, access, cache, opened.key, opened.config, opened.keyName);
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
  async index(): Promise<BlobIndex> {
    const index = new BlobIndex();
    for (const [id, loading] of this.loadAll('index')) {
      const json = await loading;
      // Removed since it was listed: its replacement has the same blobs, and may be listed next time.
      if (!json) continue;
      for (const { id: pack, blobs } of readIndexFile(json, `index/${id}`)) {
        if (this.listed.foreignIndex.has(id)) index.foreign.add(pack);
        for (const blob of blobs) index.add(blob, pack);
      }
    }
    this.cache.keepOnly('index', new Set(this.listed.index));
    return index;
  }

  /** @returns the plaintext. @throws `bad_response` if the tree is missing or damaged */
  async tree(index: BlobIndex, id: string): Promise<Buffer> {
    const blob = index.find(id, true);
    if (!blob || (blob.uncompressedLength ?? blob.length) > MAX_TREE) throw damagedFile(id, 'missing');
    const range = { start: blob.offset, end: blob.offset + blob.length };
    const cached = this.cache.read('data', blob.pack, range);
    const plain = cached && this.tryOpenBlob(cached, blob);
    if (plain) return plain;
    if ((index.packSize(blob.pack) ?? Infinity) > MAX_TREE_PACK)
      return this.openBlob(await this.readPack(blob.pack, range), blob);
    const pack = await this.readPack(blob.pack);
    const opened = this.openBlob(pack.subarray(range.start, range.end), blob);
    this.cache.write('data', blob.pack, pack);
    return opened;
  }

  /** @throws `bad_response` if the pack is missing, `conflict` if it is in the trash */
  async readPack(pack: string, range?: ByteRange): Promise<Buffer> {
    const bytes = await ifFound(this.store.read('data', pack, range));
    if (bytes) return bytes;
    await this.store.checkTrash([pack]);
    throw damagedFile(`data/${pack}`, 'missing');
  }

  /** @returns the plaintext of a blob. @throws `bad_response` */
  openBlob(sealed: Buffer, { id, uncompressedLength }: LocatedBlob): Buffer {
    const content = unseal(this.key, sealed, id);
    const plain = uncompressedLength === undefined ? content : decompress(content, uncompressedLength, id);
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
    if (!this.isCreated) return;
    await this.store.keepOldestConfig();
    if (tryUnseal(this.key, await this.store.read('config', 'config'))) return;
    this.cache.remove('config', 'config');
    throw new DriveError('conflict', { text: 'conflict_repository_replaced' });
  }

  /** Looks whether key and config on the drive still open the repository. @throws `bad_response` if they don't */
  async checkAccess(): Promise<void> {
    const file = await this.lostFile();
    if (file === undefined) return;
    // Someone may have changed the passphrase meanwhile.
    const files = await this.store.list(['config', 'keys']);
    const { store, access } = this;
    const opened = await openKeys({ store, access }, namesOf(files, 'keys')).catch((error: unknown) => {
      if (!isDamaged(error) && !isDriveError(error, 'invalid_input')) throw error;
    });
    if (opened?.key.encrypt.equals(this.key.encrypt)) return;
    throw new DriveError('bad_response', { text: 'bad_response_repository_access', params: { file } });
  }

  /** @returns the file on the drive without which this key doesn't open the repository any more */
  private async lostFile(): Promise<string | undefined> {
    const config = await ifFound(this.store.read('config', 'config'));
    if (!config || !tryUnseal(this.key, config)) return 'config';
    const key = await this.loadStored('keys', this.keyName).catch((error: unknown) => {
      if (!isDamaged(error)) throw error;
    });
    return key ? undefined : `keys/${this.keyName}`;
  }

  /** Writes a snapshot, an index or a lock. @returns its ID */
  async save(type: FileType, json: Buffer): Promise<string> {
    const sealed = seal(this.key, encodeFile(json, this.config.version));
    const id = idOf(sealed);
    if (type !== 'locks') this.cache.write(type, id, sealed);
    await write(this.store, type, id, sealed);
    return id;
  }

  /** @returns undefined if it was removed meanwhile. @throws `bad_response` if it is damaged */
  async load(type: FileType, id: string): Promise<Buffer | undefined> {
    const sealed = await loadFile(this, type, id);
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
    this.listed = {
      keys: namesOf(files, 'keys'),
      locks: files.filter(({ type }) => type === 'locks'),
      snapshots: namesOf(files, 'snapshots'),
      index: namesOf(files, 'index'),
      foreignIndex: new Set(namesOf(files.filter(isForeign), 'index')),
    };
  }
}

/** @returns sizes on the drive by ID */
export function packSizes(files: readonly StoredFile[]): Map<string, number | undefined> {
  return new Map(files.flatMap(({ type, name, size }) => (type === 'data' ? [[name, size]] : [])));
}

export function isForeign({ isOthers }: StoredFile): boolean {
  return isOthers === true;
}

export function namesOf(files: readonly StoredFile[], wanted: FileType): string[] {
  return files.flatMap(({ type, name }) => (type === wanted ? [name] : []));
}

interface Source {
  store: RepositoryStore;
  cache?: RepositoryCache;
}

/** @returns the file as it is stored; undefined if there is none. @throws `bad_response` if its hash is wrong twice */
async function loadFile({ store, cache }: Source, type: FileType, id: string): Promise<Buffer | undefined> {
  const cached = type === 'locks' ? undefined : cache?.read(type, id);
  if (cached && idOf(cached) === id) return cached;
  for (let attempt = 0; attempt < 2; attempt++) {
    const content = await ifFound(store.read(type, id, undefined, attempt));
    if (!content) return undefined;
    if (idOf(content) !== id) continue;
    if (type !== 'locks') cache?.write(type, id, content);
    return content;
  }
  throw damagedFile(`${type}/${id}`, 'hash');
}

/**
 * Tries all keys: one may have been left behind by an attempt to create the repository, and not belong to its config.
 * @throws `invalid_input` if the passphrase belongs to none of them, `bad_response` for a damaged config
 */
async function openKeys(
  source: Source & { access: Access },
  names: readonly string[],
): Promise<{ key: RepositoryKey; config: RepositoryConfig; keyName: string }> {
  const { store, cache, access } = source;
  let damage: DriveError | undefined;
  let config = cache?.read('config', 'config');
  for (const name of names.slice(0, MAX_KEYS)) {
    try {
      const content = await loadFile(source, 'keys', name);
      const key = content && (await openKeyFile(content, access.passphrase, `keys/${name}`));
      if (!key) continue;
      if (!config || !tryUnseal(key, config)) config = await store.read('config', 'config');
      const plain = unseal(key, config, 'config');
      cache?.write('config', 'config', config);
      return { key, config: readConfig(plain), keyName: name };
    } catch (error) {
      if (!isDriveError(error, 'bad_response')) throw error;
      damage = error;
    }
  }
  if (damage !== undefined) throw damage;
  const params = { folder: access.folder };
  throw new DriveError('invalid_input', { text: 'invalid_input_repository_passphrase', params });
}

/** The store keeps the oldest config if another machine creates one at the same time. */
async function createRepository(
  store: RepositoryStore,
  { passphrase, host, username }: Access,
): Promise<void> {
  const key = newRepositoryKey();
  const file = await createKeyFile(key, passphrase, { host, username, created: await store.time() });
  const config = { version: 2, id: randomBytes(32).toString('hex'), polynomial: newPolynomial() } as const;
  await write(store, 'keys', idOf(file), file);
  await write(store, 'config', 'config', seal(key, configJson(config)));
}

async function write(store: RepositoryStore, type: FileType, name: string, content: Buffer): Promise<void> {
  const memory = new ArrayBuffer(content.length);
  content.copy(Buffer.from(memory));
  await store.write(type, name, memory, content.length);
}
