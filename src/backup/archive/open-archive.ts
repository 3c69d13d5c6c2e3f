/** Opens an archive: decrypts and decompresses it, by what its first bytes are. */
import { type FileHandle, open } from 'node:fs/promises';
import { type Gunzip, createGunzip } from 'node:zlib';
import { freeBuffer } from '../../core/buffers';
import { DriveError } from '../../errors';
import { ARMOR_HEAD, decodeArmor, isArmored } from './age-armor';
import { AgeDecryption, type AgeHeader, AgeHeaderReader, type AgeSecret } from './age';

/** An archive on disk, or one that is read from the drive. */
export type ArchiveSource = NamedArchive & ({ path: string } | { chunks: AsyncIterable<Buffer> });

export interface NamedArchive {
  /** On the drive, for error messages. */
  name: string;
  /** Bytes on the drive, for limits. By default those on disk. */
  size?: number | undefined;
  /** Of an archive that was decrypted and decompressed before. */
  isPlainTar?: boolean;
  secrets: ArchiveSecrets;
}

/** For an archive in the age format, which needs either of them. */
export interface ArchiveSecrets {
  passphrase: string | undefined;
  /** Private keys `AGE-SECRET-KEY-1…`. */
  identities: readonly string[];
}

/** https://age-encryption.org/v1 */
const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n');
/** RFC 1952 2.3.1. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
/** Bytes read at once. */
const READ_SIZE = 256 * 1024;
/** Bytes decompressed at once: every round trip to the thread pool takes as long as writing a small file. */
const CHUNK_SIZE = 256 * 1024;

/**
 * Yields the tar. A file that is neither encrypted nor compressed is yielded as it is.
 * @param onCompressed gets the bytes of a compressed archive, to its end
 * @returns chunks that may share their memory with one another. It can be freed.
 * @throws `bad_response`, and `invalid_input` for a wrong or missing passphrase or key
 */
export async function* openArchive(
  source: ArchiveSource,
  onCompressed?: (bytes: Buffer) => void,
): AsyncGenerator<Buffer> {
  const file = 'path' in source ? await open(source.path, 'r') : undefined;
  try {
    const chunks = 'path' in source ? readChunks(file as FileHandle) : source.chunks;
    if (source.isPlainTar) {
      yield* chunks;
      return;
    }
    let content = await peek(chunks, ARMOR_HEAD);
    const hasArmor = isArmored(content.head);
    if (hasArmor) content = await peek(decodeArmor(content.chunks), AGE_MAGIC.length);
    const isEncrypted = content.head.subarray(0, AGE_MAGIC.length).equals(AGE_MAGIC);
    if (isEncrypted) content = await peek(decrypt(content.chunks, source), GZIP_MAGIC.length);
    // The name promises that nobody without the key has written it.
    else if (hasArmor || /\.age$/i.test(source.name)) throw damaged(source.name, 'not in the age format');
    const isCompressed = content.head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
    yield* isCompressed ? gunzip(observed(content.chunks, onCompressed), source.name) : content.chunks;
  } finally {
    await file?.close();
  }
}

export function truncated(name: string): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_archive_truncated', params: { name } });
}

export function damaged(name: string, reason: string): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_archive_damaged', params: { name, reason } });
}

async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const buffer = Buffer.allocUnsafeSlow(READ_SIZE);
    const { bytesRead } = await file.read(buffer, 0, READ_SIZE, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

interface Peeked {
  /** At least as many bytes as requested, unless there are fewer. */
  head: Buffer;
  /** All bytes, those of the head too. */
  chunks: AsyncIterable<Buffer>;
}

async function peek(chunks: AsyncIterable<Buffer>, length: number): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < length) {
    const next = await iterator.next();
    if (next.done) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  const rest = { [Symbol.asyncIterator]: () => iterator };
  return {
    head,
    chunks: (async function* () {
      yield head;
      yield* rest;
    })(),
  };
}

async function* decrypt(
  chunks: AsyncIterable<Buffer>,
  { name, secrets }: NamedArchive,
): AsyncGenerator<Buffer> {
  const reader = new AgeHeaderReader();
  let decryption: AgeDecryption | undefined;
  for await (const chunk of chunks) {
    if (decryption) {
      yield* decryption.decrypt(chunk);
      freeBuffer(chunk);
      continue;
    }
    const header = reader.add(chunk);
    if (!header) continue;
    decryption = await AgeDecryption.start(header, requiredSecret(header, { name, secrets }), name);
    yield* decryption.decrypt(header.rest);
  }
  if (!decryption) throw truncated(name);
  yield* decryption.end();
}

/** @throws `invalid_input` if the secret that the archive needs is missing */
export function requiredSecret({ isForPassphrase }: AgeHeader, { name, secrets }: NamedArchive): AgeSecret {
  const { passphrase, identities } = secrets;
  if (isForPassphrase && passphrase) return { passphrase };
  if (!isForPassphrase && identities.length > 0) return { identities };
  const text = isForPassphrase ? 'invalid_input_archive_passphrase' : 'invalid_input_archive_identity';
  throw new DriveError('invalid_input', { text, params: { name } });
}

async function* observed(
  chunks: AsyncIterable<Buffer>,
  observe: ((bytes: Buffer) => void) | undefined,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    observe?.(chunk);
    yield chunk;
  }
}

/** Reads all members: RFC 1952 2.2. */
export async function* gunzip(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: CHUNK_SIZE });
  const feeding = feed(stream, chunks);
  try {
    yield* stream as AsyncIterable<Buffer>;
    await feeding;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw truncated(name);
    throw code.startsWith('Z_') ? damaged(name, message) : error;
  } finally {
    stream.destroy();
  }
}

/**
 * zlib ends at zeros after the last member, with which tapes are filled up. The rest is only read, because an index could
 * be behind them. Never rejects: an error destroys the stream.
 */
async function feed(stream: Gunzip, chunks: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (stream.destroyed && !stream.readableEnded) return;
      if (!stream.readableEnded) await write(stream, chunk);
      freeBuffer(chunk);
    }
    stream.end();
  } catch (error) {
    stream.destroy(error as Error);
  }
}

/** Resolves when the chunk was read, or nothing reads any more: then, zlib calls nothing back. */
async function write(stream: Gunzip, chunk: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.once('close', resolve);
    stream.write(chunk, (error) => {
      stream.off('close', resolve);
      if (error && !stream.readableEnded) reject(error);
      else resolve();
    });
  });
}
