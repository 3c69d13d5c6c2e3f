/**
 * Uploads and downloads a file in its own process, and prints by how much its memory has grown: `{"id", "growth"}`, in
 * bytes above the size after a small transfer.
 */
import { systemClock } from '../../../src/index';
import { DriveClient } from '../../../src/drive-client';
import { HttpClient } from '../../../src/http/client';
import { PLAIN_UPLOAD } from './drive-fixture';
import { staticTokens } from './test-client';

const [baseUrl = '', source = '', target = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  const http = new HttpClient({ timeout: 10_000 });
  const client = new DriveClient({
    http,
    tokens: staticTokens,
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
    client.upload({ ...PLAIN_UPLOAD, content });
  const download = (id: string) =>
    client.downloadToDisk({ id, fields: 'id', acknowledgeAbuse: false, path: target, overwrite: 'replace' });

  await download((await upload({ data: 'small' })).file.id);
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const { file } = await upload({ path: source });
  await download(file.id);
  clearInterval(timer);
  http.close();
  process.stdout.write(JSON.stringify({ id: file.id, growth: peak - before }));
}

void run();
