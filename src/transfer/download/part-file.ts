/**
 * The file beside the target that a download writes to until the content is complete. If the process is killed or the
 * download fails with an error that allows it, the part file stays, and a later download of the same content resumes it.
 */
import { type Stats, constants } from 'node:fs';
import { type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cancelled } from '../../errors';
import { localFileError } from '../../fs/local-file-error';
import { RunningHash } from '../../drive/checksums';
import { abortable } from '../../core/abort';
import type { ByteSink } from '../../core/buffers';
import { BatchingWriter, PeriodicFsync } from './batching-writer';
import type { Destination, SinkEvents } from './fetch-content';
import type { WaitOptions } from '../../fs/part-owner';
import { OrphanedParts, isLike, PartLock } from './orphaned-parts';
import { newPartName } from '../../fs/reserved-names';
import { partKey, type DownloadFile } from './download-file';

/** Bytes of an existing part that are read and hashed at once, which blocks the event loop. */
const READ_SIZE = 256 * 1024;

export const OWNER_ACCESS = 0o600;
/** Never what a link points to. */
const RESUME_FLAGS = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

/** The file that a part becomes. */
export interface PartTarget {
  /** For errors. */
  path: string;
  /** For calls of the file system. */
  folder: string;
  name: string;
  /** Whether the part replaces the file that exists. */
  replaces: boolean;
}

interface OpenPart {
  lock: PartLock;
  /** Undefined if the part can't be resumed. */
  key: string | undefined;
  handle: FileHandle;
}

interface OpenOptions extends WaitOptions {
  /** Names of the target's part files, if a listing of its folder is known. */
  partNames?: readonly string[] | undefined;
}

/** Its methods throw `local_file` with the target's path. */
export class PartFile implements Destination {
  position = 0;
  hash = new RunningHash([]);
  private part: OpenPart | undefined;
  private fsync = new PeriodicFsync();

  private constructor(
    private readonly target: PartTarget,
    private readonly orphans: OrphanedParts,
  ) {}

  /**
   * Resumes the part of an earlier download of the same content, if there is one. Otherwise no file is created before
   * {@link restart}.
   * @throws `cancelled`
   */
  static async open(target: PartTarget, remote: DownloadFile, options: OpenOptions): Promise<PartFile> {
    const found = OrphanedParts.find(target.folder, target.name, options.partNames);
    const orphans = await abortable(found, options.signal);
    const file = new PartFile(target, orphans);
    await file.resume(remote, options);
    return file;
  }

  private async resume(remote: DownloadFile, options: WaitOptions): Promise<void> {
    const key = partKey(this.target.name, remote);
    if (key === undefined || !this.orphans.has(key)) return;
    const created = await this.createSample().catch(() => undefined);
    const lock = created && (await this.orphans.claim(key, created, options));
    if (!lock) return;
    try {
      const handle = await open(this.pathOf(lock), RESUME_FLAGS);
      this.start({ lock, key, handle });
      // Another file may have taken its place.
      if (!isLike(await handle.stat(), created)) throw new Error('replaced');
      this.hash = hashFor(remote);
      await this.hashExisting(handle, options.signal);
    } catch {
      if (options.signal?.aborted) {
        await this.closeForResume();
        lock.unlock();
        throw cancelled();
      }
      // A part that can't be read can't be resumed.
      await this.removePart(lock);
    }
    if (this.position > (remote.size ?? 0)) await this.removePart(lock);
  }

  /** @returns the attributes of a part that this process creates, whatever the disk makes of owners and modes */
  private async createSample(): Promise<Stats> {
    const lock = new PartLock(newPartName(this.target.name, undefined));
    try {
      const handle = await open(this.pathOf(lock), 'wx', await this.modeOfTarget());
      return await handle.stat().finally(() => handle.close());
    } finally {
      await rm(this.pathOf(lock), { force: true }).catch(() => undefined);
      lock.unlock();
    }
  }

  async restart(remote: DownloadFile): Promise<void> {
    const key = partKey(this.target.name, remote);
    this.hash = hashFor(remote);
    if (this.part && this.position === 0 && this.part.key === key) return;
    await this.discard();
    const lock = new PartLock(newPartName(this.target.name, key));
    try {
      this.start({ lock, key, handle: await open(this.pathOf(lock), 'wx', await this.modeOfTarget()) });
    } catch (error) {
      lock.unlock();
      throw localFileError(error, this.target.path);
    }
  }

