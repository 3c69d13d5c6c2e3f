/**
 * Checks the connection of an account: the signed-in user and the storage quota.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about
 */
import { type CallOptions, type DriveClient, isObject, isString } from '../../../src/index';
import type { ConnectionStatus, SharedAccess, StorageQuota } from '../../shared/contract/account-api';
import { DialogCall, type RequestTimeout } from '../../shared/admin/account-client';
import { parseUser } from '../sign-in/sign-in-flows';

const TIMEOUT: RequestTimeout = { ms: 20_000, text: 'timeout' };

/** @throws the error of the first attempt: the user can retry with a button */
export function connectionStatus(client: DriveClient): Promise<ConnectionStatus> {
  return new DialogCall(0, TIMEOUT).run(client, async (call) => {
    const { user, storageQuota } = await client.getAbout('user,storageQuota', call);
    const account = parseUser(user);
    if (!client.service.isServiceAccount) return { account, storage: storageIn(storageQuota) };
    return { account, access: await sharedAccess(client, call) };
  });
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
