/** A hint below the account in a node's dialog, such as after the import of an example that brings its own account. */
import { isAccountSignedIn, usableAccounts } from './accounts';
import { sharedText } from './shared-text';

/** Names the signed-in accounts while the selected one isn't signed in. */
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
