/**
 * Checks, compares or lists the file with the given id in its own process, which a test can kill: `ACTION URL ID [FOLDER]`. Prints
 * the number of entries and the growth of its memory in bytes: `{"entries", "growth"}`.
 */
import { createClientInRealTime } from '../client/test-client';

const [action = '', baseUrl = '', fileId = '', folder = ''] = process.argv.slice(2);
const FILE = { choice: { which: 'file', fileId }, folderId: '', folderName: '', pattern: '*' } as const;

async function run(): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl);
  await client.getAbout('user');
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const request = { ...FILE, include: [], fields: 'id,name' };
  let listed = 0;
  const onEntries = (entries: object[]): Promise<void> => Promise.resolve(void (listed += entries.length));
  const compareWith = action === 'compare' ? folder : undefined;
  const { entries } =
    action === 'list'
      ? await client.listArchive({ ...request, onEntries, mayRepeat: () => false })
      : await client.checkArchive({ ...request, compareWith, maxAge: 0, depth: 'content' });
  clearInterval(timer);
  http.close();
  process.stdout.write(JSON.stringify({ entries, listed, growth: peak - before }));
}

void run();
