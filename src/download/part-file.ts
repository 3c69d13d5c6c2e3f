/** A download on its way: a file beside its target that becomes the target only when it is whole. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { localFile } from '../errors';
import { type Algorithm, RunningHash } from '../files/checksums';
import type { ContentSink } from './fetch-content';
import { GatherWriter } from './gather-writer';
import { fitted } from './safe-name';

/** Bytes a name may have so that a part file's additions still fit. */
const LONGEST_NAME = 220;

export class PartFile implements ContentSink {
  position = 0;
  private hash = new RunningHash([]);
  private isOpen = true;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    /** As the user gave it: what errors name. */
    private readonly target: string,
  ) {}

  /**
   * Makes an empty one.
   * @param name of the file that it will become
   * @throws `local_file` naming `target`
   */
  static async create(folder: string, name: string, target: string): Promise<PartFile> {
    const random = randomBytes(4).toString('hex');
    const path = join(folder, `.${fitted(name, LONGEST_NAME)}.${random}.part`);
    try {
      return new PartFile(path, await open(path, 'wx'), target);
    } catch (error) {
      throw localFile(error, target);
    }
  }

  async begin(_size: number | undefined, algorithm: Algorithm | undefined): Promise<void> {
    this.hash = new RunningHash(algorithm ? [algorithm] : []);
    this.position = 0;
    await this.local(() => this.handle.truncate(0));
  }

  open(onBytes: () => void): Writable {
    return new GatherWriter(async (buffers) => {
      for (const buffer of buffers) this.hash.update(buffer);
      await this.local(() => this.append(buffers));
      onBytes();
    });
  }

  digest(algorithm: Algorithm): string | undefined {
    return this.hash.digest(algorithm);
  }

  /** What is in it is on the disk when this is done, also if the power fails. */
  async finish(): Promise<void> {
    await this.local(() => this.handle.sync());
    await this.close();
  }

  /** Closes and removes it. */
  async discard(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true }).catch(() => undefined);
  }

  private async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.handle.close().catch(() => undefined);
  }

  /** A write may take less than it was given. */
  private async append(buffers: Buffer[]): Promise<void> {
    let rest = buffers;
    while (rest.length > 0) {
      const { bytesWritten } = await this.handle.writev(rest, this.position);
      this.position += bytesWritten;
      rest = behind(rest, bytesWritten);
    }
  }

  private async local<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw localFile(error, this.target);
    }
  }
}

/** The buffers without their first bytes. */
export function behind(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes;
  return buffers.flatMap((buffer) => {
    const taken = Math.min(left, buffer.length);
    left -= taken;
    return taken === buffer.length ? [] : [buffer.subarray(taken)];
  });
}
