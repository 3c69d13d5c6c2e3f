/**
 * Encryption in the age v1 format: https://age-encryption.org/v1 (specification: https://c2sp.org/age). The library, by
 * the author of the format, writes and reads headers and X25519 keys. The content is encrypted by OpenSSL, which takes
 * a tenth of the time of the library's JavaScript, and passphrases are derived in Node's thread pool.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { types } from 'node:util';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { badResponse, DriveError, type TextWith } from '../../errors';
import type * as Age from 'age-encryption' with { 'resolution-mode': 'import' };

/** What an archive is encrypted with: a passphrase, or public keys `age1…`. */
export type AgeRecipients = { passphrase: string } | { recipients: readonly string[] };

/** A passphrase, or private keys `AGE-SECRET-KEY-1…`. */
export type AgeSecret = { passphrase: string } | { identities: readonly string[] };

/** Bytes of plaintext in each chunk but the last. */
const CHUNK = 64 * 1024;
/** Bytes of a Poly1305 authentication tag. */
const TAG = 16;
const NONCE = 16;
/** The work factor that the age program uses: 2^18 blocks of 1 KiB, about a second. */
const SCRYPT_LOG_N = 18;
/** Limits the memory for a file from elsewhere to 1 GiB. */
const MAX_SCRYPT_LOG_N = 20;
/** A header of this size has some 500 recipients. */
const MAX_HEADER = 64 * 1024;
/** Each pair of a recipient and a private key takes 2 ms. */
const MAX_PAIRS = 1_000;
const STANZA = /^-> /gm;
/** Tried after each private key, so that Node-RED does other work meanwhile. */
const PAUSE = { unwrapFileKey: (): Promise<null> => nextTurn(null) };
/** https://c2sp.org/age#scrypt-recipient-stanza */
const SCRYPT_STANZA = /^-> scrypt /m;

/** The library. The build bundles it into a file of its own, which is loaded on first use: most flows don't need it. */
export function loadAge(): typeof Age {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('age-encryption') as typeof Age;
}

