/**
 * A download on its way: a file beside its target that becomes the target only when it is whole. What is left of it when
 * a download ends early or is killed, a later one of the same content goes on with.
 */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cancelled, localFileError } from '../errors';
import { type ChecksumAlgorithm, RunningHash } from '../api/checksums';
import { abortable } from '../concurrency/abortable';
import { PeriodicFsync } from './periodic-fsync';
import type { ContentSink } from './fetch-content';
import { BatchingWriter } from './batching-writer';
import type { ByteSink, IntakeEvents } from './byte-sink';
import { OrphanedParts, release, releaseAfter, reserve } from './orphaned-parts';
import { contentKey } from './part-name';
import type { RemoteFile } from './remote-file';

/** Bytes read at once of what is there already: the event loop stands still while their checksum is computed. */
const READ_SIZE = 256 * 1024;

export interface Place {
  folder: string;
  /** Of the file that it will become. */
  name: string;
  /** As the user gave it: what errors name. */
  target: string;
}

interface OpenPart {
  fileName: string;
  /** Undefined where nobody could go on with it. */
  key: string | undefined;
  handle: FileHandle;
}

/** Its methods throw `local_file` naming the target. */
export class PartFile implements ContentSink {
  position = 0;
  private hash = new RunningHash([]);
  private part: OpenPart | undefined;
  private sync = new PeriodicFsync();

  private constructor(
    private readonly place: Place,
    private readonly leftovers: OrphanedParts,
  ) {}

  /** Nothing is on the disk before {@link resume} or {@link begin}. */
  static async at(place: Place): Promise<PartFile> {
    return new PartFile(place, await OrphanedParts.find(place.folder, place.name));
  }

  /**
   * Takes over what there is of the same content, where there is any: `position` says how much.
   * @throws `cancelled`
   */
  async resume(remote: RemoteFile, signal: AbortSignal | undefined): Promise<void> {
    const key = contentKey(this.place.name, remote);
    const fileName = key === undefined ? undefined : await this.leftovers.claim(key);
    if (fileName === undefined) return;
    try {
      this.part = { fileName, key, handle: await open(this.pathOf(fileName), 'r+') };
      this.hash = hashFor(remote);
      await this.readAgain(this.part.handle, signal);
    } catch {
      if (signal?.aborted) throw cancelled();
      // What can't be read can't be gone on with.
      await this.forget(fileName);
    }
    if (this.position > (remote.size ?? 0)) await this.forget(fileName);
  }

  async begin(remote: RemoteFile): Promise<void> {
    const key = contentKey(this.place.name, remote);
    this.hash = hashFor(remote);
    if (this.part && this.position === 0 && this.part.key === key) return;
    if (this.part) await this.forget(this.part.fileName);
    const fileName = reserve(this.place.name, key);
    try {
      this.part = { fileName, key, handle: await open(this.pathOf(fileName), 'wx') };
    } catch (error) {
      release(fileName);
      throw localFileError(error, this.place.target);
    }
  }

  open(events: IntakeEvents): ByteSink {
    return new BatchingWriter(async (buffers) => {
      for (const buffer of buffers) this.hash.update(buffer);
      await this.local((handle) => this.append(handle, buffers));
    }, events);
  }

  digest(algorithm: ChecksumAlgorithm): string | undefined {
    return this.hash.digest(algorithm);
  }

  /**
   * What is in it is on the disk when this is done, also if the power fails.
   * @param signal ends the waiting for that. @returns its path
   */
  async finish(signal?: AbortSignal): Promise<string> {
    await this.local(async (handle) => {
      await abortable(this.sync.last(handle), signal);
      await handle.close();
    });
    return this.part ? this.pathOf(this.part.fileName) : '';
  }

  /** Of other downloads of the same target that were given up, and of any that were long ago. */
  clearLeftovers(): Promise<void> {
    return this.leftovers.clear();
  }

  /** Closes it, and leaves it to who comes later, if there is something in it to go on with. */
  async keep(): Promise<void> {
    const { part } = this;
    const stat = part?.key === undefined ? undefined : await part.handle.stat().catch(() => undefined);
    if (!part || !stat?.size) return this.discard();
    this.part = undefined;
    const closed = part.handle.close().catch(() => undefined);
    releaseAfter(part.fileName, closed);
    // A slow disk may take many seconds to write what it was given: only who comes later waits for it.
    if (!this.sync.isOngoing) await closed;
  }

  /** Closes and removes it, unless it has become the target. */
  async discard(): Promise<void> {
    if (this.part) await this.forget(this.part.fileName);
  }

  private async forget(fileName: string): Promise<void> {
    // A handle that is closed already says so.
    await this.part?.handle.close().catch(() => undefined);
    this.part = undefined;
    this.sync = new PeriodicFsync();
    this.position = 0;
    await rm(this.pathOf(fileName), { force: true }).catch(() => undefined);
    release(fileName);
  }

  private async readAgain(handle: FileHandle, signal: AbortSignal | undefined): Promise<void> {
    const buffer = Buffer.allocUnsafe(READ_SIZE);
    for (;;) {
      if (signal?.aborted) throw cancelled();
      const { bytesRead } = await handle.read(buffer, 0, READ_SIZE, this.position);
      if (bytesRead === 0) return;
      this.hash.update(buffer.subarray(0, bytesRead));
      this.position += bytesRead;
    }
  }

  /** A write may take less than it was given. */
  private async append(handle: FileHandle, buffers: readonly Buffer[]): Promise<void> {
    let rest = buffers;
    while (rest.length > 0) {
      const { bytesWritten } = await handle.writev(rest, this.position);
      this.position += bytesWritten;
      rest = dropBytes(rest, bytesWritten);
    }
    this.sync.reached(handle, this.position);
  }

  private async local(work: (handle: FileHandle) => Promise<void>): Promise<void> {
    try {
      if (this.part) await work(this.part.handle);
    } catch (error) {
      throw localFileError(error, this.place.target);
    }
  }

  private pathOf(fileName: string): string {
    return join(this.place.folder, fileName);
  }
}

function hashFor({ algorithm }: RemoteFile): RunningHash {
  return new RunningHash(algorithm ? [algorithm] : []);
}

/** The buffers without their first bytes. */
export function dropBytes(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes;
  return buffers.flatMap((buffer) => {
    const taken = Math.min(left, buffer.length);
    left -= taken;
    return taken === buffer.length ? [] : [buffer.subarray(taken)];
  });
}
