/**
 * Backs up a folder in its own process, and prints the growth of its memory in bytes and the longest usual delay of its
 * event loop in ms: `{"number", "growth", "p99"}`. With a number of archives to keep, it removes older ones permanently.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { tmpdir } from 'node:os';
import { Calendar } from '../../../src/index';
import { createClientInRealTime } from './test-client';

const [baseUrl = '', folderId = '', source = '', recipient = '', keepNewest = '0'] = process.argv.slice(2);

const NO_RULES = { keepDays: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, minimum: 1 };

async function run(): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl);
  await client.getAbout('user');
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const { backup } = await client.backup({
    ...{ sources: [source], folderId, targetName: '{name}-{number}', exclude: [], compression: 'gzip' },
    encryption: recipient === '' ? undefined : { recipients: [recipient] },
    retention: { ...NO_RULES, keepNewest: Number(keepNewest) },
    mode: 'permanent',
    ...{ calendar: new Calendar(''), host: '', temporaryFolder: tmpdir(), fields: 'id' },
  });
  delay.disable();
  clearInterval(timer);
  http.close();
  const { number, changed, skipped } = backup;
  const p99 = delay.percentile(99) / 1e6;
  process.stdout.write(JSON.stringify({ number, changed, skipped, growth: peak - before, p99 }));
}

void run();
