/** The accounts in the editor, deployed or not. */
import type { AccountStatus } from '../contract/account-api';
import { adminRequest } from './admin-request';

export interface AccountInEditor extends EditorNode {
  name?: string;
  /** Nodes that use it. */
  users?: EditorNode[];
}

/** @param z a flow or subflow. Accounts that are limited to another one can't be selected in it */
export function usableAccounts(z?: string): AccountInEditor[] {
  const accounts: AccountInEditor[] = [];
  RED.nodes.eachConfig((node) => {
    if (node.type === 'cloud-drive-account' && node.d !== true && (!node.z || node.z === z))
      accounts.push(node);
  });
  return accounts;
}

/** @returns undefined if Node-RED doesn't respond */
export async function isAccountSignedIn(id: string): Promise<boolean | undefined> {
  const status = await adminRequest<AccountStatus>('GET', [id]).catch(() => undefined);
  return status?.signedIn;
}