  /** A part that stays mustn't be readable for more users than the file that it replaces. */
  private async modeOfTarget(): Promise<number | undefined> {
    if (!this.target.replaces) return undefined;
    const existing = await lstat(join(this.target.folder, this.target.name)).catch(() => undefined);
    return existing?.isFile() ? (existing.mode & 0o777) | OWNER_ACCESS : undefined;
  }

  openSink(events: SinkEvents): ByteSink {
    return new BatchingWriter(async (blocks) => {
      for (const block of blocks) this.hash.update(block);
      await this.withHandle((handle) => this.append(handle, blocks));
    }, events);
  }

  /**
   * Flushes the content to disk, so that it survives a power failure.
   * @param signal aborts the wait for the disk
   * @returns the path of the part file
   */
  async flushAndClose(signal?: AbortSignal): Promise<string> {
    await this.withHandle(async (handle) => {
      await abortable(this.fsync.finish(handle), signal);
      this.part?.lock.stopHeartbeat();
      await handle.close();
    });
    return this.part ? this.pathOf(this.part.lock) : '';
  }

  /** Removes the parts of other, abandoned downloads of the target. */
  removeOrphans(): Promise<void> {
    return this.orphans.remove();
  }

  /** Closes the file so that a later download can resume it. Removes it if it is empty or can't be resumed. */
  async closeForResume(): Promise<void> {
    const { part } = this;
    const stat = part?.key === undefined ? undefined : await part.handle.stat().catch(() => undefined);
    if (!part || !stat?.size) return this.discard();
    this.part = undefined;
    const closed = part.handle.close().catch(() => undefined);
    part.lock.unlockAfter(closed);
    // A pending fsync can delay closing by many seconds on a slow disk. Only a download of the same target waits.
    if (!this.fsync.isRunning) await closed;
  }

  /** Closes and removes the file, unless {@link closeForResume} has closed it. */
  async discard(): Promise<void> {
    if (this.part) await this.removePart(this.part.lock);
  }

  private start(part: OpenPart): void {
    this.part = part;
    part.lock.startHeartbeat(part.handle);
  }

  private async removePart(lock: PartLock): Promise<void> {
    lock.stopHeartbeat();
    // Fails if `flushAndClose` has already closed it.
    await this.part?.handle.close().catch(() => undefined);
    this.part = undefined;
    this.fsync = new PeriodicFsync();
    this.position = 0;
    await rm(this.pathOf(lock), { force: true }).catch(() => undefined);
    lock.unlock();
  }

  private async hashExisting(handle: FileHandle, signal: AbortSignal | undefined): Promise<void> {
    const buffer = Buffer.allocUnsafe(READ_SIZE);
    for (;;) {
      if (signal?.aborted) throw cancelled();
      const { bytesRead } = await handle.read(buffer, 0, READ_SIZE, this.position);
      if (bytesRead === 0) return;
      this.hash.update(buffer.subarray(0, bytesRead));
      this.position += bytesRead;
    }
  }

  private async append(handle: FileHandle, blocks: readonly Buffer[]): Promise<void> {
    let remaining = blocks;
    while (remaining.length > 0) {
      const { bytesWritten } = await handle.writev(remaining, this.position);
      this.position += bytesWritten;
      remaining = dropBytes(remaining, bytesWritten);
    }
    this.fsync.onWritten(handle, this.position);
  }

  private async withHandle(work: (handle: FileHandle) => Promise<void>): Promise<void> {
    try {
      if (this.part) await work(this.part.handle);
    } catch (error) {
      throw localFileError(error, this.target.path);
    }
  }

  private pathOf({ fileName }: PartLock): string {
    return join(this.target.folder, fileName);
  }
}

function hashFor({ algorithm }: DownloadFile): RunningHash {
  return new RunningHash(algorithm ? [algorithm] : []);
}

/** @returns the buffers without their first bytes, after a write that wrote only some of them */
export function dropBytes(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let rest = bytes;
  return buffers.flatMap((buffer) => {
    const dropped = Math.min(rest, buffer.length);
    rest -= dropped;
    return dropped === buffer.length ? [] : [buffer.subarray(dropped)];
  });
}
