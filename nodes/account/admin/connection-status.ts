/**
 * Checks the connection of an account: the signed-in user and the storage quota.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about
 */
import { type DriveClient, DriveError, isDriveError } from '../../../src/index';
import type { ConnectionStatus, StorageQuota } from '../../shared/contract/account-api';
import { parseUser } from '../accounts/drive-user';

/** ms */
const TIMEOUT = 20_000;

/** @throws the error of the first attempt: the user can retry with a button */
export async function connectionStatus(client: DriveClient): Promise<ConnectionStatus> {
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    const { user, storageQuota } = await client.getAbout('user,storageQuota', { signal, retryFor: 0 });
    const account = parseUser(user);
    const storage = storageIn(storageQuota);
    return { account, storage };
  } catch (error) {
    throw isDriveError(error, 'cancelled') ? new DriveError('timeout') : error;
  }
}

function storageIn(quota: unknown): StorageQuota | undefined {
  if (typeof quota !== 'object' || quota === null) return undefined;
  const { usage, limit, usageInDriveTrash } = quota as Record<string, unknown>;
  const used = bytes(usage);
  if (used === undefined) return undefined;
  return {
    usage: used,
    limit: bytes(limit),
    inTrash: bytes(usageInDriveTrash),
  };
}

/** int64 values are decimal strings in JSON. */
function bytes(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,18}$/.test(value) ? Number(value) : undefined;
}