/** @returns a new key pair: the private key as `AGE-SECRET-KEY-1…`, the public one as `age1…` */
export async function generateAgeKeys(): Promise<{ identity: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = loadAge();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** @throws `invalid_input` for an empty passphrase, no recipient or a malformed one */
export function checkRecipients(to: AgeRecipients): void {
  recipientsEncrypter(to);
}

/** @throws `invalid_input` for a malformed private key */
export function checkIdentities(identities: readonly string[]): void {
  if (identities.length > 0) addIdentities(new (loadAge().Decrypter)(), identities);
}

/** Encrypts one file. */
export class AgeEncryption {
  private readonly content: ContentCipher;

  private constructor(
    /** What the file begins with. */
    readonly header: Buffer,
    key: Buffer,
  ) {
    this.content = new ContentCipher(key, encryptChunk, { size: CHUNK });
  }

  /** @throws as {@link checkRecipients} */
  static async start(to: AgeRecipients): Promise<AgeEncryption> {
    const encrypter = recipientsEncrypter(to);
    let fileKey: Uint8Array = new Uint8Array();
    if ('passphrase' in to) {
      encrypter.addRecipient({
        wrapFileKey: async (key) => [await wrapWithPassphrase((fileKey = key), to.passphrase)],
      });
    } else {
      encrypter.addRecipient({ wrapFileKey: (key) => ((fileKey = key), []) });
    }
    // The library has no function for the header alone, so it encrypts an empty file.
    const empty = await encrypter.encrypt(new Uint8Array());
    const header = empty.subarray(0, empty.length - NONCE - TAG);
    const nonce = randomBytes(NONCE);
    return new AgeEncryption(Buffer.concat([header, nonce]), contentKey(fileKey, nonce));
  }

  /** @returns the parts of the file that are complete. Their memory can be freed. */
  encrypt(chunk: Buffer): Buffer[] {
    return this.content.update(chunk);
  }

  /** @returns the end of the file */
  end(): Buffer[] {
    return this.content.end();
  }
}

/** Decrypts one file, of which the caller reads the header with {@link AgeHeaderReader}. */
export class AgeDecryption {
  private readonly content: ContentCipher;

  private constructor(key: Buffer) {
    this.content = new ContentCipher(key, decryptChunk, { size: CHUNK + TAG });
  }

  /**
   * @param name of the archive, for error messages
   * @throws `invalid_input` if the secret is malformed or not one of this file's, `bad_response` for a malformed header
   */
  static async start(header: AgeHeader, secret: AgeSecret, name: string): Promise<AgeDecryption> {
    return new AgeDecryption(await openContentKey(header, secret, name));
  }

  /** @returns the decrypted chunks. @throws `bad_response` if the content was changed */
  decrypt(chunk: Buffer): Buffer[] {
    return this.content.update(chunk);
  }

  /** @returns the end of the content. @throws `bad_response` if the file was changed or is incomplete */
  end(): Buffer[] {
    return this.content.end();
  }
}

/** Decrypts any chunks of one file: https://c2sp.org/age#payload */
export class AgeChunks {
  private constructor(
    private readonly key: Buffer,
    /** Where the first chunk starts. */
    private readonly start: number,
    private readonly fileSize: number,
  ) {}

  /** @throws as {@link AgeDecryption.start}, and `bad_response` for a file without a chunk */
  static async open(
    header: AgeHeader,
    secret: AgeSecret,
    { name, size }: { name: string; size: number },
  ): Promise<AgeChunks> {
    const start = header.header.length + NONCE;
    if (size < start + TAG) throw malformed('truncated');
    return new AgeChunks(await openContentKey(header, secret, name), start, size);
  }

  /** Bytes of the content. */
  get size(): number {
    const encrypted = this.fileSize - this.start;
    return encrypted - TAG * Math.ceil(encrypted / (CHUNK + TAG));
  }

  /**
   * @returns the part of the file with these bytes of the content, the number of its first chunk, and how many bytes of
   *   it come before
   */
  rangeOf(start: number, end: number): { first: number; skipped: number; start: number; end: number } {
    const [first, last] = [Math.floor(start / CHUNK), Math.ceil(end / CHUNK)];
    const position = (chunk: number): number => Math.min(this.fileSize, this.start + chunk * (CHUNK + TAG));
    return { first, skipped: start - first * CHUNK, start: position(first), end: position(last) };
  }

  /** @param chunks of the file, from this one on. @throws `bad_response` if one was changed */
  async *decrypt(first: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const last = Math.ceil((this.fileSize - this.start) / (CHUNK + TAG)) - 1;
    const content = new ContentCipher(this.key, decryptChunk, { size: CHUNK + TAG, first });
    for await (const bytes of chunks) yield* content.update(bytes);
    if (!content.isEmpty) yield* content.end(content.number === last);
  }
}

export interface AgeHeader {
  header: Buffer;
  /** Otherwise, the file is encrypted for public keys. */
  isForPassphrase: boolean;
  nonce: Buffer;
  /** The beginning of the content that was read with the header. */
  rest: Buffer;
}

/** Collects the header at the beginning of a file. */
export class AgeHeaderReader {
  private bytes = Buffer.alloc(0);

  /** @returns undefined until the header is complete. @throws `bad_response` if this is no age file */
  add(chunk: Buffer): AgeHeader | undefined {
    this.bytes = Buffer.concat([this.bytes, chunk]);
    const text = this.bytes.toString('latin1', 0, MAX_HEADER);
    const magic = 'age-encryption.org/';
    if (!text.startsWith(magic.slice(0, text.length))) throw malformed('no age file');
    const mac = /\n---[^\n]*\n/.exec(text);
    if (!mac && this.bytes.length >= MAX_HEADER) throw malformed('header too long');
    const end = mac ? mac.index + mac[0].length : Infinity;
    if (this.bytes.length < end + NONCE) return undefined;
    return {
      header: this.bytes.subarray(0, end),
      isForPassphrase: SCRYPT_STANZA.test(text.slice(0, end)),
      nonce: this.bytes.subarray(end, end + NONCE),
      rest: this.bytes.subarray(end + NONCE),
    };
  }
}

type Encrypter = InstanceType<ReturnType<typeof loadAge>['Encrypter']>;
type Decrypter = InstanceType<ReturnType<typeof loadAge>['Decrypter']>;
type Stanza = InstanceType<ReturnType<typeof loadAge>['Stanza']>;

/** @returns an encrypter with the public keys; a passphrase is added by the caller, off the main thread */
function recipientsEncrypter(to: AgeRecipients): Encrypter {
  const encrypter = new (loadAge().Encrypter)();
  if ('passphrase' in to) {
    if (to.passphrase === '') throw new DriveError('invalid_input', { text: 'invalid_input_no_passphrase' });
    return encrypter;
  }
  if (to.recipients.length === 0) {
    const params = { property: 'recipients' };
    throw new DriveError('invalid_input', { text: 'invalid_input_no_recipient', params });
  }
  for (const [index, recipient] of to.recipients.entries()) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw wrongRecipient(recipient, index + 1);
    }
  }
  return encrypter;
}

