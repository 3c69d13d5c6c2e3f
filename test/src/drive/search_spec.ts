/** The queries of a search: https://developers.google.com/workspace/drive/api/guides/search-files */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { ODD_NAMES, collectFiles, driveFixture } from '../../support/client/drive-fixture';
import { type SortOrder, orderByFor, sortPages, type SearchRequest } from '../../../src/drive/search';
import type { DriveFile, Service } from '../../../src/types';
import 'should';
import fc from 'fast-check';
import { checkAsyncProperty } from '../../support/property';

describe('search', () => {
  const fixture = driveFixture();
  const SEARCH = { text: '', kind: 'files', includeTrashed: false, fields: 'id,name' } as const;
  const lists = () => fixture.drive.requests.to('GET', /\/files$/);

  it('search finds names with quotes, backslashes, newlines and emoji, and only those', async () => {
    const folderId = await fixture.drive.files.addFolder("folder's \\ name");
    const ids = new Map<string, string>();
    for (const name of ODD_NAMES)
      ids.set(name, await fixture.drive.files.add({ name, parent: folderId, content: 'x' }));
    for (const name of ODD_NAMES) {
      const found = await collectFiles(fixture.client.search({ ...SEARCH, folderId, text: name }));
      found.should.containEql({ id: ids.get(name), name });
      for (const file of found) should(file.name).containEql(name);
    }
  });

  it('search encodes spaces in the query as plus signs', async () => {
    await collectFiles(fixture.client.search({ ...SEARCH, text: 'a b' }));
    should(lists()[0]?.query).containEql('name+contains+');
    should(lists()[0]?.query).containEql('a+b');
    should(lists()[0]?.query).not.match(/%20/);
  });

  it('search returns files, folders or both, and trashed ones only with includeTrashed', async () => {
    const folderId = await fixture.drive.files.addFolder('kinds');
    await fixture.drive.files.add({ name: 'file', parent: folderId, content: 'x' });
    await fixture.drive.files.addFolder('folder', folderId);
    await fixture.client.trash(
      await fixture.drive.files.add({ name: 'old', parent: folderId, content: 'x' }),
    );
    const names = async (more: object) =>
      (await collectFiles(fixture.client.search({ ...SEARCH, folderId, ...more })))
        .map(({ name }) => name)
        .sort();
    (await names({})).should.deepEqual(['file']);
    (await names({ kind: 'folders' })).should.deepEqual(['folder']);
    (await names({ kind: 'any' })).should.deepEqual(['file', 'folder']);
    (await names({ kind: 'any', includeTrashed: true })).should.deepEqual(['file', 'folder', 'old']);
    (await names({ orderBy: 'name desc', kind: 'any' })).should.deepEqual(['file', 'folder']);
    should(lists().at(-1)?.params.get('orderBy')).equal('name desc');
  });

  it('search without a folder covers the whole drive', async () => {
    const folderId = await fixture.drive.files.addFolder('deep');
    await fixture.drive.files.add({ name: 'only-one-9137', parent: folderId, content: 'x' });
    (await collectFiles(fixture.client.search({ ...SEARCH, text: '9137' }))).length.should.equal(1);
    should(lists()[0]?.params.get('q')).not.match(/parents/);
  });

  it('search filters by kind and trash itself at a custom service, and returns only the requested fields', async () => {
    const folderId = await fixture.drive.files.addFolder('custom');
    await fixture.drive.files.add({ name: 'file', parent: folderId, content: 'x' });
    await fixture.drive.files.addFolder('folder', folderId);
    await fixture.client.trash(
      await fixture.drive.files.add({ name: 'old', parent: folderId, content: 'x' }),
    );
    fixture.client.service.can = CAPABILITIES.custom;
    fixture.drive.requests.clear();
    const found = await collectFiles(fixture.client.search({ ...SEARCH, folderId, fields: 'name' }));
    found.should.deepEqual([{ name: 'file' }]);
    should(lists()[0]?.params.get('q')).equal(`'${folderId}' in parents`);
  });
});

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

const FOLDER = 'application/vnd.google-apps.folder';
const DAY = 86_400_000;
const NEWEST = Date.parse('2026-11-21T02:00:00.000Z');

interface SeededFile {
  id: string;
  name: string;
  /** Of the folder that contains it; 1 for the top folder. */
  depth: number;
  mimeType: string;
  size: number | undefined;
  time: number;
  trashed: boolean;
}

/** Three levels with files of several kinds are enough to distinguish all criteria. */
const NAMES = [
  'backup-2042.tar',
  'Backup 7.TAR',
  'photo.jpg',
  'Caf\u00e9 42.txt',
  'Cafe\u0301 42.txt',
  'empty',
];
const TYPES = [
  'application/x-tar',
  'application/x-tar',
  'image/jpeg',
  'text/plain',
  'text/plain',
  'image/png',
];

