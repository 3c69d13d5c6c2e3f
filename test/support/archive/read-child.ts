/**
 * Checks, compares or lists the file with the given id in its own process, which a test can kill: `ACTION URL ID [FOLDER]`. Prints
 * the number of entries, `{"entries", "listed"}`, and the measurements.
 */
import { measureClient } from '../client/measured-child';

const [action = '', baseUrl = '', fileId = '', folder = ''] = process.argv.slice(2);
const FILE = { choice: { which: 'file', fileId }, folderId: '', folderName: '', pattern: '*' } as const;

void measureClient(baseUrl, async (client) => {
  const request = { ...FILE, include: [], fields: 'id,name' };
  let listed = 0;
  const onEntries = (entries: object[]): Promise<void> => Promise.resolve(void (listed += entries.length));
  const compareWith = action === 'compare' ? folder : undefined;
  const { entries } =
    action === 'list'
      ? await client.listArchive({ ...request, onEntries, mayRepeat: () => false })
      : await client.checkArchive({ ...request, compareWith, maxAge: 0, depth: 'content' });
  return { entries, listed };
});