/** Never contains the key, which may be a private one. */
function wrongRecipient(recipient: string, number: number): DriveError {
  let text: TextWith<'property' | 'number'> = 'invalid_input_recipient';
  if (/AGE-SECRET-KEY-/i.test(recipient)) text = 'invalid_input_recipient_private';
  else if (/^(?:ssh|ecdsa|sk)-/i.test(recipient)) text = 'invalid_input_recipient_ssh';
  return new DriveError('invalid_input', { text, params: { property: 'recipients', number } });
}

function addIdentities(decrypter: Decrypter, identities: readonly string[]): void {
  try {
    if (identities.length === 0) throw new Error('no identity');
    for (const identity of identities) {
      decrypter.addIdentity(identity);
      decrypter.addIdentity(PAUSE);
    }
  } catch {
    throw new DriveError('invalid_input', { text: 'invalid_input_identity' });
  }
}

/** https://c2sp.org/age#scrypt-recipient-stanza */
async function wrapWithPassphrase(fileKey: Uint8Array, passphrase: string): Promise<Stanza> {
  const salt = randomBytes(16);
  const key = await passphraseKey(passphrase, salt, SCRYPT_LOG_N);
  const body = encryptChunk(key, Buffer.alloc(12), Buffer.from(fileKey));
  return new (loadAge().Stanza)(['scrypt', unpaddedBase64(salt), String(SCRYPT_LOG_N)], Buffer.concat(body));
}

async function unwrapWithPassphrase(
  stanzas: readonly Stanza[],
  passphrase: string,
): Promise<Uint8Array | null> {
  const stanza = stanzas.find(({ args }) => args[0] === 'scrypt');
  if (!stanza) return null;
  const [, salt = '', logN = ''] = stanza.args;
  if (stanzas.length !== 1 || stanza.args.length !== 3 || stanza.body.length !== 32)
    throw malformed('scrypt');
  if (!/^[A-Za-z0-9+/]{22}$/.test(salt) || !/^[1-9]\d?$/.test(logN)) throw malformed('scrypt');
  if (Number(logN) > MAX_SCRYPT_LOG_N) throw malformed('scrypt work factor');
  const key = await passphraseKey(passphrase, Buffer.from(salt, 'base64'), Number(logN));
  try {
    return Buffer.concat(decryptChunk(key, Buffer.alloc(12), Buffer.from(stanza.body)));
  } catch {
    return null;
  }
}

