/** An account as it is deployed, for what a person does with it in the editor: also one in a flow that is disabled. */
import type { NodeAPI } from 'node-red';
import { isDriveError } from '../../../src/index';
import type { AccountRegistry } from './account-registry';
import { withEnvironment } from '../settings/environment';
import type { Properties } from '../settings/properties';
import { type AccountSettings, accountSettings } from '../settings/settings';
import type { CredentialStore } from './credential-store';

/** Environment variables in place. */
export interface DeployedAccount {
  config: Properties;
  credentials: Properties;
}

interface Wanted {
  accounts: AccountRegistry;
  keeper: CredentialStore;
  id: string;
}

/** @returns undefined where there is none of that id */
export function deployedAccount(RED: NodeAPI, { accounts, keeper, id }: Wanted): DeployedAccount | undefined {
  const running = accounts.running(id);
  if (running) return { config: { ...running.config }, credentials: { ...running.node.credentials } };
  let config: Properties | undefined;
  RED.nodes.eachNode((def) => {
    if (def.id === id && def.type === 'cloud-drive-account') config = { ...def };
  });
  if (!config) return undefined;
  return {
    config: withEnvironment(RED, config),
    credentials: withEnvironment(RED, { ...keeper.entry(id) }),
  };
}

/** Undefined for an account that can't work as it is set up: it can still be looked at and signed out. */
export function settingsIfValid(deployed: DeployedAccount | undefined): AccountSettings | undefined {
  if (!deployed) return undefined;
  try {
    return accountSettings(deployed.config, deployed.credentials);
  } catch (error) {
    if (isDriveError(error)) return undefined;
    throw error;
  }
}
