/** Restores the file with the given id in its own process, and prints `{"entries"}` and the measurements. */
import { measureClient } from '../client/measured-child';

const [baseUrl = '', fileId = '', path = ''] = process.argv.slice(2);

void measureClient(baseUrl, async (client) => {
  const { entries } = await client.restore({
    ...{ choice: { which: 'file', fileId }, folderId: '', folderName: '', pattern: '*', fields: 'id,name' },
    ...{ path, overwrite: 'replace', include: [], maxRatio: 0 },
  });
  return { entries };
});
