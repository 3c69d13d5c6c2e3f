/** Warns of a key file that every user of the machine can read. */
import type { NodeAPI } from 'node-red';
import { logWarning, warningText } from '../../shared/runtime/catalogue';
import { isReadableByOthers } from './service-account';

/** Files that were warned of: once is enough, and a deploy checks the account again. */
const warned = new Set<string>();

/** @param file undefined if the key isn't in a file */
export function warnOfReadableKey(RED: NodeAPI, file: string | undefined): void {
  if (file === undefined || warned.has(file) || !isReadableByOthers(file)) return;
  warned.add(file);
  logWarning(RED, 'key_readable', { file });
}

/** @returns the text of the warning for the account's dialog; undefined if there is nothing to warn of */
export function readableKeyWarning(RED: NodeAPI, file: string | undefined): string | undefined {
  if (file === undefined || !isReadableByOthers(file)) return undefined;
  return warningText(RED, 'key_readable', { file });
}
