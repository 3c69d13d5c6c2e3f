/** A repository in a folder on disk, written and read with the modules of src/backup/restic as simply as possible. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BlobIndex } from '../../../src/backup/restic/blob-index';
import { Chunker, newPolynomial } from '../../../src/backup/restic/chunker';
import { compress, decodeFile, decompress, encodeFile } from '../../../src/backup/restic/compression';
import { type RepositoryKey, idOf, newRepositoryKey, seal, unseal } from '../../../src/backup/restic/crypto';
import {
  type IndexedPack,
  type PackedBlob,
  indexFiles,
  packHeader,
  readIndexFile,
} from '../../../src/backup/restic/pack';
import { createKeyFile, openKeyFile } from '../../../src/backup/restic/keys';
import {
  type RepositoryConfig,
  type Snapshot,
  configJson,
  readConfig,
  readSnapshot,
  snapshotJson,
} from '../../../src/backup/restic/snapshot-file';
import {
  type NodeType,
  type SnapshotNode,
  compareNames,
  readTree,
  treeBlob,
} from '../../../src/backup/restic/tree';
import { decodePath, diskPath } from '../../../src/fs/path-bytes';

const PASSPHRASE = 'correct horse battery';
/** Each open of a repository takes 0.1 s with the parameters of real ones, in restic as well. */
const FAST_PARAMS = { N: 16, r: 8, p: 1 };

/** Bytes of the content of a block of zstd. */
const MAX_BLOCK = 128 * 1024;

