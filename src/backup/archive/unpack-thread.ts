/** Unpacks an archive into a folder, in a worker thread. */
import { onAbort } from '../../core/on-abort';
import { cancelled } from '../../errors';
import { createPathMatcher } from '../../core/globs/path-globs';
import type { CallOptions } from '../../types';
import { IndexCheck } from './archive-index';
import type { ArchiveJob, UnpackJob } from './archive-job';
import { ArchiveThread } from './archive-thread';
import { archiveWorkerFile } from './libraries';
import {
  type ExtractProgress,
  Extraction,
  type ReservedEntries,
  type SkippedEntry,
} from '../entries/extract';
import { readArchive } from './read-archive';

export interface UnpackResult {
  progress: ExtractProgress;
  reserved: ReservedEntries;
  skipped: SkippedEntry[];
  /** Why the index of the archive can't be used. */
  indexProblem?: string | undefined;
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
    const read = async (): Promise<IndexCheck> => {
      const comparison = new IndexCheck(source.name);
      const options = { ...limits, comparison };
      await readArchive(source, (entry, content) => extraction.add(entry, content), options);
      return comparison;
    };
    let comparison = await read();
    while (extraction.isIncomplete) {
      await extraction.restart();
      comparison = await read();
    }
    const indexProblem = await comparison.finish();
    await extraction.finish();
    const { progress, reserved, skipped } = extraction;
    return { progress, reserved, skipped, indexProblem };
  } catch (error) {
    await extraction.abandon();
    throw error;
  }
}
