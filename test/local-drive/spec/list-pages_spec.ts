/**
 * Pages list each file once, whatever changes between them.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import 'should';
import { shouldBeError, useDrive } from './drive-fixture';

interface Page {
  nextPageToken?: string;
  files: { name: string }[];
}

describe('local drive: pages', () => {
  const service = useDrive({ pageSizeDefault: 7 });
  const page = async (query: Record<string, string | number>): Promise<Page> => {
    const fields = 'nextPageToken,files(name)';
    const response = await service.call('GET', '/drive/v3/files', { query: { fields, ...query } });
    response.status.should.equal(200, response.text);
    return response.json;
  };
  const all = async (query: Record<string, string | number>, between?: (page: Page) => Promise<void>) => {
    const names: string[] = [];
    let pages = 0;
    let pageToken: string | undefined;
    do {
      const response = await page({ ...query, ...(pageToken !== undefined && { pageToken }) });
      names.push(...response.files.map(({ name }) => name));
      pageToken = response.nextPageToken;
      pages += 1;
      await between?.(response);
    } while (pageToken !== undefined);
    return { names, pages };
  };
  const fill = async (count: number): Promise<string> => {
    const folder = await service.drive.files.addFolder(`of ${count}`);
    const name = (index: number) => `f${String(index).padStart(6, '0')}`;
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        service.drive.files.add({ name: name(index), parent: folder }),
      ),
    );
    return `'${folder}' in parents`;
  };

  it('pages contain every item once, whatever the page size and order', async () => {
    const q = await fill(25);
    const forwards = Array.from({ length: 25 }, (_, index) => `f${String(index).padStart(6, '0')}`);
    (await all({ q })).should.deepEqual({ names: forwards, pages: 4 });
    (await all({ q, pageSize: 25 })).should.deepEqual({ names: forwards, pages: 1 });
    (await all({ q, pageSize: 24 })).should.deepEqual({ names: forwards, pages: 2 });
    (await all({ q, orderBy: 'name desc', pageSize: 10 })).names.should.deepEqual([...forwards].reverse());
    (await all({ q, orderBy: 'name_natural', pageSize: 1 })).should.deepEqual({ names: forwards, pages: 25 });
    const byTime = await all({ q, orderBy: 'folder,modifiedTime desc', pageSize: 3 });
    byTime.names.sort().should.deepEqual(forwards);
  });

  it('pages neither repeat nor skip items when files are created and deleted between them', async () => {
    const q = await fill(30);
    const folder = /'(.*)'/.exec(q)?.[1] ?? '';
    const { names } = await all({ q, orderBy: 'name', pageSize: 5 }, async ({ files }) => {
      const [first] = files;
      const deleted = service.drive.files.in(folder).find(({ name }) => name === first?.name);
      if (deleted) (await service.call('DELETE', `/drive/v3/files/${deleted.id}`)).status.should.equal(204);
      await service.drive.files.add({ name: 'a comes before all', parent: folder });
    });
    names.should.deepEqual(Array.from({ length: 30 }, (_, index) => `f${String(index).padStart(6, '0')}`));
  });

  it('nextPageToken is returned by default and if requested in fields', async () => {
    const q = await fill(10);
    const without = await service.call('GET', '/drive/v3/files', { query: { q, fields: 'files(name)' } });
    Object.keys(without.json).should.deepEqual(['files']);
    const defaults = await service.call('GET', '/drive/v3/files', { query: { q } });
    defaults.json.nextPageToken.should.be.a.String();
  });

  it('a page token of another search or order is rejected', async () => {
    const q = await fill(10);
    const { nextPageToken = '' } = await page({ q });
    for (const query of [{ q: 'trashed = false' }, { q, orderBy: 'name' }] as Record<string, string>[]) {
      const response = await service.call('GET', '/drive/v3/files', {
        query: { ...query, pageToken: nextPageToken },
      });
      shouldBeError(response, 400, 'invalid');
    }
  });

  it('shortPage returns short or empty pages that are not the last', async () => {
    const q = await fill(10);
    service.drive.faults.add({ kind: 'shortPage', items: 0, match: { path: '/files$' } });
    service.drive.faults.add({ kind: 'shortPage', items: 2, match: { path: '/files$', nth: 2 } });
    const sizes: number[] = [];
    const { names } = await all({ q }, ({ files }) => Promise.resolve(void sizes.push(files.length)));
    sizes.should.deepEqual([0, 2, 7, 1]);
    names.should.have.length(10);
  });

  it('the fault incompleteSearch sets incompleteSearch', async () => {
    service.drive.faults.add({ kind: 'incompleteSearch' });
    const response = await service.call('GET', '/drive/v3/files');
    response.json.incompleteSearch.should.be.true();
  });

  it('files.list returns 20,000 files in pages of 1,000', async () => {
    const q = await fill(20_000);
    const { names, pages } = await all({ q, pageSize: 1000, orderBy: 'name desc' });
    pages.should.equal(20);
    new Set(names).size.should.equal(20_000);
    String(names[0]).should.equal('f019999');
  });
});
