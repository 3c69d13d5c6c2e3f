/**
 * Takes a file up and brings it down again in a process of its own, and prints how much memory that took at most:
 * `{"id", "growth"}`, bytes above what the process had after a small transfer.
 */
import { systemClock } from '../../../src/index';
import { DriveClient } from '../../../src/drive-client';
import { HttpClient } from '../../../src/http/client';
import { fixedTokens } from './client';

const [baseUrl = '', source = '', target = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  const http = new HttpClient({ timeout: 10_000 });
  const client = new DriveClient({
    http,
    tokens: fixedTokens,
    clock: systemClock,
    service: {
      kind: 'google',
      baseUrl,
      uploadUrl: baseUrl,
      folderMimeType: 'application/vnd.google-apps.folder',
      driveId: '',
    },
    random: () => 0,
    retryFor: 10_000,
    requestsPerSecond: 1_000,
    maxTransfers: 4,
  });
  const upload = (content: { path: string } | { data: string }) =>
    client.upload({
      content,
      name: 'large.bin',
      folderId: '',
      mimeType: '',
      ifExists: 'duplicate',
      keepModifiedTime: false,
      metadata: {},
      fields: 'id',
    });
  const download = (id: string) =>
    client.downloadToDisk({ id, fields: 'id', acknowledgeAbuse: false, path: target, overwrite: 'replace' });

  await download((await upload({ data: 'small' })).file.id);
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  const { file } = await upload({ path: source });
  await download(file.id);
  clearInterval(watch);
  http.close();
  process.stdout.write(JSON.stringify({ id: file.id, growth: most - before }));
}

void run();
