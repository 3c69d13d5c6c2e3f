/** The accounts in the editor, deployed or not. */
import type { AccountStatus } from '../contract/account-api';
import { adminRequest } from './admin-request';
import { sharedText } from './shared-text';

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

/** Names the signed-in accounts while the selected one isn't, as after the import of an example with its own account. */
export function showAccountHint(): void {
  const select = $('#node-input-account');
  const hint = $('<div class="cloud-drive-problem" role="status">').appendTo(select.closest('.form-row'));
  const update = async (): Promise<void> => {
    const selected = select.val();
    const accounts = usableAccounts();
    const isOne = accounts.some(({ id }) => id === selected);
    const signedIn = isOne && accounts.length > 1 ? await signedInAccounts(accounts) : [];
    // The user may have selected another account meanwhile.
    if (select.val() !== selected) return;
    const names = signedIn.map((node) => `“${accountLabel(node)}”`).join(', ');
    const isHintNeeded = signedIn.length > 0 && signedIn.every(({ id }) => id !== selected);
    hint.text(isHintNeeded ? sharedText('validation.account_signed_out', { names }) : '');
  };
  select.on('change', () => void update());
  void update();
}

function accountLabel({ id }: EditorNode): string {
  return $('#node-input-account')
    .find('option')
    .filter((_, option) => option.value === id)
    .text();
}

async function signedInAccounts(accounts: readonly EditorNode[]): Promise<EditorNode[]> {
  const signedIn = await Promise.all(accounts.map(({ id }) => isAccountSignedIn(id)));
  return accounts.filter((_, index) => signedIn[index] === true);
}
