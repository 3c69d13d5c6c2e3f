/**
 * about: user and storage quota of the account.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import type { AboutConfig } from './about.types';

const defaults: AboutConfig = { fields: 'user,storageQuota' };

interface StorageQuota {
  limit?: unknown;
  usage?: unknown;
}

export default (RED: NodeAPI): void =>
  flowNode<AboutConfig>(RED, {
    type: 'cloud-drive-about',
    defaults,
    async run({ client, config, msg, call, send }) {
      const about = await client.getAbout(config.fields.trim() || defaults.fields, call);
      msg.payload = { ...about, ...space(about['storageQuota'] as StorageQuota | undefined) };
      send(msg);
    },
  });

/** What is left, as numbers; nothing where the service gives no limit. */
function space({ limit, usage }: StorageQuota = {}): { free?: number; usedPercent?: number } {
  const [most, used] = [Number(limit), Number(usage)];
  if (typeof limit !== 'string' || typeof usage !== 'string' || !(most > 0)) return {};
  return { free: Math.max(0, most - used), usedPercent: Math.round((used * 1_000) / most) / 10 };
}
