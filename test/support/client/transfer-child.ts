/**
 * Uploads and downloads a file in its own process, and prints by how much its memory has grown: `{"id", "growth"}`, in
 * bytes above the size after a small transfer.
 */
import { PLAIN_UPLOAD } from './drive-fixture';
import { createClientInRealTime } from './test-client';

const [baseUrl = '', source = '', target = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl);
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
