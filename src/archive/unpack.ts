/** Unpacks an archive into a folder, in a worker thread. */
import { cancelled } from '../errors';
import { createPathMatcher } from '../search/path-globs';
import type { CallOptions } from '../types';
import type { UnpackJob } from './archive-job';
import { ArchiveThread } from './archive-thread';
import { type ExtractProgress, Extraction } from './extract';
import { readArchive } from './read-archive';

export interface UnpackMessage {
  progress: ExtractProgress;
  isComplete: boolean;
}

/**
 * @param onEntry is called from time to time, and at the end
 * @throws as {@link readArchive} and {@link Extraction}; `cancelled`
 */
export async function unpackInThread(
  job: UnpackJob,
  onEntry: ((progress: ExtractProgress) => void) | undefined,
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<ExtractProgress> {
  if (signal?.aborted) throw cancelled();
  const thread = new ArchiveThread<UnpackMessage>({ work: 'unpack', ...job });
  const abort = (): void => thread.fail(cancelled());
  signal?.addEventListener('abort', abort);
  try {
    for (;;) {
      const { progress, isComplete } = await thread.next();
      onEntry?.(progress);
      if (isComplete) return progress;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await thread.end();
  }
}

/** What the thread does. */
export async function unpack(
  { source, places, include, isCaseSensitive, creationMode, limits }: UnpackJob,
  onEntry: (progress: ExtractProgress) => void,
): Promise<ExtractProgress> {
  const extraction = await Extraction.create(places, {
    archive: source.name,
    include: include.length > 0 ? createPathMatcher(include) : undefined,
    ...{ isCaseSensitive, creationMode, onEntry },
  });
  try {
    await readArchive(source, (entry, content) => extraction.add(entry, content), limits);
    if (extraction.isIncomplete)
      await readArchive(source, (entry, content) => extraction.addMissing(entry, content), limits);
    await extraction.finish();
  } catch (error) {
    await extraction.abandon();
    throw error;
  }
  return extraction.progress;
}
