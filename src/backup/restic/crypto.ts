/**
 * Encryption of restic's repositories: IV, AES-256-CTR ciphertext, Poly1305-AES tag.
 * https://restic.readthedocs.io/en/stable/100_references.html#keys-encryption-and-mac
 */
import type * as Poly1305 from '@noble/ciphers/_poly1305.js' with { 'resolution-mode': 'import' };
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto';
import { freeBuffer } from '../../core/buffers';
import { damagedFile } from './json-file';

/** The master key of a repository, or the key that a passphrase gives. */
export interface RepositoryKey {
  /** 32 bytes, AES-256. */
  encrypt: Buffer;
  /** 16 bytes, AES-128: encrypts the IV to the second half of the key of Poly1305. */
  macK: Buffer;
  /** 16 bytes, the first half of the key of Poly1305. */
  macR: Buffer;
}

const IV = 16;
const TAG = 16;
/** Bytes that encryption adds. */
export const OVERHEAD = IV + TAG;

export function newRepositoryKey(): RepositoryKey {
  return { encrypt: randomBytes(32), macK: randomBytes(16), macR: randomBytes(16) };
}

/** Random bytes for the next IVs: one call for each would take longer than the encryption of a small file. */
const ivs = Buffer.alloc(256 * IV);
let nextIv = ivs.length;

/** @returns the plaintext, encrypted */
export function seal(key: RepositoryKey, plain: Uint8Array): Buffer {
  const sealed = allocate(plain.length + OVERHEAD);
  if (nextIv === ivs.length) randomFillSync(ivs);
  nextIv %= ivs.length;
  ivs.copy(sealed, 0, nextIv, (nextIv += IV));
  const iv = sealed.subarray(0, IV);
  const ciphertext = createCipheriv('aes-256-ctr', key.encrypt, iv).update(plain);
  ciphertext.copy(sealed, IV);
  freeIfLarge(ciphertext);
  sealed.set(tagOf(key, sealed.subarray(0, -TAG)), sealed.length - TAG);
  return sealed;
}

/** @param file for the error message. @throws `bad_response` if it isn't what {@link seal} returned for this key */
export function unseal(key: RepositoryKey, sealed: Uint8Array, file: string): Buffer {
  const plain = tryUnseal(key, sealed);
  if (plain === undefined) throw damagedFile(file, 'tag');
  return plain;
}

/** @returns undefined for another key, and for changed or truncated bytes */
export function tryUnseal(key: RepositoryKey, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length < OVERHEAD) return undefined;
  const tag = sealed.subarray(sealed.length - TAG);
  const content = sealed.subarray(0, sealed.length - TAG);
  if (!timingSafeEqual(tagOf(key, content), tag)) return undefined;
  return createDecipheriv('aes-256-ctr', key.encrypt, content.subarray(0, IV)).update(content.subarray(IV));
}

/** @returns the SHA-256, as files and blobs are named, in hexadecimal */
export function idOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** @param content the IV and the ciphertext */
function tagOf({ macK, macR }: RepositoryKey, content: Uint8Array): Uint8Array {
  const pad = createCipheriv('aes-128-ecb', macK, null).update(content.subarray(0, IV));
  return loadPoly1305().poly1305(content.subarray(IV), Buffer.concat([macR, pad]));
}

/** Bytes. Smaller buffers share memory. */
const LARGE = 32 * 1024;

function allocate(size: number): Buffer {
  return size >= LARGE ? Buffer.allocUnsafeSlow(size) : Buffer.allocUnsafe(size);
}

/** Frees memory that nobody uses any more: blobs have megabytes, and the garbage collector is slow to notice. */
export function freeIfLarge(bytes: Buffer): void {
  if (bytes.length >= LARGE) freeBuffer(bytes);
}

/**
 * Node.js has it only together with ChaCha20. The build bundles it: see src/backup/archive/age.ts.
 * https://datatracker.ietf.org/doc/html/rfc8439#section-2.5
 */
function loadPoly1305(): typeof Poly1305 {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('@noble/ciphers/_poly1305.js') as typeof Poly1305;
}
