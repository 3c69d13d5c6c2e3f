/** The checksum of a file on disk. */
import { open } from 'node:fs/promises';
import { cancelled } from '../errors';
import { type ChecksumAlgorithm, RunningHash } from '../api/checksums';
import { localFileError } from '../local-file-error';

/** Bytes that are hashed at once, which blocks the event loop. */
const CHUNK_SIZE = 256 * 1024;

/**
 * @param length of the checksum in bytes: 16 for MD5, 32 for SHA-256
 * @returns its bytes, one per character. @throws `local_file`, `cancelled`
 */
export async function localChecksum(path: string, length: number, signal: AbortSignal): Promise<string> {
  const algorithm: ChecksumAlgorithm = length === 32 ? 'sha256' : 'md5';
  const hash = new RunningHash([algorithm]);
  try {
    const handle = await open(path, 'r');
    try {
      const buffer = Buffer.allocUnsafe(CHUNK_SIZE);
      for (;;) {
        if (signal.aborted) throw cancelled();
        const { bytesRead } = await handle.read(buffer, 0, CHUNK_SIZE);
        if (bytesRead === 0) break;
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw localFileError(error, path);
  }
  return Buffer.from(hash.digest(algorithm) as string, 'hex').toString('latin1');
}
