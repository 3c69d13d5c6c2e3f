/**
 * Restores the file with the given id in its own process, and prints the number of entries, the growth of its memory in
 * bytes and the longest usual delay of its event loop in ms: `{"entries", "growth", "p99"}`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createClientInRealTime } from '../client/test-client';

const [baseUrl = '', fileId = '', path = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl);
  await client.getAbout('user');
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const { entries } = await client.restore({
    ...{ choice: { which: 'file', fileId }, folderId: '', folderName: '', pattern: '*', fields: 'id,name' },
    ...{ path, overwrite: 'replace', include: [], maxRatio: 0 },
  });
  delay.disable();
  clearInterval(timer);
  http.close();
  const p99 = delay.percentile(99) / 1e6;
  process.stdout.write(JSON.stringify({ entries, growth: peak - before, p99 }));
}

void run();
