/** Opens an archive on disk: decrypts and decompresses it, by what its first bytes are. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { DriveError, errorCode } from '../errors';
import { AgeDecryption, type AgeHeader, AgeHeaderReader, type AgeSecret } from './age';

export interface ArchiveSource {
  /** On disk. */
  path: string;
  /** On the drive, for error messages. */
  name: string;
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
const READ_SIZE = 64 * 1024;
/** Bytes decompressed at once. */
const CHUNK_SIZE = 64 * 1024;

/**
 * Yields the tar. A file that is neither encrypted nor compressed is yielded as it is.
 * @throws `bad_response`, and `invalid_input` for a wrong or missing passphrase or key
 */
export async function* openArchive(source: ArchiveSource): AsyncGenerator<Buffer> {
  const file = createReadStream(source.path, { highWaterMark: READ_SIZE });
  try {
    let content = await peek(file as AsyncIterable<Buffer>, AGE_MAGIC.length);
    const isEncrypted = content.head.subarray(0, AGE_MAGIC.length).equals(AGE_MAGIC);
    if (isEncrypted) content = await peek(decrypt(content.chunks, source), GZIP_MAGIC.length);
    // The name promises that nobody without the key has written it.
    else if (/\.age$/i.test(source.name)) throw damaged(source.name, 'not in the age format');
    const isCompressed = content.head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
    yield* isCompressed ? gunzip(content.chunks, source.name) : content.chunks;
  } finally {
    file.destroy();
  }
}

export function truncated(name: string): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_archive_truncated', params: { name } });
}

export function damaged(name: string, reason: string): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_archive_damaged', params: { name, reason } });
}

interface Peeked {
  /** At least as many bytes as requested, unless there are fewer. */
  head: Buffer;
  /** All bytes, those of the head too. */
  chunks: AsyncIterable<Buffer>;
}

async function peek(chunks: AsyncIterable<Buffer>, length: number): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < length) {
    const next = await iterator.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
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
  { name, secrets }: ArchiveSource,
): AsyncGenerator<Buffer> {
  const reader = new AgeHeaderReader();
  let decryption: AgeDecryption | undefined;
  for await (const chunk of chunks) {
    if (decryption) {
      yield* decryption.decrypt(chunk);
      continue;
    }
    const header = reader.add(chunk);
    if (!header) continue;
    decryption = await AgeDecryption.start(header, requiredSecret(header, { name, secrets }));
    yield* decryption.decrypt(header.rest);
  }
  if (!decryption) throw truncated(name);
  yield* decryption.end();
}

/** @throws `invalid_input` if the secret that the archive needs is missing */
function requiredSecret(
  { isForPassphrase }: AgeHeader,
  { name, secrets }: Pick<ArchiveSource, 'name' | 'secrets'>,
): AgeSecret {
  const { passphrase, identities } = secrets;
  if (isForPassphrase && passphrase) return { passphrase };
  if (!isForPassphrase && identities.length > 0) return { identities };
  const text = isForPassphrase ? 'invalid_input_archive_passphrase' : 'invalid_input_archive_identity';
  throw new DriveError('invalid_input', { text, params: { name } });
}

/** Reads all members: RFC 1952 2.2. */
async function* gunzip(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: CHUNK_SIZE });
  const fed = pipeline(Readable.from(chunks), stream);
  fed.catch(() => undefined);
  try {
    yield* stream as AsyncIterable<Buffer>;
    // zlib ends at zeros after the last member, with which tapes are filled up, and doesn't read the rest.
    await fed.catch((error: unknown) => {
      if (errorCode(error) !== 'ABORT_ERR' && errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw truncated(name);
    throw code.startsWith('Z_') ? damaged(name, message) : error;
  } finally {
    stream.destroy();
  }
}