describe('recursive search', () => {
  const fixture = driveFixture({ nameMatch: 'word' });
  const seeded: SeededFile[] = [];
  let top = '';
  const base = { text: '', kind: 'files', includeTrashed: false, fields: 'id', recursive: true } as const;
  const find = (more: Partial<SearchRequest>) =>
    collectFiles(fixture.client.search({ ...base, folderId: top, ...more }));
  const lists = () => fixture.drive.requests.to('GET', /\/files$/);

  before(async () => {
    top = await fixture.drive.files.addFolder('top');
    let folders = [top];
    let count = 0;
    for (let depth = 1; depth <= 3; depth++) {
      const next: string[] = [];
      for (const folder of folders) {
        for (const [index, name] of NAMES.entries()) await add(folder, depth, name, index, count++);
        for (const name of ['42 folder', 'other']) next.push(await addFolder(folder, depth, name));
      }
      folders = next;
    }
    const old = await addFolder(top, 1, 'old 42', true);
    await add(old, 2, 'inside 42', 0, count, true);
  });

  async function add(
    parent: string,
    depth: number,
    name: string,
    index: number,
    count: number,
    trashed = false,
  ): Promise<void> {
    const time = NEWEST - count * DAY;
    const content = 'x'.repeat(index * 100);
    const mimeType = TYPES[index] ?? '';
    const id = await fixture.drive.files.add({ name, parent, content, mimeType, modifiedTime: time });
    seeded.push({ id, name, depth, mimeType, size: content.length, time, trashed });
  }

  async function addFolder(parent: string, depth: number, name: string, trashed = false): Promise<string> {
    const time = NEWEST - depth * DAY;
    const id = await fixture.drive.files.add({ name, parent, mimeType: FOLDER, modifiedTime: time, trashed });
    seeded.push({ id, name, depth, mimeType: FOLDER, size: undefined, time, trashed });
    return id;
  }

  it('a recursive search finds the files of all subfolders down to maxDepth', async () => {
    const files = seeded.filter(({ mimeType, trashed }) => mimeType !== FOLDER && !trashed);
    (await find({})).length.should.equal(files.length);
    for (const maxDepth of [1, 2, 3]) {
      const expected = files.filter(({ depth }) => depth <= maxDepth).length;
      (await find({ maxDepth })).length.should.equal(expected, `depth ${maxDepth}`);
    }
  });

  it('a recursive search sends one request per level, and another for subfolders if the service filters', async () => {
    await find({});
    lists().length.should.equal(4);
    fixture.drive.requests.clear();
    (await find({ query: "name contains 'Caf'" })).length.should.be.above(0);
    lists().length.should.equal(8);
    fixture.drive.requests.clear();
    await find({ text: 'Caf' });
    lists().length.should.equal(4);
  });

  it('contains finds text in the middle of a word in a folder, but not without one', async () => {
    const names = async (more: Partial<SearchRequest>) =>
      new Set((await find({ fields: 'name', text: '42', ...more })).map(({ name }) => name));
    [...(await names({}))].should.containEql('backup-2042.tar');
    const everywhere = { folderId: undefined, recursive: false };
    [...(await names(everywhere))].should.not.containEql('backup-2042.tar');
    [...(await names({ ...everywhere, match: 'anywhere' }))].should.containEql('backup-2042.tar');
  });

  it('a recursive search finds names in NFC and in NFD', async () => {
    const found = await find({ text: 'caf\u00e9', match: 'anywhere', maxDepth: 1, fields: 'name' });
    found.map(({ name }) => name).should.deepEqual(['Caf\u00e9 42.txt', 'Cafe\u0301 42.txt']);
  });

  it('a recursive search sorts its results and returns one file more than the limit', async () => {
    const expected = seeded.filter(({ mimeType, trashed }) => mimeType !== FOLDER && !trashed);
    const newest = expected.sort((a, b) => b.time - a.time).map(({ id }) => id);
    const ids = (files: DriveFile[]) => files.map(({ id }) => id);
    ids(await find({ sort: 'newest' })).should.deepEqual(newest);
    ids(await find({ sort: 'newest', limit: 5 })).should.deepEqual(newest.slice(0, 6));
    ids(await find({ sort: 'oldest', limit: 3 })).should.deepEqual(newest.reverse().slice(0, 4));
    const sizes = (await find({ sort: 'largest', fields: 'size', maxDepth: 1 })).map(({ size }) => size);
    sizes.should.deepEqual(['500', '400', '300', '200', '100', '0']);
    const names = (await find({ sort: 'name', fields: 'name', maxDepth: 1 })).map(({ name }) => name);
    names.slice(0, 2).should.deepEqual(['Backup 7.TAR', 'backup-2042.tar']);
  });

  it('a flat search lets the service sort if it supports the order', async () => {
    await find({ recursive: false, sort: 'newest' });
    should(lists()[0]?.params.get('orderBy')).equal('modifiedTime desc');
    fixture.drive.requests.clear();
    await find({ recursive: false, sort: 'largest' });
    should(lists()[0]?.params.get('orderBy')).equal(null);
  });

  it('a recursive search ends if a folder contains itself', async () => {
    const page = {
      files: [
        { id: top, mimeType: FOLDER },
        { id: 'x', mimeType: 'a/b' },
      ],
    };
    fixture.drive.faults.add({ kind: 'response', status: 200, body: page, times: Infinity });
    (await find({})).should.deepEqual([{ id: 'x' }]);
  });

  it('a recursive search reports that a list of folders may be incomplete', async () => {
    fixture.drive.faults.add({ kind: 'incompleteSearch' });
    let incomplete = false;
    for await (const page of fixture.client.search({ ...base, folderId: top, text: 'x' })) {
      incomplete ||= page.incompleteSearch;
    }
    incomplete.should.equal(true);
  });

  const criteria = fc.record({
    text: fc.constantFrom('', '42', 'backup', 'photo.jpg', 'Caf\u00e9 42.txt', '*42*', '[!b]*.t*'),
    match: fc.constantFrom<SearchRequest['match'] & string>('anywhere', 'exact', 'glob'),
    kind: fc.constantFrom<SearchRequest['kind']>('files', 'folders', 'any'),
    includeTrashed: fc.boolean(),
    maxDepth: fc.integer({ min: 0, max: 4 }),
    caseSensitive: fc.boolean(),
    mimeType: fc.constantFrom('', 'image/*', 'text/plain', FOLDER),
    modifiedAfter: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
    modifiedBefore: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
    minSize: fc.option(fc.constantFrom(0, 100, 101), { nil: undefined }),
    maxSize: fc.option(fc.constantFrom(0, 400), { nil: undefined }),
  });

  for (const kind of ['google', 'custom'] as const) {
    it(`a recursive search finds the same files as a check of each file at a ${kind} service`, async () => {
      fixture.client.service.can = CAPABILITIES[kind];
      await checkAsyncProperty(
        fc.asyncProperty(criteria, async ({ modifiedAfter, modifiedBefore, minSize, maxSize, ...plain }) => {
          const more: Partial<SearchRequest> = {
            ...plain,
            modifiedAfter: modifiedAfter === undefined ? undefined : NEWEST - modifiedAfter * DAY,
            modifiedBefore: modifiedBefore === undefined ? undefined : NEWEST - modifiedBefore * DAY,
            minSize,
            maxSize,
          };
          const found = (await find(more)).map(({ id }) => id).sort();
          const expected = seeded.filter((file) => matches(file, more)).map(({ id }) => id);
          found.should.deepEqual(expected.sort());
        }),
        60,
      );
    });
  }
});

