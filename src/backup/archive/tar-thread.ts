/**
 * The tar of a backup, written in a worker thread, where reading many small files doesn't wait for the thread pool and
 * delays nothing else. A few buffers are passed back and forth.
 */
import type { ArchiveJob, TarJob } from './archive-job';
import { ArchiveThread } from './archive-thread';
import { archiveWorkerFile } from './libraries';
import { readablePath } from '../../fs/path-bytes';
import type { ArchiveSummary } from './write-tar';

export type TarMessage =
  | { buffer: ArrayBuffer; length: number; summary: ArchiveSummary; pages: Uint8Array[]; isComplete?: never }
  | { isComplete: true; summary: ArchiveSummary; pages: Uint8Array[] };

const BUFFERS = 3;
const BUFFER_SIZE = 256 * 1024;

/** @returns what was added to the lists since the last call, and the current totals. Paths are for users. */
export function summaryPart(summary: ArchiveSummary): ArchiveSummary {
  const changed = summary.changed.splice(0).map(readablePath);
  const skipped = summary.skipped.splice(0).map(({ path, reason }) => ({ path: readablePath(path), reason }));
  return { ...summary, changed, skipped };
}

/**
 * @param summary is updated while the archive is read
 * @param onPages is called with parts of the index: see index-format.ts
 * @returns the bytes of the archive. Their memory is reused after the next call.
 */
export async function* readTar(
  job: TarJob,
  summary: ArchiveSummary,
  onPages: (pages: Uint8Array[]) => void,
): AsyncGenerator<Buffer> {
  const thread = new ArchiveThread<TarMessage>(
    { work: 'tar', ...job } satisfies ArchiveJob,
    archiveWorkerFile(),
  );
  try {
    for (let count = 0; count < BUFFERS; count++) thread.give(new ArrayBuffer(BUFFER_SIZE));
    for (;;) {
      const message = await thread.next();
      addPart(summary, message.summary);
      onPages(message.pages);
      if (message.isComplete) return;
      yield Buffer.from(message.buffer, 0, message.length);
      thread.give(message.buffer);
    }
  } finally {
    await thread.end();
  }
}

function addPart(summary: ArchiveSummary, { changed, skipped, ...totals }: ArchiveSummary): void {
  for (const each of changed) summary.changed.push(each);
  for (const each of skipped) summary.skipped.push(each);
  Object.assign(summary, totals);
}
