/**
 * Checks the connection of an account: the signed-in user and the storage quota.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about
 */
import {
  type CallOptions,
  type DriveClient,
  DriveError,
  isDriveError,
  isObject,
  isString,
  withService,
} from '../../../src/index';
import type { ConnectionStatus, SharedAccess, StorageQuota } from '../../shared/contract/account-api';
import { parseUser } from '../sign-in/sign-in-flows';

/** ms */
const TIMEOUT = 20_000;

/** @throws the error of the first attempt: the user can retry with a button */
export async function connectionStatus(client: DriveClient): Promise<ConnectionStatus> {
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    const { user, storageQuota } = await client.getAbout('user,storageQuota', { signal, retryFor: 0 });
    const account = parseUser(user);
    const storage = storageIn(storageQuota);
    if (!client.service.isServiceAccount) return { account, storage };
    return { account, access: await sharedAccess(client, { signal, retryFor: 0 }) };
  } catch (error) {
    const known = isDriveError(error, 'cancelled') ? new DriveError('timeout') : error;
    throw withService(known, client.service.baseUrl);
  }
}

/** A service account has no files of its own, so what matters is what was shared with it. */
async function sharedAccess(client: DriveClient, call: CallOptions): Promise<SharedAccess | undefined> {
  if (!client.service.can.sharedDrives) return undefined;
  const { drives } = await client.listSharedDrives({ text: '' }, call);
  return { sharedDrives: drives.map(({ name }) => name), sharedFiles: await sharedFiles(client, call) };
}

async function sharedFiles(client: DriveClient, call: CallOptions): Promise<string[]> {
  const request = { where: 'sharedWithMe', text: '', kind: 'any', includeTrashed: false } as const;
  const { files } = await client.searchPage({ ...request, fields: 'name', pageSize: 100 }, call);
  return files.flatMap(({ name }) => name ?? []);
}

function storageIn(quota: unknown): StorageQuota | undefined {
  if (!isObject(quota)) return undefined;
  const usage = bytes(quota['usage']);
  if (usage === undefined) return undefined;
  return { usage, limit: bytes(quota['limit']), inTrash: bytes(quota['usageInDriveTrash']) };
}

/** int64 values are decimal strings in JSON. */
function bytes(value: unknown): number | undefined {
  return isString(value) && /^\d{1,18}$/.test(value) ? Number(value) : undefined;
}
