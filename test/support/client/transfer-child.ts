/**
 * Uploads and downloads a file in its own process, and prints `{"id"}` and the measurements above the size after a
 * small transfer.
 */
import type { DriveClient } from '../../../src/index';
import { PLAIN_UPLOAD } from './drive-fixture';
import { measureClient } from './measured-child';

const [baseUrl = '', source = '', target = ''] = process.argv.slice(2);

async function transfer(client: DriveClient, content: { path: string } | { data: string }) {
  const { file } = await client.upload({ ...PLAIN_UPLOAD, content });
  const { id } = file;
  const request = { id, fields: 'id', acknowledgeAbuse: false, path: target, overwrite: 'replace' } as const;
  await client.downloadToDisk(request);
  return { id };
}

void measureClient(
  baseUrl,
  (client) => transfer(client, { path: source }),
  (client) => transfer(client, { data: 'small' }),
);
