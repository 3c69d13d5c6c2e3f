/** What every flow node begins with: its properties, and the account that it names. */
import type { Node, NodeAPI, NodeDef } from 'node-red';
import { DriveError } from '../../../src/index';
import type { AccountNode } from '../../account/account.types';
import type { IdleState } from './status';

export type { AccountNode };
export type FlowNodeDef = NodeDef & { account?: string };

export function accountOf(RED: NodeAPI, def: FlowNodeDef): AccountNode | undefined {
  const node = def.account ? (RED.nodes.getNode(def.account) as Node | null) : null;
  return node && 'drive' in node ? (node as AccountNode) : undefined;
}

/** A saved flow may lack any property. */
export function withDefaults<Config extends object>(defaults: Config, def: FlowNodeDef): Config {
  const given = Object.entries(def).filter(([name, value]) => name in defaults && value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** What a node shows while nothing goes on. */
export function idleState(account: AccountNode | undefined): IdleState {
  const missing = account ? account.needsSignIn() : new DriveError('not_configured');
  if (!missing) return 'idle';
  if (missing.code !== 'sign_in_required') return 'notConfigured';
  // Any other text says why a sign-in that there was is over.
  return missing.text === 'sign_in_required' ? 'notSignedIn' : 'signInNeeded';
}
