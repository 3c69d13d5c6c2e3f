/**
 * Checksums of contents: computed while bytes pass, compared with what the service says.
 * The service gives `md5Checksum` for every file with content and `sha256Checksum` for most; sha256 is the cheaper one
 * on processors with instructions for it. https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import { type Hash, createHash } from 'node:crypto';
import { DriveError } from '../errors';
import type { DriveFile } from '../types';

export type ChecksumAlgorithm = 'sha256' | 'md5';

/** Fields that a transfer needs to prove that what arrived is what was sent. */
export const CHECKSUM_FIELDS = ['size', 'md5Checksum', 'sha256Checksum'] as const;

/** @returns the checksum of that kind in lower case, undefined where the file has none */
export function checksumOf(file: DriveFile, algorithm: ChecksumAlgorithm): string | undefined {
  return (algorithm === 'sha256' ? file.sha256Checksum : file.md5Checksum)?.toLowerCase();
}

/** @returns the kind of checksum to compare, undefined where the service gives none */
export function algorithmFor(file: DriveFile): ChecksumAlgorithm | undefined {
  if (file.sha256Checksum) return 'sha256';
  return file.md5Checksum ? 'md5' : undefined;
}

/** @returns bytes, undefined where the file has no `size` */
export function sizeOf(file: DriveFile): number | undefined {
  return file.size === undefined || file.size === null ? undefined : Number(file.size);
}

/** Checksums of a content whose bytes pass in order; a part that passes again is not counted again. */
export class RunningHash {
  private readonly hashes: ReadonlyMap<ChecksumAlgorithm, Hash>;
  private counted = 0;

  constructor(algorithms: readonly ChecksumAlgorithm[]) {
    this.hashes = new Map(algorithms.map((name) => [name, createHash(name)]));
  }

  /** Bytes taken so far. */
  get position(): number {
    return this.counted;
  }

  /** @param position of the chunk's first byte in the content; at most {@link position} */
  update(chunk: Buffer, position = this.counted): void {
    const known = this.counted - position;
    if (known < 0) throw new RangeError(`bytes ${this.counted} to ${position} were left out`);
    if (known >= chunk.length) return;
    const fresh = known === 0 ? chunk : chunk.subarray(known);
    for (const hash of this.hashes.values()) hash.update(fresh);
    this.counted += fresh.length;
  }

  /** @returns hexadecimal, undefined for a kind that isn't computed here */
  digest(algorithm: ChecksumAlgorithm): string | undefined {
    return this.hashes.get(algorithm)?.copy().digest('hex');
  }
}

/** @throws `checksum_mismatch` where both lengths are known and differ */
export function verifySize(file: DriveFile, length: number): void {
  const expected = sizeOf(file);
  if (expected === undefined || expected === length) return;
  throw new DriveError('checksum_mismatch', {
    text: 'checksum_mismatch_size',
    params: { name: file.name ?? file.id, expected, actual: length },
  });
}

/** @throws `checksum_mismatch` where the service's checksum is another one */
export function verifyChecksum(file: DriveFile, algorithm: ChecksumAlgorithm, digest: string): void {
  if (checksumOf(file, algorithm) === digest) return;
  throw new DriveError('checksum_mismatch', { params: { name: file.name ?? file.id, algorithm } });
}
