/**
 * Two clients that upload the same new file at the same time create two files, because the service allows the same name
 * twice. Both look once everything is uploaded: the oldest file stays, and the other client moves its own to the trash.
 */
import { trash } from '../api/delete';
import { findDuplicates } from './find-duplicates';
import type { SyncRun } from './sync-run';

export async function removeDuplicates(run: SyncRun): Promise<void> {
  const { drive } = run.context.upload;
  const parents = run.foldersWithNewFiles();
  const options = { kind: 'files', since: run.creationTimes.earliest } as const;
  for (const { ids } of await findDuplicates(drive, parents, options, run.call)) {
    const [oldest, ...others] = ids;
    for (const id of others) {
      const own = run.changes.find((change) => change.action === 'created' && change.id === id);
      if (!own || oldest === undefined) continue;
      await trash(drive, id, run.call);
      own.id = oldest;
    }
  }
}
