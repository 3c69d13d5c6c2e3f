/** Which checksums to compute while content is sent. */
import { type ChecksumAlgorithm, checksumAlgorithm } from '../../drive/checksums';
import type { DriveFile } from '../../types';

/**
 * The checksums that the service returns, learned from its responses. Hashing limits the speed of a transfer, so only
 * the algorithm that will be compared is computed; both until a response has shown which.
 */
export class ServiceChecksums {
  private known: readonly ChecksumAlgorithm[] = ['sha256', 'md5'];

  get algorithms(): readonly ChecksumAlgorithm[] {
    return this.known;
  }

  learn(file: DriveFile): void {
    const algorithm = checksumAlgorithm(file);
    if (algorithm) this.known = [algorithm];
  }
}
