/**
 * What backup, restore and prune read alike: retention rules, and the access to a repository of snapshots. `passphrase`
 * in inputs.ts throws if it comes from a variable that isn't set.
 */
import { hostname, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import type { RetentionRules, SnapshotQuery } from '../../../src/index';
import { userFolder } from './node-red-state';
import type { RunContext } from './run-context';
import { shortList } from './value-summary';
import { RETENTION_DEFAULTS } from '../contract/defaults';
import type { Inputs } from './inputs';

const CACHE = '.cloud-drive-snapshots';

type Access = Pick<
  SnapshotQuery,
  'passphrase' | 'cacheFolder' | 'host' | 'username' | 'onWaiting' | 'onDamaged'
>;

/** @throws `invalid_input` without a passphrase, `not_configured` for one from a variable that isn't set */
export function repositoryAccess(
  RED: NodeAPI,
  { inputs, showLocked, warn }: Pick<RunContext<object>, 'inputs' | 'showLocked' | 'warn'>,
): Access {
  const passphrase = inputs.passphrase('passphrase');
  if (passphrase === undefined) throw inputs.invalid('invalid_input_no_passphrase', 'passphrase', '');
  const onDamaged = (files: string[]): void => warn('repository_copies', { files: shortList(files) });
  return { passphrase, ...thisMachine(RED), onWaiting: showLocked, onDamaged };
}

export function thisMachine(RED: NodeAPI): Pick<Access, 'cacheFolder' | 'host' | 'username'> {
  const username = userName();
  // All users share the folder for temporary files.
  const folder = userFolder(RED);
  const cacheFolder =
    folder === undefined ? path.join(tmpdir(), `${CACHE}-${username}`) : path.join(folder, CACHE);
  return { cacheFolder, host: hostname(), username };
}

/** In a container, the user may have an ID without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/** From the properties `keepNewest` to `minimum`. */
export function readRetentionRules(inputs: Inputs): RetentionRules {
  const whole = (property: string): number => inputs.wholeNumber(property);
  return {
    keepNewest: whole('keepNewest'),
    keepDays: inputs.nonNegative('keepDays'),
    daily: whole('daily'),
    weekly: whole('weekly'),
    monthly: whole('monthly'),
    yearly: whole('yearly'),
    // An empty one means its default, because 0 would allow all files to be removed.
    minimum: inputs.isEmpty('minimum') ? Number(RETENTION_DEFAULTS.minimum) : whole('minimum'),
  };
}
