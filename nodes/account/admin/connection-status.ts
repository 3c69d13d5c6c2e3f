/**
 * Checks the connection of an account: the signed-in user and the storage quota.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about
 */
import { type CallOptions, type DriveClient, DriveError, isDriveError } from '../../../src/index';
import type { ConnectionStatus, SharedAccess, StorageQuota } from '../../shared/contract/account-api';
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
    if (!client.service.isServiceAccount) return { account, storage };
    return { account, access: await sharedAccess(client, { signal, retryFor: 0 }) };
  } catch (error) {
    throw isDriveError(error, 'cancelled') ? new DriveError('timeout') : error;
  }
}

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/drives/list */
const DRIVES = { path: 'drives', query: { pageSize: 100, fields: 'drives(name)' }, list: 'drives' };
const FILES = {
  path: 'files',
  query: { q: 'sharedWithMe=true', pageSize: 100, fields: 'files(name)' },
  list: 'files',
};

/** A service account has no files of its own, so what matters is what was shared with it. */
async function sharedAccess(client: DriveClient, call: CallOptions): Promise<SharedAccess | undefined> {
  if (client.service.kind !== 'google') return undefined;
  return { sharedDrives: await names(client, DRIVES, call), sharedFiles: await names(client, FILES, call) };
}

async function names(
  client: DriveClient,
  { path, query, list }: typeof DRIVES | typeof FILES,
  call: CallOptions,
): Promise<string[]> {
  const { body } = await client.request({ method: 'GET', path, query }, call);
  const items: unknown = (body as Record<string, unknown>)[list];
  return (Array.isArray(items) ? (items as { name?: unknown }[]) : []).flatMap(({ name }) =>
    typeof name === 'string' ? [name] : [],
  );
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
