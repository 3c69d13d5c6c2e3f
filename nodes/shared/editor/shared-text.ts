/** Texts that several nodes show. They are in the account's catalogue. */
import type { SharedTextKey } from './shared-text-key';

export type { SharedTextKey };

const NAMESPACE = 'node-red-contrib-cloud-drive/cloud-drive-account';

/** @returns the text in the editor's language */
export function sharedText(key: SharedTextKey, params?: Record<string, string | number>): string {
  return RED._(`${NAMESPACE}:${key}`, params);
}
