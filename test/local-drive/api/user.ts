import { createHash } from 'node:crypto';
import type { FileRecord } from '../storage/file-record';
import type { FileTree } from '../storage/file-tree';

/** The only user of the service. https://developers.google.com/workspace/drive/api/reference/rest/v3/User */
export const USER = {
  kind: 'drive#user',
  displayName: 'Local User',
  me: true,
  permissionId: '07394025384763027364',
  emailAddress: 'user@local-drive.example',
};

/** Another user, group or domain that files are shared with. */
export function otherUser(emailAddress: string): { [name: string]: string | boolean } {
  return {
    kind: 'drive#user',
    displayName: emailAddress.split('@')[0] ?? '',
    me: false,
    permissionId: granteeId(emailAddress),
    emailAddress,
  };
}

/** The owner of an item in My Drive, or of what another user shared. */
export function ownerOf(store: FileTree, record: FileRecord): Record<string, string | boolean> {
  for (const { sharedWithMe, account } of store.withAncestors(record)) {
    const owner = sharedWithMe?.owner ?? account;
    if (owner) return otherUser(owner);
  }
  return USER;
}

/** The permission id of an address or domain: 20 digits that are the same on all files. */
export function granteeId(name: string): string {
  if (name.toLowerCase() === USER.emailAddress) return USER.permissionId;
  const digest = createHash('sha256').update(name.toLowerCase()).digest();
  return String(digest.readBigUInt64BE()).padStart(20, '0');
}
