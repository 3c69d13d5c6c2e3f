/**
 * account: the config node with the client credentials and tokens. Its flow nodes share its Drive client.
 * https://nodered.org/docs/creating-nodes/config-nodes
 */
import type { NodeAPI } from 'node-red';
import { DriveError } from '../../src/index';
import { AccountAdmin } from './admin/account-admin';
import type { AccountNode, AccountNodeDef } from '../shared/runtime/account-node';
import { ACCOUNT_CREDENTIALS, type AccountCredentials } from '../shared/contract/account-config';
import { AdminClients } from './accounts/admin-clients';
import { credentialsId } from './accounts/account-key';
import { AccountRegistry } from './accounts/account-registry';
import { adminRoutes } from './admin/admin-api';
import { callback } from './admin/callback';
import { errorWithStep } from './admin/setup-step';
import { offerAccountClients } from '../shared/admin/account-client';
import { registerRoutes } from '../shared/admin/routes';
import { browseRoutes } from './browse/drive-browser';
import { onDeleted } from '../shared/runtime/register-node';
import { stateFile } from '../shared/runtime/node-red-state';
import type { StateFile } from '../shared/runtime/state-file';
import { TokenJournal } from './accounts/token-journal';
import { interruptedRestores } from './accounts/interrupted-restores';
import { UploadSessionStore } from './accounts/upload-session-store';
import { accountValues } from './settings/account-variable';
import { warnOfReadableKey } from './settings/service-account';
import type { AccountSettings } from './settings/settings';
import { CredentialStore } from './accounts/credential-store';

export default (RED: NodeAPI): void => {
  const state = stateFile(RED);
  const credentials = new CredentialStore(RED, new TokenJournal(state));
  const accounts = new AccountRegistry(
    RED,
    credentials,
    new UploadSessionStore(state),
    interruptedRestores(RED),
  );
  const clients = new AdminClients(accounts, credentials);
  const admin = new AccountAdmin(RED, accounts, credentials, clients);
  offerAccountClients(RED, clients);
  registerRoutes(RED, 'cloud-drive-account', [...adminRoutes(admin), ...browseRoutes(RED)], {
    callback: callback(RED, admin.sessions),
    describe: (error) => errorWithStep(RED, error),
  });
  onDeleted(RED, 'accounts', (id) => admin.accountDeleted(id));

  RED.nodes.registerType<AccountNode, AccountNodeDef, object, AccountCredentials>(
    'cloud-drive-account',
    function (this: AccountNode, def: AccountNodeDef) {
      RED.nodes.createNode(this, def);
      start({ RED, accounts, state }, this, def);
      const id = credentialsId(this);
      clients.forget(id);
      this.on(
        'close',
        this.onSignInChange(() => admin.notifier.notify(id)),
      );
    },
    { credentials: { ...ACCOUNT_CREDENTIALS } },
  );
};

interface Runtime {
  RED: NodeAPI;
  accounts: AccountRegistry;
  state: StateFile;
}

function start({ RED, accounts, state }: Runtime, node: AccountNode, def: AccountNodeDef): void {
  const values = accountValues(RED, { config: { ...def }, credentials: { ...node.credentials } }, node);
  const running = accounts.acquire({ node, values });
  let isWarned = false;
  // Checked on first use: Node-RED would drop a node whose constructor throws, without a reason that users can see.
  const settings = (): AccountSettings => {
    const checked = values.settings();
    if (!isWarned)
      for (const file of [values.file, checked.serviceAccount?.file]) warnOfReadableKey(RED, file);
    isWarned = true;
    return checked;
  };

  node.drive = () => {
    // New tokens that couldn't be written exist nowhere else.
    void state.flush();
    return running.client(settings());
  };
  node.needsSignIn = () => {
    try {
      return running.needsSignIn(settings());
    } catch (caught) {
      if (caught instanceof DriveError) return caught;
      throw caught;
    }
  };
  node.isNewToProject = () => running.isNewToProject(settings());
  node.onSignInChange = (listener) => running.onSignInChange(listener);
  node.on('close', (_removed: boolean, done: () => void) => {
    void accounts
      .release(node)
      .then(() => state.flush())
      .then(done);
  });
}