function passphraseKey(passphrase: string, salt: Buffer, logN: number): Promise<Buffer> {
  const labelled = Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), salt]);
  const N = 2 ** logN;
  const options = { N, r: 8, p: 1, maxmem: 2 * 128 * 8 * N };
  return new Promise((resolve, reject) => {
    scrypt(passphrase, labelled, 32, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function unpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** @throws as {@link AgeDecryption.start} */
async function openContentKey(
  { header, nonce }: AgeHeader,
  secret: AgeSecret,
  name: string,
): Promise<Buffer> {
  const stanzas = header.toString('latin1').match(STANZA)?.length ?? 0;
  if ('identities' in secret && stanzas * secret.identities.length > MAX_PAIRS)
    throw malformed('too many recipients');
  const { Decrypter } = loadAge();
  const decrypter = new Decrypter();
  if ('passphrase' in secret) {
    const { passphrase } = secret;
    decrypter.addIdentity({ unwrapFileKey: (stanzas) => unwrapWithPassphrase(stanzas, passphrase) });
  } else {
    addIdentities(decrypter, secret.identities);
  }
  // A last identity: it is asked only if no other has decrypted the file key.
  decrypter.addIdentity({ unwrapFileKey: () => Promise.reject(wrongSecret(secret, name)) });
  try {
    return contentKey(await decrypter.decryptHeader(header), nonce);
  } catch (error) {
    if (error instanceof DriveError) throw error;
    throw malformed(types.isNativeError(error) ? error.message : 'header');
  }
}

function contentKey(fileKey: Uint8Array, nonce: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', fileKey, nonce, 'payload', 32));
}

type ChunkCipher = (key: Buffer, nonce: Buffer, chunk: Buffer) => Buffer[];

/**
 * Splits the content into chunks, each of which has a number and the last of which is marked:
 * https://c2sp.org/age#payload
 */
class ContentCipher {
  /** Of the current chunk. */
  number: number;
  /** 11 bytes for the number of the chunk, one that marks the last. */
  private readonly nonce = Buffer.alloc(12);
  private readonly chunk: Buffer;
  private length = 0;

  /**
   * @param size bytes of each input chunk but the last
   * @param first number of the first chunk
   */
  constructor(
    private readonly key: Buffer,
    private readonly cipher: ChunkCipher,
    { size, first = 0 }: { size: number; first?: number },
  ) {
    this.chunk = Buffer.alloc(size);
    this.number = first;
  }

  /** Whether the current chunk is. */
  get isEmpty(): boolean {
    return this.length === 0;
  }

  update(bytes: Buffer): Buffer[] {
    const complete: Buffer[] = [];
    for (let position = 0; position < bytes.length;) {
      // Only when more bytes follow is it certain that this chunk isn't the last.
      if (this.length === this.chunk.length) for (const part of this.take()) complete.push(part);
      const copied = bytes.copy(this.chunk, this.length, position);
      this.length += copied;
      position += copied;
    }
    return complete;
  }

  /** @param isLast false if more of the file follows the chunk */
  end(isLast = true): Buffer[] {
    const isFirst = this.number === 0;
    if (isLast) this.nonce[11] = 1;
    const last = this.take();
    // Only an empty file has an empty chunk.
    if (!isFirst && last.every(({ length }) => length === 0)) throw malformed('empty chunk');
    return last;
  }

  private take(): Buffer[] {
    this.nonce.writeUIntBE(this.number, 5, 6);
    const done = this.cipher(this.key, this.nonce, this.chunk.subarray(0, this.length));
    this.length = 0;
    this.number += 1;
    return done;
  }
}

function encryptChunk(key: Buffer, nonce: Buffer, chunk: Buffer): Buffer[] {
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG });
  const encrypted = cipher.update(chunk);
  cipher.final();
  return [encrypted, cipher.getAuthTag()];
}

/** @throws `bad_response` */
function decryptChunk(key: Buffer, nonce: Buffer, chunk: Buffer): Buffer[] {
  if (chunk.length < TAG) throw malformed('truncated');
  const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG });
  decipher.setAuthTag(chunk.subarray(chunk.length - TAG));
  const decrypted = decipher.update(chunk.subarray(0, chunk.length - TAG));
  try {
    decipher.final();
  } catch {
    throw malformed('authentication tag');
  }
  return [decrypted];
}

function malformed(reason: string): DriveError {
  return badResponse('bad_response_age', { reason });
}

function wrongSecret(secret: AgeSecret, name: string): DriveError {
  const text = 'passphrase' in secret ? 'invalid_input_passphrase_wrong' : 'invalid_input_identity_wrong';
  return new DriveError('invalid_input', { text, params: { name } });
}
