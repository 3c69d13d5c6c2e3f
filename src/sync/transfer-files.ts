/** Transfers the files of a plan: several at once, large ones early, while checksums are compared. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { canSetModifiedTime } from '../drive/metadata';
import { localFileError } from '../fs/local-file-error';
import { isSameTime } from './compare';
import type { Plan } from './plan';
import { type SyncFile, filePath } from './sync-folder';
import { CHUNK_SIZE, type SyncRun } from './sync-run';
import { cancelled } from '../errors';
import { type ChecksumAlgorithm, RunningHash } from '../drive/checksums';
import type { BufferPool } from '../core/buffers';
import { openInside } from '../fs/pinned-folder';

/** How one direction writes. Both functions throw a DriveError for a file that fails. */
export interface ChangeWriter {
  /** Transfers the content. */
  write(file: SyncFile): Promise<void>;
  /** Sets the modified time. */
  setTime(file: SyncFile): Promise<TimeResult>;
}

/** `changed`: the time is set, but the content isn't the one that was listed. */
export type TimeResult = 'set' | 'unsupported' | 'changed';

/** Files whose checksums are computed at once: one is read while the other is hashed. */
const MAX_COMPARISONS = 2;
/** Files that a dry run checks at once. */
const MAX_PREVIEWS = 8;

/** Small files that are written to disk while the next ones are transferred. */
const WRITERS = 2;

/** @throws the error that stops the run */
export async function transferFiles(run: SyncRun, writer: ChangeWriter): Promise<void> {
  const { plan } = run;
  const { permits } = run.context.upload.transfers;
  const queue = new TransferQueue(plan);
  // Downloads of small and large files slow each other down, so only one small one runs beside large ones.
  const forLarge = plan.isUp ? Math.ceil(permits / 2) : Math.max(1, permits - 1);
  const transfer = (file: SyncFile): Promise<void> => attempt(run, file, () => writer.write(file));
  const compare = (file: SyncFile): Promise<void> =>
    attempt(run, file, () => compareContents(run, file, writer));
  const results = await Promise.allSettled([
    runWorkers(forLarge, queue.largest(), transfer),
    runWorkers(permits - forLarge + WRITERS, queue.smallest(), transfer),
    runWorkers(MAX_COMPARISONS, plan.comparisons, compare),
  ]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** For a dry run: compares checksums, and records what would be done. */
export async function previewFiles(run: SyncRun): Promise<void> {
  const { plan } = run;
  const preview = async (file: SyncFile): Promise<void> => {
    if (plan.isUp) await checkReadable(run.localPath(file));
    run.succeeded(file, file.local && file.remote ? 'updated' : 'created');
  };
  const canSetTime = !plan.isUp || canSetModifiedTime(run.context.upload.drive);
  const compare = async (file: SyncFile): Promise<void> => {
    if (!(await hasSameContent(run, file))) await preview(file);
    else if (hasOtherTime(file) && canSetTime) run.succeeded(file, 'updated', { reason: 'time' });
    else run.unchanged();
  };
  await runWorkers(MAX_PREVIEWS, plan.transfers, (file) => attempt(run, file, () => preview(file)));
  await runWorkers(MAX_COMPARISONS, plan.comparisons, (file) => attempt(run, file, () => compare(file)));
}

/** @throws `local_file` as the upload would */
async function checkReadable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    throw localFileError(error, path, { ENOENT: 'local_file_no_source' });
  }
}

/** A file that fails doesn't stop the others. */
async function attempt(run: SyncRun, file: SyncFile, work: () => Promise<void>): Promise<void> {
  const path = filePath(file);
  try {
    await work();
  } catch (error) {
    run.failed(path, error, file.remote?.id);
  }
  run.fileDone(path);
}

async function compareContents(run: SyncRun, file: SyncFile, writer: ChangeWriter): Promise<void> {
  let isSame = await hasSameContent(run, file);
  if (isSame && hasOtherTime(file)) {
    const result = await writer.setTime(file);
    if (result === 'set') return run.succeeded(file, 'updated', { reason: 'time' });
    isSame = result === 'unsupported';
  }
  if (isSame) return run.unchanged();
  run.expectBytes(file);
  await writer.write(file);
}

async function hasSameContent(run: SyncRun, file: SyncFile): Promise<boolean> {
  const expected = file.remote?.checksum;
  if (expected === undefined) return false;
  const { signal, memory, top } = run;
  const options = { signal, memory, within: top.diskPath() };
  return (await localChecksum(run.localPath(file), expected.length, options)) === expected;
}

function hasOtherTime({ local, remote }: SyncFile): boolean {
  return remote?.time !== undefined && local !== undefined && !isSameTime(local.mtimeMs, remote.time);
}

/**
 * Takes files from both ends: some workers transfer large files, which depends on the bandwidth, while the others
 * transfer small ones, which depends on the number of requests per second.
 */
class TransferQueue {
  /**
   * Indexes of the transfers, by size. Those of about the same size stay in the order of the plan, folder by folder:
   * otherwise, a folder with many files would be opened for almost each of them.
   */
  private readonly order: Uint32Array;
  private first = 0;
  private end: number;

  constructor(private readonly plan: Plan) {
    this.order = Uint32Array.from({ length: plan.transfers.length }, (_, index) => index);
    const magnitudes = this.order.map((index) => Math.log2(1 + plan.sizeOfTransfer(index)));
    this.order.sort((a, b) => (magnitudes[b] as number) - (magnitudes[a] as number));
    this.end = this.order.length;
  }

  *largest(): Generator<SyncFile> {
    while (this.first < this.end) yield this.plan.transfers.at(this.order[this.first++] as number);
  }

  *smallest(): Generator<SyncFile> {
    while (this.first < this.end) yield this.plan.transfers.at(this.order[--this.end] as number);
  }
}

/** @returns when all items are done. @throws the first error, once the other workers have finished their items */
export async function runWorkers<T>(
  count: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let error: unknown;
  let hasFailed = false;
  const runWorker = async (): Promise<void> => {
    for (let next = iterator.next(); !hasFailed && !next.done; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (caught) {
        if (!hasFailed) error = caught;
        hasFailed = true;
      }
    }
  };
  await Promise.all(Array.from({ length: count }, runWorker));
  if (hasFailed) throw error;
}

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
