/** The name, time and size filters of search-files: docs/nodes/search-files.md. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const DAY = 86_400_000;
const search = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-search-files', ...more });

describe('search files node with filters', () => {
  useNodeRed();
  const drive = useDrive({ nameMatch: 'word' });
  let parent: string;

  before(async () => {
    parent = await drive().files.addFolder('parent');
    const subfolder = await drive().files.addFolder('below', parent);
    const now = Date.now();
    const add = (name: string, age: number, folder = parent, mimeType = 'application/x-tar') =>
      drive().files.add({
        name,
        parent: folder,
        content: 'x'.repeat(age),
        mimeType,
        modifiedTime: now - age * DAY,
      });
    await add('backup-2042.tar', 1);
    await add('backup-2043.TAR', 40);
    await add('notes.txt', 20, parent, 'text/plain');
    await add('deep-42.tar', 3, subfolder);
  });

  for (const service of ['custom', 'google'] as const) {
    const found = async (more: object, text: string): Promise<string[]> => {
      const flow = await load([search({ fields: 'name', ...more })], { url: drive().url, service });
      const sent = passed(await flow.run('n', { payload: { folderId: parent, text } }));
      await helper.unload();
      return (sent.payload as { name: string }[]).map(({ name }) => name);
    };

    describe(`at a ${service} service`, () => {
      it('search-files finds 42 in backup-2042.tar in a folder, where Google Drive itself would not', async () => {
        (await found({ match: 'anywhere' }, '42')).should.deepEqual(['backup-2042.tar']);
        // A custom service compares itself, here only beginnings of words.
        const inFolder = service === 'google' ? ['backup-2042.tar'] : [];
        (await found({ match: 'contains' }, '42')).should.deepEqual(inFolder);
        (await found({ match: 'contains' }, 'BACKUP-2042')).should.deepEqual(['backup-2042.tar']);
      });

      it('search-files matches globs, regular expressions and exact names, with and without case', async () => {
        const sorted = { sort: 'name' };
        const both = ['backup-2042.tar', 'backup-2043.TAR'];
        (await found({ ...sorted, match: 'glob' }, '*.tar')).should.deepEqual(both);
        (await found({ match: 'glob', caseSensitive: true }, '*.tar')).should.deepEqual(['backup-2042.tar']);
        (await found({ ...sorted, match: 'regex' }, '^backup-\\d{4}\\.tar$')).should.deepEqual(both);
        (await found({ match: 'exact' }, 'backup-2043.tar')).should.deepEqual([]);
        (await found({ match: 'exact' }, 'backup-2043.TAR')).should.deepEqual(['backup-2043.TAR']);
      });

      it('search-files filters by time, size and MIME type, recursively and sorted', async () => {
        (await found({ modifiedAfter: '30 days', sort: 'newest', recursive: true }, '')).should.deepEqual([
          'backup-2042.tar',
          'deep-42.tar',
          'notes.txt',
        ]);
        (await found({ modifiedBefore: '30 days' }, '')).should.deepEqual(['backup-2043.TAR']);
        (await found({ minSize: 2, maxSize: '20' }, '')).should.deepEqual(['notes.txt']);
        (await found({ mimeType: 'text/*' }, '')).should.deepEqual(['notes.txt']);
        (await found({ recursive: true, maxDepth: 1, sort: 'largest' }, '')).should.deepEqual([
          'backup-2043.TAR',
          'notes.txt',
          'backup-2042.tar',
        ]);
      });
    });
  }

  it('search-files sends the first files of a sorted search and sets truncated', async () => {
    const flow = await load([search({ fields: 'name', limit: 2, sort: 'largest', recursive: true })], {
      url: drive().url,
    });
    const sent = passed(await flow.run('n', { payload: { folderId: parent, text: '' } }));
    should(sent.payload).deepEqual([{ name: 'backup-2043.TAR' }, { name: 'notes.txt' }]);
    should(sent['truncated']).equal(true);
  });

  const rejected: [string, object, string, string][] = [
    [
      'an invalid regular expression',
      { match: 'regex' },
      '(',
      "The regular expression ( in text isn't valid: Unterminated group.",
    ],
    [
      'an invalid time',
      { modifiedAfter: 'yesterday' },
      'x',
      "modifiedAfter must be a time, but got 'yesterday'",
    ],
    ['an open bracket', { match: 'glob' }, 'a[1*', "The pattern a[1* in text isn't valid"],
    [
      'an invalid size',
      { minSize: 'much' },
      'x',
      "minSize must be a number of bytes, such as 1000000 for 1 MB, but got 'much'",
    ],
    ['an unknown sort order', { sort: 'random' }, 'x', "Use one of: '', newest"],
  ];
  for (const [description, more, text, words] of rejected) {
    it(`search-files rejects ${description} without any request`, async () => {
      const flow = await load([search(more)], { url: drive().url });
      drive().requests.clear();
      failed(await flow.run('n', { payload: { folderId: parent, text } }), 'invalid_input', words);
      drive().requests.all.length.should.equal(0);
    });
  }

  it('search-files stops a pattern that takes too long and handles the next message', async () => {
    const hostile = await drive().files.addFolder('hostile');
    await drive().files.add({ name: `${'a'.repeat(200)}!`, parent: hostile, content: 'x' });
    const flow = await load([search({ match: 'regex' })], { url: drive().url });
    const slow = await flow.run('n', { payload: { folderId: hostile, text: '^(a+)+$' } });
    failed(slow, 'invalid_input', 'in text took more than 500 ms');
    passed(await flow.run('n', { payload: { folderId: hostile, text: '^a' } }));
  });
});
