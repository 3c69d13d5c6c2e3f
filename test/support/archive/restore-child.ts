/**
 * Restores the file with the given id in its own process, which a test can kill. Prints `done` at the end. The fourth
 * argument is a file that keeps the records of interrupted swaps, a fifth one leaves out the archive's top folder.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClientInRealTime } from '../client/test-client';

const [baseUrl = '', fileId = '', path = '', recordsFile = '', stripTop = ''] = process.argv.slice(2);

class FileRecords extends Map<string, string> {
  override set(target: string, digest: string): this {
    super.set(target, digest);
    return this.save();
  }

  override delete(target: string): boolean {
    const isDeleted = super.delete(target);
    this.save();
    return isDeleted;
  }

  private save(): this {
    writeFileSync(`${recordsFile}.new`, JSON.stringify([...this]));
    renameSync(`${recordsFile}.new`, recordsFile);
    return this;
  }
}

function loadRecords(): FileRecords {
  const records = new FileRecords();
  if (!existsSync(recordsFile)) return records;
  for (const [target, digest] of JSON.parse(readFileSync(recordsFile, 'utf8')) as [string, string][])
    records.set(target, digest);
  return records;
}

async function run(): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl, {
    bandwidth: 20_000_000,
    swaps: { records: loadRecords() },
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
