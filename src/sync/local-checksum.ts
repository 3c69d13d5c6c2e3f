/** The checksum of a file on disk. */
import { cancelled } from '../errors';
import { type ChecksumAlgorithm, RunningHash } from '../drive/checksums';
import type { BufferPool } from '../core/buffers';
import { openInside } from '../fs/pinned-folder';
import { localFileError } from '../fs/local-file-error';

/** Bytes that are hashed at once, which blocks the event loop. */
export const CHUNK_SIZE = 256 * 1024;

interface ChecksumOptions {
  signal: AbortSignal;
  /** Of buffers of {@link CHUNK_SIZE}. */
  memory: BufferPool;
  /** See {@link openInside}. */
  within: string;
}

/**
 * @param length of the checksum in bytes: 16 for MD5, 32 for SHA-256
 * @returns its bytes, one per character. @throws `local_file`, `cancelled`
 */
export async function localChecksum(
  path: string,
  length: number,
  { signal, memory, within }: ChecksumOptions,
): Promise<string> {
  const algorithm: ChecksumAlgorithm = length === 32 ? 'sha256' : 'md5';
  const hash = new RunningHash([algorithm]);
  const buffer = memory.take();
  try {
    const handle = await openInside(path, within);
    try {
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
  } finally {
    memory.giveBack(buffer);
  }
  return Buffer.from(hash.digest(algorithm) as string, 'hex').toString('latin1');
}
