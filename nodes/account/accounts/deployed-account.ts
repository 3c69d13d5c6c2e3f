/** The deployed configuration of an account, also in a disabled flow. */
import type { NodeAPI } from 'node-red';
import { isDriveError } from '../../../src/index';
import type { AccountRegistry } from './account-registry';
import { withEnvironment } from '../settings/environment';
import type { Properties } from '../settings/properties';
import { type AccountSettings, accountSettings } from '../settings/settings';
import type { CredentialStore } from './credential-store';

/** With environment variables resolved. */
export interface DeployedAccount {
  config: Properties;
  credentials: Properties;
}

interface DeployedAccountSources {
  accounts: AccountRegistry;
  credentialStore: CredentialStore;
}

/** @returns undefined if no account with that id is deployed */
export function deployedAccount(
  RED: NodeAPI,
  id: string,
  { accounts, credentialStore }: DeployedAccountSources,
): DeployedAccount | undefined {
  const instance = accounts.instance(id);
  if (instance) return { config: { ...instance.config }, credentials: { ...instance.node.credentials } };
  let config: Properties | undefined;
  RED.nodes.eachNode((def) => {
    if (def.id === id && def.type === 'cloud-drive-account') config = { ...def };
  });
  if (!config) return undefined;
  return {
    config: withEnvironment(RED, config),
    credentials: withEnvironment(RED, { ...credentialStore.entry(id) }),
  };
}

/** @returns undefined for incomplete or invalid settings: the panel can still show such an account and sign it out */
export function settingsIfValid(deployed: DeployedAccount | undefined): AccountSettings | undefined {
  if (!deployed) return undefined;
  try {
    return accountSettings(deployed.config, deployed.credentials);
  } catch (error) {
    if (isDriveError(error)) return undefined;
    throw error;
  }
}
