/** Decrypts the stored credentials of Node-RED, so that tests can search for these secrets elsewhere. */
import { createDecipheriv, createHash } from 'node:crypto';
import type { NodeRed } from './node-red';

/** Reverses the encryption of @node-red/runtime, lib/nodes/credentials.js. */
export async function storedCredentials(nodeRed: NodeRed): Promise<Record<string, Record<string, string>>> {
  const { $: encrypted } = JSON.parse(await nodeRed.file('flows_cred.json')) as { $: string };
  const key = createHash('sha256').update('canary-credential-secret').digest();
  const decipher = createDecipheriv('aes-256-ctr', key, Buffer.from(encrypted.slice(0, 32), 'hex'));
  const text = decipher.update(encrypted.slice(32), 'base64', 'utf8') + decipher.final('utf8');
  return JSON.parse(text) as Record<string, Record<string, string>>;
}
