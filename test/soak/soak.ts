/**
 * `npm run test:soak -- [--messages 20000] [--in-flight 8] [--token-lifetime 2]`. Prints a table and all problems, and
 * fails if there are any.
 */
import { parseArgs } from 'node:util';
import { problemsOf, soakTable } from './report';
import { runSoak } from './run-soak';

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { messages: text, 'in-flight': text, 'token-lifetime': text } });
  const result = await runSoak({
    messages: Number(values.messages ?? 20_000),
    inFlight: Number(values['in-flight'] ?? 8),
    tokenLifetime: Number(values['token-lifetime'] ?? 2),
    onSample: (messages, { heapUsed, rss }) => {
      const [heap, whole] = [heapUsed, rss].map((bytes) => (bytes / 1e6).toFixed(1));
      process.stderr.write(`${messages} messages, heap ${heap} MB, rss ${whole} MB\n`);
    },
  });
  process.stdout.write(`${soakTable(result)}\n`);
  for (const problem of problemsOf(result)) {
    process.stdout.write(`${problem}\n`);
    process.exitCode = 1;
  }
}

void main();
