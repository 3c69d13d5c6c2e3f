/**
 * about: user and storage quota of the account.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { type AboutConfig, DEFAULTS } from './about.defaults';

/** Bytes, as decimal strings. */
interface StorageQuota {
  limit?: unknown;
  usage?: unknown;
}

export default (RED: NodeAPI): void =>
  flowNode<AboutConfig>(RED, {
    type: 'cloud-drive-about',
    defaults: DEFAULTS,
    async run({ client, inputs, msg, call, send, results }) {
      const about = await client.getAbout(inputs.settingText('fields') || DEFAULTS.fields, call);
      const storage = freeStorage(about['storageQuota'] as StorageQuota | undefined);
      msg.payload = { ...about, ...storage };
      send(msg);
      return storage.usedPercent === undefined ? undefined : { text: results.used(storage.usedPercent) };
    },
  });

/** @returns nothing for unlimited storage */
function freeStorage({ limit, usage }: StorageQuota = {}): { free?: number; usedPercent?: number } {
  const [total, used] = [Number(limit), Number(usage)];
  if (typeof limit !== 'string' || typeof usage !== 'string' || !(total > 0)) return {};
  return { free: Math.max(0, total - used), usedPercent: Math.round((used * 1_000) / total) / 10 };
}
