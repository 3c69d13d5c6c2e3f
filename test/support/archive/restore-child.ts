/** Restores the file with the given id in its own process, which a test can kill. Prints `done` at the end. */
import { systemClock } from '../../../src/index';
import { DriveClient } from '../../../src/drive-client';
import { HttpClient } from '../../../src/http/client';
import { staticTokens } from '../client/test-client';

const [baseUrl = '', fileId = '', path = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  const http = new HttpClient({ timeout: 10_000 });
  const folderMimeType = 'application/vnd.google-apps.folder';
  const client = new DriveClient({
    http,
    tokens: staticTokens,
    clock: systemClock,
    service: { kind: 'google', baseUrl, uploadUrl: baseUrl, folderMimeType, driveId: '' },
    random: () => 0,
    retryFor: 10_000,
    requestsPerSecond: 1_000,
    maxTransfers: 4,
    bandwidth: 20_000_000,
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
  });
  http.close();
  process.stdout.write('done\n');
}

void run();
