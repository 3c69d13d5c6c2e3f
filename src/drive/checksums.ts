/**
 * Checksums of file content. The service has an `md5Checksum` for every file with content and a `sha256Checksum` for
 * most. sha256 is faster on processors that have instructions for it.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import { type Hash, createHash } from 'node:crypto';
import { DriveError } from '../errors';
import type { DriveFile } from '../types';

export type ChecksumAlgorithm = 'sha256' | 'md5';

/** Fields for verifying transferred content. */
export const CHECKSUM_FIELDS = ['size', 'md5Checksum', 'sha256Checksum'] as const;

/** @returns lower-case hexadecimal; undefined if the file has no such checksum */
export function checksumOf(file: DriveFile, algorithm: ChecksumAlgorithm): string | undefined {
  return (algorithm === 'sha256' ? file.sha256Checksum : file.md5Checksum)?.toLowerCase();
}

/** @returns the algorithm to verify with; undefined if the file has no checksum */
export function checksumAlgorithm(file: DriveFile): ChecksumAlgorithm | undefined {
  if (file.sha256Checksum) return 'sha256';
  return file.md5Checksum ? 'md5' : undefined;
}

/** @returns bytes; undefined if the file has no `size` */
export function sizeOf(file: DriveFile): number | undefined {
  return file.size === undefined ? undefined : Number(file.size);
}

/** Hashes content that arrives in order. Chunks may overlap after a resume: no byte is hashed twice. */
export class RunningHash {
  private readonly hashes: ReadonlyMap<ChecksumAlgorithm, Hash>;
  private hashedBytes = 0;

  constructor(algorithms: readonly ChecksumAlgorithm[]) {
    this.hashes = new Map(algorithms.map((name) => [name, createHash(name)]));
  }

  /** The number of bytes hashed so far. */
  get position(): number {
    return this.hashedBytes;
  }

  /**
   * @param position offset of the chunk in the content
   * @throws RangeError if the chunk starts behind {@link position}
   */
  update(chunk: Buffer, position = this.hashedBytes): void {
    const overlap = this.hashedBytes - position;
    if (overlap < 0) throw new RangeError(`bytes ${this.hashedBytes} to ${position} are missing`);
    if (overlap >= chunk.length) return;
    const rest = overlap === 0 ? chunk : chunk.subarray(overlap);
    for (const hash of this.hashes.values()) hash.update(rest);
    this.hashedBytes += rest.length;
  }

  /** @returns hexadecimal; undefined for an algorithm that wasn't passed to the constructor */
  digest(algorithm: ChecksumAlgorithm): string | undefined {
    return this.hashes.get(algorithm)?.copy().digest('hex');
  }
}

/** @throws `checksum_mismatch` if the file's size is known and differs */
export function verifySize(file: DriveFile, length: number): void {
  const expected = sizeOf(file);
  if (expected === undefined || expected === length) return;
  throw new DriveError('checksum_mismatch', {
    text: 'checksum_mismatch_size',
    params: { name: file.name ?? file.id, expected, actual: length },
  });
}

/** @throws `checksum_mismatch` */
export function verifyChecksum(file: DriveFile, algorithm: ChecksumAlgorithm, digest: string): void {
  if (checksumOf(file, algorithm) === digest) return;
  const params = { name: file.name ?? file.id, algorithm };
  throw new DriveError('checksum_mismatch', { text: 'checksum_mismatch', params });
}
