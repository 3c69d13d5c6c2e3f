/** Restores the file with the given id in its own process, which a test can kill. Prints `done` at the end. */
import { createClientInRealTime } from '../client/test-client';

const [baseUrl = '', fileId = '', path = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl, { bandwidth: 20_000_000 });
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
  });
  http.close();
  process.stdout.write('done\n');
}

void run();
