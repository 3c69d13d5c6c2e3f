/**
 * What backup and restore need for a repository of snapshots. `passphrase` in inputs.ts reads the passphrase, and
 * throws if it comes from a variable that isn't set.
 */
import { hostname, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import type { SnapshotQuery } from '../../../src/index';
import { userFolder } from './node-red-state';
import type { RunContext } from './run-context';
import { shortList } from './short-list';

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
