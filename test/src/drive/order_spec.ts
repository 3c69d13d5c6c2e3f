/** The order of search results, where the service doesn't sort. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { type SortOrder, orderByFor, sortPages } from '../../../src/drive/search';
import type { DriveFile, Service } from '../../../src/types';

const FILES: DriveFile[] = [
  { id: 'unnamed' },
  { id: 'b', name: 'file 10', modifiedTime: '2026-11-21T12:00:00Z', size: '5' },
  { id: 'c', name: 'file 9', modifiedTime: '2026-11-20T12:00:00Z', size: '70' },
  { id: 'a', name: 'file 10', modifiedTime: 'yesterday', size: '5' },
];

/** Each file in a page of its own. */
async function sortedIds(sort: SortOrder, files: readonly DriveFile[], limit?: number): Promise<string> {
  async function* pages() {
    for (const file of files) yield await Promise.resolve({ files: [file], incompleteSearch: false });
  }
  const ids: string[] = [];
  for await (const page of sortPages(pages(), sort, limit)) ids.push(...page.files.map(({ id }) => id));
  return ids.join(' ');
}

describe('sortPages', () => {
  const orders: [SortOrder, string, string][] = [
    ['newest', 'files without a valid time last', 'b c unnamed a'],
    ['oldest', 'files without a valid time first', 'unnamed a c b'],
    ['largest', 'files without a size last', 'c a b unnamed'],
    ['name', 'numbers in names compared as numbers', 'unnamed c a b'],
  ];
  for (const [sort, description, expected] of orders) {
    it(`the order ${sort} has ${description}, and files that are equal by name and id`, async () => {
      should(await sortedIds(sort, FILES)).equal(expected);
      should(await sortedIds(sort, [...FILES].reverse())).equal(expected);
    });
  }

  it('a limit keeps the first files and one more', async () => {
    should(await sortedIds('largest', FILES, 1)).equal('c a');
  });

  it('a search without results yields one empty page', async () => {
    async function* none() {
      yield await Promise.resolve({ files: [], incompleteSearch: true });
    }
    const pages = [];
    for await (const page of sortPages(none(), 'name')) pages.push(page);
    should(pages).deepEqual([{ files: [], incompleteSearch: true }]);
  });
});

describe('orderByFor', () => {
  it('only Google Drive sorts, and not by size', () => {
    const by = (kind: keyof typeof CAPABILITIES, sort: SortOrder) =>
      orderByFor({ can: CAPABILITIES[kind] } as Service, sort);
    should(by('google', 'newest')).equal('modifiedTime desc');
    should(by('google', 'largest')).be.undefined();
    should(by('custom', 'newest')).be.undefined();
  });
});
