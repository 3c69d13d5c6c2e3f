/**
 * Whether the service answers as the signed-in account, and what it says of that: for a person who looks on.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about
 */
import { type DriveClient, DriveError, isDriveError } from '../../../src/index';
import type { ConnectionStatus, StorageQuota } from '../../shared/contract/account-api';
import { parseUser } from '../accounts/drive-user';

/** ms, all in all. */
const LONGEST = 20_000;

/** @throws what the service answered, after one try: whoever looks on can try again */
export async function connectionStatus(client: DriveClient): Promise<ConnectionStatus> {
  const signal = AbortSignal.timeout(LONGEST);
  try {
    const { user, storageQuota } = await client.getAbout('user,storageQuota', { signal, retryFor: 0 });
    const account = parseUser(user);
    const storage = storageIn(storageQuota);
    return { ...(account ? { account } : {}), ...(storage ? { storage } : {}) };
  } catch (error) {
    throw isDriveError(error, 'cancelled') ? new DriveError('timeout') : error;
  }
}

function storageIn(quota: unknown): StorageQuota | undefined {
  if (typeof quota !== 'object' || quota === null) return undefined;
  const { usage, limit, usageInDriveTrash } = quota as Record<string, unknown>;
  const used = bytes(usage);
  if (used === undefined) return undefined;
  const [most, inTrash] = [bytes(limit), bytes(usageInDriveTrash)];
  return {
    usage: used,
    ...(most === undefined ? {} : { limit: most }),
    ...(inTrash === undefined ? {} : { inTrash }),
  };
}

/** The service's sizes are decimal strings. */
function bytes(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,18}$/.test(value) ? Number(value) : undefined;
}
