/** Unpacks an archive into a folder, in a worker thread. */
import { onAbort } from '../concurrency/on-abort';
import { cancelled } from '../errors';
import { createPathMatcher } from '../search/path-globs';
import type { CallOptions } from '../types';
import type { ArchiveJob, UnpackJob } from './archive-job';
import { ArchiveThread } from './archive-thread';
import { archiveWorkerFile } from './libraries';
import { type ExtractProgress, Extraction, type ReservedEntries } from './extract';
import { readArchive } from './read-archive';

export interface UnpackResult {
  progress: ExtractProgress;
  reserved: ReservedEntries;
}

export type UnpackMessage =
  { progress: ExtractProgress; isComplete: false } | (UnpackResult & { isComplete: true });

/**
 * @param onEntry is called from time to time, and at the end
 * @throws as {@link readArchive} and {@link Extraction}; `cancelled`
 */
export async function unpackInThread(
  job: UnpackJob,
  onEntry: ((progress: ExtractProgress) => void) | undefined,
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<UnpackResult> {
  if (signal?.aborted) throw cancelled();
  const thread = new ArchiveThread<UnpackMessage>(
    { work: 'unpack', ...job } satisfies ArchiveJob,
    archiveWorkerFile(),
  );
  const stop = signal && onAbort(signal, () => thread.fail(cancelled()));
  try {
    for (;;) {
      const message = await thread.next();
      onEntry?.(message.progress);
      if (message.isComplete) return message;
    }
  } finally {
    stop?.();
    await thread.end();
  }
}

/** What the thread does. */
export async function unpack(
  { source, places, include, stripTop, isCaseSensitive, creationMode, limits }: UnpackJob,
  onEntry: (progress: ExtractProgress) => void,
): Promise<UnpackResult> {
  const extraction = await Extraction.create(places, {
    archive: source.name,
    include: include.length > 0 ? createPathMatcher(include) : undefined,
    ...{ stripTop, isCaseSensitive, creationMode, onEntry },
  });
  try {
    const read = (): Promise<void> =>
      readArchive(source, (entry, content) => extraction.add(entry, content), limits);
    for (await read(); extraction.isIncomplete; await read()) await extraction.restart();
    await extraction.finish();
  } catch (error) {
    await extraction.abandon();
    throw error;
  }
  return extraction;
}
