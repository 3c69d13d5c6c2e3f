/** Runs a job in the worker thread for snapshots, and answers the calls of the thread. */
import { ArchiveThread } from '../archive/archive-thread';
import { onAbort } from '../../core/on-abort';
import { cancelled } from '../../errors';
import type { SnapshotHost, SnapshotJob } from './snapshot-job';
import { type CallMessage, answerCall } from './store-calls';

/** MiB. With one, the garbage collector takes a third of the time; each takes three. */
const YOUNG_GENERATION = 4;

type ThreadMessage = CallMessage | { isComplete: true; result: unknown };

/**
 * @param host whose methods the thread calls
 * @returns the result of the job. Nothing runs in the thread any more
 * @throws `cancelled`, and the errors of the job
 */
export async function runSnapshotJob<Event>(
  job: SnapshotJob,
  host: SnapshotHost<Event>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (signal?.aborted) throw cancelled();
  const thread = new ArchiveThread<ThreadMessage>(job, snapshotWorkerFile(), {
    maxYoungGenerationSizeMb: YOUNG_GENERATION,
  });
  const stop = signal && onAbort(signal, () => thread.fail(cancelled()));
  try {
    for (;;) {
      const message = await thread.next();
      if (message.isComplete) return message.result;
      void answerCall(host, message, (answer, transferred) => thread.post(answer, transferred));
    }
  } finally {
    stop?.();
    await thread.end();
  }
}

/** The code of the thread, which the build bundles into a file of its own. */
function snapshotWorkerFile(): string {
  return require.resolve('./snapshot-worker');
}
