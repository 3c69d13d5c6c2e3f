/** Checksums of contents, computed in a worker thread. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export type Algorithm = 'md5' | 'sha1' | 'sha256';
export type Digests = Partial<Record<Algorithm, string>>;

interface DigestResult {
  job: number;
  digests?: Digests;
  error?: string;
}

/** Up to this size, hashing on the main thread is faster than in the worker (3 ms for md5 and sha256 of 1 MiB). */
export const INLINE_LIMIT = 1024 * 1024;

/** Computes digests in one worker thread, so that hashing never delays a transfer. */
export class Digester {
  private worker?: Worker;
  private lastJob = 0;
  private readonly pending = new Map<number, (answer: DigestResult) => void>();

  /** Digests of a complete file. */
  async ofFile(path: string, size: number, algorithms: Algorithm[]): Promise<Digests> {
    if (size <= INLINE_LIMIT) return digestsOf(readFileSync(path), algorithms);
    const follower = this.start(path, algorithms);
    follower.advance(size);
    return follower.finish();
  }

  /** Starts the digests of a file that is still being written. */
  start(path: string, algorithms: Algorithm[]): IncrementalDigest {
    const job = ++this.lastJob;
    const answer = new Promise<DigestResult>((resolve) => this.pending.set(job, resolve));
    this.post({ step: 'open', job, path, algorithms });
    return {
      advance: (upTo) => {
        this.post({ step: 'advance', job, upTo });
      },
      finish: async () => {
        this.post({ step: 'finish', job });
        const { digests, error } = await answer;
        if (!digests) throw new Error(error);
        return digests;
      },
      discard: () => {
        this.pending.delete(job);
        this.post({ step: 'drop', job });
      },
    };
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
    this.worker = undefined;
  }

  private post(message: object): void {
    this.worker ??= this.startWorker();
    this.worker.postMessage(message);
  }

  private startWorker(): Worker {
    const worker = new Worker(join(__dirname, 'digest-worker.cjs'), { execArgv: [] });
    worker.unref();
    worker.on('message', (answer: DigestResult) => {
      this.pending.get(answer.job)?.(answer);
      this.pending.delete(answer.job);
    });
    worker.on('exit', () => {
      for (const [job, resolve] of this.pending) resolve({ job, error: 'the digest worker exited' });
      this.pending.clear();
    });
    return worker;
  }
}

/** Digests of a growing file. */
export interface IncrementalDigest {
  /** Hashes the bytes written so far. */
  advance(upTo: number): void;
  finish(): Promise<Digests>;
  discard(): void;
}

/** Digests of bytes in memory, in hexadecimal. */
export function digestsOf(bytes: Buffer, algorithms: Algorithm[]): Digests {
  return Object.fromEntries(algorithms.map((name) => [name, createHash(name).update(bytes).digest('hex')]));
}
