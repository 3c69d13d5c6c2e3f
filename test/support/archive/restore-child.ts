/**
 * Restores the file with the given id in its own process, which a test can kill. Prints `done` at the end. The fourth
 * argument is a file that keeps the records of interrupted swaps, a fifth one leaves out the archive's top folder.
 */
import { createClientInRealTime } from '../client/test-client';
import { FileRecords } from './file-records';

const [baseUrl = '', fileId = '', path = '', recordsFile = '', stripTop = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl, {
    bandwidth: 20_000_000,
    swaps: { records: FileRecords.load(recordsFile) },
  });
  process.stdout.write('started\n');
  await client.restore({
    choice: { which: 'file', fileId },
    folderId: '',
    folderName: '',
    pattern: '*',
    fields: 'id,name',
    path,
    overwrite: 'replace',
    include: [],
    stripTop: stripTop !== '',
  });
  http.close();
  process.stdout.write('done\n');
}

void run();