/** Runs restic on a repository on disk. @returns its standard output. @throws with its messages if it fails */
export function restic(
  repository: string,
  args: readonly string[],
  passphrase = PASSPHRASE,
  cwd?: string,
): string {
  const env = { ...process.env, RESTIC_PASSWORD: passphrase, RESTIC_CACHE_DIR: `${repository}.cache` };
  const { status, stdout, stderr } = spawnSync('restic', ['-r', repository, ...args], {
    env,
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`restic ${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
}

interface EmptyRepository {
  key: RepositoryKey;
  settings: RepositoryConfig;
  /** The contents of its two files. */
  keyFile: Buffer;
  config: Buffer;
}

/** @returns a new repository whose passphrase takes no time to try */
export async function emptyRepository(
  passphrase: string,
  version: RepositoryConfig['version'] = 2,
): Promise<EmptyRepository> {
  const key = newRepositoryKey();
  const settings = { version, id: randomBytes(32).toString('hex'), polynomial: newPolynomial() };
  const owner = { host: 'pi', username: 'root', created: Date.UTC(2026, 10, 25), params: FAST_PARAMS };
  const keyFile = await createKeyFile(key, passphrase, owner);
  // Never compressed: restic reads the version first.
  return { key, settings, keyFile, config: seal(key, configJson(settings)) };
}

/**
 * A frame of zstd that unpacks to any size, with a block for each 128 KiB.
 * @param start of the content. @param filler the rest of it. @param header by default a window of 128 KiB
 */
export function zstdFrame(
  start: string,
  filler: { character: string; length: number },
  header = Buffer.from('28b52ffd0038', 'hex'),
): Buffer {
  const blocks = [blockHeader(0, start.length), Buffer.from(start)];
  for (let rest = filler.length; rest > 0; rest -= MAX_BLOCK)
    blocks.push(blockHeader(1, Math.min(rest, MAX_BLOCK)), Buffer.from(filler.character));
  return Buffer.concat([header, ...blocks, Buffer.of(1, 0, 0)]);
}

/** @param type 0 for content as it is, 1 for a byte that is repeated */
function blockHeader(type: 0 | 1, length: number): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE(type * 2 + length * 8, 0, 3);
  return header;
}

export class DiskRepository {
  private readonly pending: Record<'data' | 'tree', { blobs: PackedBlob[]; parts: Buffer[]; size: number }> =
    {
      data: { blobs: [], parts: [], size: 0 },
      tree: { blobs: [], parts: [], size: 0 },
    };
  private readonly packs: IndexedPack[] = [];
  private readonly known = new Set<string>();

  private constructor(
    private readonly folder: string,
    readonly key: RepositoryKey,
    readonly config: RepositoryConfig,
  ) {}

  static async create(folder: string, version: 1 | 2 = 2, passphrase = PASSPHRASE): Promise<DiskRepository> {
    for (const name of ['data', 'index', 'keys', 'locks', 'snapshots']) {
      mkdirSync(join(folder, name), { recursive: true });
    }
    const files = await emptyRepository(passphrase, version);
    const repository = new DiskRepository(folder, files.key, files.settings);
    repository.write('keys', files.keyFile);
    writeFileSync(join(folder, 'config'), files.config);
    return repository;
  }

  static async open(folder: string, passphrase = PASSPHRASE): Promise<DiskRepository> {
    for (const name of readdirSync(join(folder, 'keys'))) {
      const key = await openKeyFile(readFileSync(join(folder, 'keys', name)), passphrase, `keys/${name}`);
      if (key === undefined) continue;
      const config = unseal(key, readFileSync(join(folder, 'config')), 'config');
      return new DiskRepository(folder, key, readConfig(config));
    }
    throw new Error('wrong passphrase');
  }

  /** Stores the files, folders and links below a folder. @returns the ID of the snapshot */
  backUp(source: string, more: Partial<Snapshot> = {}): string {
    let tree = this.addFolder(source);
    for (const name of source.split('/').reverse()) {
      if (name === '') continue;
      const stats = lstatSync('/', { bigint: true });
      tree = this.addBlob(treeBlob([{ ...nodeOf(name, 'dir', stats), subtree: tree }]), true);
    }
    return this.addSnapshot({ paths: [source], ...more, tree });
  }

  addSnapshot(partial: Pick<Snapshot, 'tree'> & Partial<Snapshot>): string {
    this.finishPack('data');
    this.finishPack('tree');
    for (const json of indexFiles(this.packs.splice(0))) this.writeJson('index', json);
    const time = BigInt(Date.UTC(2026, 10, 25)) * 1_000_000n;
    const snapshot = { time, hostname: 'pi', username: 'root', paths: ['/'], tags: [], ...partial };
    return this.writeJson('snapshots', snapshotJson(snapshot));
  }

  addBlob(plain: Buffer, isTree: boolean): string {
    const id = idOf(plain);
    if (this.known.has(id)) return id;
    this.known.add(id);
    const compressed = this.config.version > 1 ? compress(plain) : undefined;
    const blob = { id, isTree, ...(compressed ? { uncompressedLength: plain.length } : {}) };
    return this.addStored(compressed ?? plain, blob);
  }

  /** Adds a blob as it is stored, which needn't be what its ID says. @returns the ID */
  addStored(content: Buffer, blob: Pick<PackedBlob, 'id' | 'isTree' | 'uncompressedLength'>): string {
    const sealed = seal(this.key, content);
    const pack = this.pending[blob.isTree ? 'tree' : 'data'];
    pack.blobs.push({ ...blob, offset: pack.size, length: sealed.length });
    pack.parts.push(sealed);
    pack.size += sealed.length;
    if (pack.size > 4 * 1024 * 1024) this.finishPack(blob.isTree ? 'tree' : 'data');
    return blob.id;
  }

  /** Adds a file whose JSON is compressed to this frame. @returns its ID */
  addFrame(kind: 'index' | 'snapshots', frame: Buffer): string {
    return this.write(kind, seal(this.key, Buffer.concat([Buffer.of(2), frame])));
  }

  get index(): BlobIndex {
    const index = new BlobIndex();
    for (const name of readdirSync(join(this.folder, 'index'))) {
      for (const { id, blobs } of readIndexFile(this.readJson('index', name), `index/${name}`)) {
        for (const blob of blobs) index.add(blob, id);
      }
    }
    return index;
  }

  readBlob(id: string, isTree: boolean, index = this.index): Buffer {
    const blob = index.find(id, isTree);
    if (blob === undefined) throw new Error(`no blob ${id}`);
    const pack = readFileSync(join(this.folder, 'data', blob.pack.slice(0, 2), blob.pack));
    const plain = unseal(this.key, pack.subarray(blob.offset, blob.offset + blob.length), id);
    const { uncompressedLength } = blob;
    const content = uncompressedLength === undefined ? plain : decompress(plain, uncompressedLength, id);
    if (idOf(content) !== id) throw new Error(`wrong blob ${id}`);
    return content;
  }

  get snapshots(): (Snapshot & { id: string })[] {
    const names = readdirSync(join(this.folder, 'snapshots')).sort();
    return names.map((id) => ({ id, ...readSnapshot(this.readJson('snapshots', id), `snapshots/${id}`) }));
  }

  /** @returns each path below a tree with its node, and the content of files */
  readAll(tree: string, index = this.index): Map<string, SnapshotNode & { bytes?: Buffer }> {
    const all = new Map<string, SnapshotNode & { bytes?: Buffer }>();
    for (const node of readTree(this.readBlob(tree, true, index), tree)) {
      const content = node.content?.map((id) => this.readBlob(id, false, index));
      all.set(node.name, content && node.type === 'file' ? { ...node, bytes: Buffer.concat(content) } : node);
      if (node.subtree === undefined) continue;
      for (const [path, each] of this.readAll(node.subtree, index)) all.set(`${node.name}/${path}`, each);
    }
    return all;
  }

  private addFolder(path: string): string {
    const names = readdirSync(diskPath(path), { encoding: 'buffer' }).map(decodePath).sort(compareNames);
    return this.addBlob(treeBlob(names.map((name) => this.nodeFor(`${path}/${name}`, name))), true);
  }

  private nodeFor(path: string, name: string): SnapshotNode {
    const stats = lstatSync(diskPath(path), { bigint: true });
    if (stats.isDirectory()) return { ...nodeOf(name, 'dir', stats), subtree: this.addFolder(path) };
    if (stats.isSymbolicLink()) {
      const linkTarget = decodePath(readlinkSync(diskPath(path), { encoding: 'buffer' }));
      return { ...nodeOf(name, 'symlink', stats), linkTarget };
    }
    const chunker = new Chunker(this.config.polynomial);
    const content: string[] = [];
    for (let rest = readFileSync(diskPath(path)); rest.length > 0;) {
      const length = chunker.cut(rest);
      content.push(this.addBlob(rest.subarray(0, length), false));
      rest = rest.subarray(length);
    }
    return { ...nodeOf(name, 'file', stats), content };
  }

  private finishPack(type: 'data' | 'tree'): void {
    const { blobs, parts } = this.pending[type];
    if (blobs.length === 0) return;
    const id = this.write('data', Buffer.concat([...parts, packHeader(this.key, blobs)]));
    this.packs.push({ id, blobs });
    this.pending[type] = { blobs: [], parts: [], size: 0 };
  }

  private writeJson(kind: string, json: Buffer): string {
    return this.write(kind, seal(this.key, encodeFile(json, this.config.version)));
  }

  private readJson(kind: string, name: string): Buffer {
    return decodeFile(unseal(this.key, readFileSync(join(this.folder, kind, name)), name), name);
  }

  private write(kind: string, content: Buffer): string {
    const id = idOf(content);
    const folder = join(this.folder, kind, kind === 'data' ? id.slice(0, 2) : '');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, id), content);
    return id;
  }
}

function nodeOf(name: string, type: NodeType, stats: BigIntStats): SnapshotNode {
  return {
    ...{ name, type, mode: Number(stats.mode) & 0o7777 },
    ...{ mtime: stats.mtimeNs, atime: stats.mtimeNs, ctime: stats.ctimeNs },
    ...{ uid: Number(stats.uid), gid: Number(stats.gid), inode: stats.ino, deviceId: stats.dev },
    ...{ size: type === 'file' ? Number(stats.size) : 0, links: Number(stats.nlink) },
  };
}
