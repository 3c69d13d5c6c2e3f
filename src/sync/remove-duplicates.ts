/**
 * Two clients that upload the same new file at the same time create two files, because the service allows the same name
 * twice. Both look once everything is uploaded: the oldest file stays, and the other client moves its own to the trash.
 */
import { trash } from '../drive/delete';
import { findDuplicates } from './find-duplicates';
import type { SyncRun } from './sync-run';

export async function removeDuplicates(run: SyncRun): Promise<void> {
  const { drive } = run.context.upload;
  const options = { kind: 'files', since: run.creationTimes.earliest } as const;
  const duplicates = await findDuplicates(drive, [...run.newFileFolders], options, run.call);
  const own = duplicates.length === 0 ? undefined : run.changes.createdIds();
  for (const { ids } of duplicates) {
    const [oldest, ...others] = ids;
    for (const id of others) {
      if (oldest === undefined || !own?.has(id)) continue;
      await trash(drive, id, run.call);
      run.changes.replaceId(id, oldest);
    }
  }
}