function matches(file: SeededFile, criteria: Partial<SearchRequest>): boolean {
  const { kind = 'files', maxDepth = 0, mimeType = '' } = criteria;
  if (maxDepth > 0 && file.depth > maxDepth) return false;
  if (file.trashed && !criteria.includeTrashed) return false;
  if (kind !== 'any' && (file.mimeType === FOLDER) !== (kind === 'folders')) return false;
  if (mimeType.endsWith('*') ? !file.mimeType.startsWith('image/') : mimeType && mimeType !== file.mimeType)
    return false;
  if (criteria.modifiedAfter !== undefined && file.time < criteria.modifiedAfter) return false;
  if (criteria.modifiedBefore !== undefined && file.time >= criteria.modifiedBefore) return false;
  if (criteria.minSize !== undefined && !(file.size !== undefined && file.size >= criteria.minSize))
    return false;
  if (criteria.maxSize !== undefined && !(file.size !== undefined && file.size <= criteria.maxSize))
    return false;
  return nameMatches(file.name.normalize('NFC'), criteria);
}

function nameMatches(
  name: string,
  { match, text = '', caseSensitive = false }: Partial<SearchRequest>,
): boolean {
  if (text === '') return true;
  if (match === 'exact') return name === text;
  const [subject, pattern] = caseSensitive ? [name, text] : [name.toLowerCase(), text.toLowerCase()];
  if (match === 'anywhere') return subject.includes(pattern);
  if (pattern === '*42*') return subject.includes('42');
  if (pattern === '[!b]*.t*') return !subject.startsWith('b') && subject.slice(1).includes('.t');
  return subject === pattern;
}
