/** Checks what a backup as a snapshot needs, without loading the rest of this folder. */
import { checkSources } from '../../fs/walk-sources';
import { DriveError } from '../../errors';
import { createPathMatcher } from '../../core/globs/path-globs';
import type { SnapshotBackupRequest } from './snapshot-request';

/** Characters. */
const MIN_PASSPHRASE = 8;

/** Checks a backup without a request. @throws `invalid_input`; `local_file` for a missing source */
export async function checkSnapshotBackup(
  request: Pick<SnapshotBackupRequest, 'sources' | 'exclude' | 'passphrase'>,
): Promise<void> {
  const { sources, exclude, passphrase } = request;
  if (passphrase.length < MIN_PASSPHRASE) {
    const params = { minimum: MIN_PASSPHRASE };
    throw new DriveError('invalid_input', { text: 'invalid_input_repository_passphrase_short', params });
  }
  await checkSources({ sources, isExcluded: createPathMatcher(exclude, 'exclude') });
}
