/**
 * Marks accounts that aren't signed in, while another one is: usually, an imported example brought them. The editor
 * then marks the nodes that use them, and lists these before it deploys.
 */
import { isAccountSignedIn, usableAccounts } from '../shared/editor/accounts';
import { sharedText } from '../shared/editor/shared-text';
import type { Validator } from '../shared/editor/validators';

/** By id of the account; undefined if Node-RED didn't respond. */
let signedIn = new Map<string, boolean | undefined>();
let isScheduled = false;
let latest = 0;

/** @returns names of the signed-in accounts to select instead, `''` if there is nothing to mark */
function signedInInstead({ id, credentials }: EditorNode): string {
  const hasTokens = Boolean(credentials?.['refreshToken'] || credentials?.['accessToken']);
  if (signedIn.get(id) !== false || hasTokens) return '';
  const others = usableAccounts().filter((account) => signedIn.get(account.id) === true);
  return others.map(({ name, id: other }) => `“${name || other}”`).join(', ');
}

/** For a property of the account. */
export const isSignedIn: Validator = function (_value, _options) {
  const names = signedInInstead(this as EditorNode);
  return names === '' || sharedText('validation.account_signed_out', { names });
};

/** Asks Node-RED which accounts are signed in whenever that may have changed. */
export function markUnsignedAccounts(): void {
  const onChange = ({ type }: EditorNode): void => {
    if (type === 'cloud-drive-account') schedule();
  };
  for (const event of ['nodes:add', 'nodes:remove', 'nodes:change']) RED.events.on(event, onChange);
  RED.events.on('deploy', schedule);
}

/** Once for all accounts of an import. */
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    void update();
  });
}

async function update(): Promise<void> {
  const current = ++latest;
  const accounts = usableAccounts();
  const asked = accounts.length > 1 ? accounts : [];
  const states = await Promise.all(
    asked.map(async ({ id }): Promise<[string, boolean | undefined]> => [id, await isAccountSignedIn(id)]),
  );
  // The responses to a later update may have been faster.
  if (current !== latest) return;
  signedIn = new Map(states);
  for (const account of accounts)
    for (const node of [account, ...(account.users ?? [])]) RED.editor.validateNode(node);
  RED.view.redraw();
}
