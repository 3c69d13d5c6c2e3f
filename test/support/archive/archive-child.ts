/** Archives a folder in its own process, which a test can run as another user. Prints the summary as JSON. */
import { archiveContent } from '../../../src/backup/archive/archive-content';
import { newSummary } from '../../../src/backup/archive/write-tar';

async function run(source: string): Promise<void> {
  const summary = newSummary();
  const content = archiveContent({ sources: [source], exclude: [], compression: 'none' }, summary);
  let bytes = 0;
  for await (const chunk of content) bytes += chunk.length;
  process.stdout.write(JSON.stringify({ ...summary, archived: bytes }));
}

void run(process.argv[2] ?? '');
