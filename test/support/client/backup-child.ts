/**
 * Backs up a folder in its own process, and prints `{"number", "changed", "skipped"}` and the measurements. With a
 * number of archives to keep, it removes older ones permanently.
 */
import { tmpdir } from 'node:os';
import { Calendar } from '../../../src/index';
import { measureClient } from './measured-child';

const [baseUrl = '', folderId = '', source = '', recipient = '', keepNewest = '0'] = process.argv.slice(2);

const NO_RULES = { keepDays: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, minimum: 1 };

void measureClient(baseUrl, async (client) => {
  const { backup } = await client.backup({
    ...{ sources: [source], folderId, targetName: '{name}-{number}', exclude: [], compression: 'gzip' },
    encryption: recipient === '' ? undefined : { recipients: [recipient] },
    retention: { ...NO_RULES, keepNewest: Number(keepNewest) },
    mode: 'permanent',
    ...{ calendar: new Calendar(''), host: '', temporaryFolder: tmpdir(), fields: 'id' },
  });
  const { number, changed, skipped } = backup;
  return { number, changed, skipped };
});
