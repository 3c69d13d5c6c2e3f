/** How many folders of a level are listed with one query. */
import { mkdir } from 'node:fs/promises';
import 'should';
import { createTestClient } from '../../support/client/test-client';
import { useDisk } from '../../support/disk';
import { useScriptedService } from '../../support/http/scripted-service';
import { SYNC_DEFAULTS } from '../../support/sync/sync-fixture';

const FOLDER = 'application/vnd.google-apps.folder';
/** As in src/sync/build-plan.ts. */
const MAX_LISTS = 4;

interface Entry {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
}

const entries = (count: number, parent: string, mimeType = FOLDER): Entry[] =>
  Array.from({ length: count }, (_, index) => {
    const name = `${mimeType === FOLDER ? 'folder' : 'file'}${String(index).padStart(5, '0')}`;
    return { id: `${parent}-${name}`, name, mimeType, parents: [parent] };
  });

describe('the batches in which folders on the drive are listed', () => {
  const service = useScriptedService();
  const disk = useDisk();

  /** @returns the number of folders in each query, by name, while the response with the folder `last` comes late */
  async function batchSizes(content: ReadonlyMap<string, Entry[]>, last = ''): Promise<number[]> {
    service.requests.length = 0;
    let open = (): void => undefined;
    const laterOnes = new Promise<void>((resolve) => (open = resolve));
    let arrivedLater = 0;
    let isHeld = false;
    service.onRequest(async ({ query }) => {
      const ids = idsIn(query);
      if (isHeld && ++arrivedLater === MAX_LISTS - 1) open();
      if (ids.includes(last)) {
        isHeld = true;
        await laterOnes;
      }
      return { body: { files: ids.flatMap((id) => content.get(id) ?? []) } };
    });
    const test = createTestClient(service.url);
    await mkdir(disk('target'), { recursive: true });
    const request = { ...SYNC_DEFAULTS, direction: 'down', folderId: 'top', dryRun: true } as const;
    await test.client.sync({ ...request, localPath: disk('target') });
    test.close();
    const queries = service.requests.map(({ query }) => idsIn(query));
    // Those of several batches arrive in any order.
    return queries.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)).map(({ length }) => length);
  }

  const idsIn = (query: URLSearchParams): string[] =>
    [...(query.get('q') ?? '').matchAll(/'([^']+)' in parents/g)].map(([, id = '']) => id);

  it('folders are listed in the same batches, whichever response arrives first', async () => {
    const folders = entries(500, 'top');
    const content = new Map([['top', folders]]);
    // The second batch has most of the files.
    for (const { id } of folders.slice(8, 58)) content.set(id, entries(150, id, 'text/plain'));
    const sizes = await batchSizes(content);
    sizes.slice(0, 7).should.eql([1, 8, 50, 50, 50, 50, 31]);
    (await batchSizes(content, folders[8]?.id)).should.eql(sizes);
  });

  it('many files in a folder don’t make the batches of its subfolders smaller', async () => {
    const content = new Map([['top', [...entries(200, 'top'), ...entries(4_000, 'top', 'text/plain')]]]);
    (await batchSizes(content)).should.eql([1, 1, 50, 50, 50, 49]);
  });
});
