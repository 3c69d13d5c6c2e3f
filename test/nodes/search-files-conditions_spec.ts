/** Conditions of search-files from the message, and those of Google Drive only: docs/nodes/search-files.md. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { TOKEN } from '../local-drive/spec/drive-fixture';
import { officialClient } from '../local-drive/spec/official-client';
import { useDrive } from '../support/node-red/flow-drive';
import { type Ending, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const DAY = 86_400_000;

describe('search files node with conditions', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN, nameMatch: 'word' });
  let folder: string;

  before(async () => {
    folder = await drive().files.addFolder('parent');
    const add = (name: string, age: number, more: object = {}) =>
      drive().files.add({
        ...{ name, parent: folder, content: 'x'.repeat(age), modifiedTime: Date.now() - age * DAY },
        ...more,
      });
    await add('new.txt', 1, { starred: true });
    await add('middle-42.pdf', 20);
    await add('old.txt', 40);
    await add('theirs.txt', 5, { parent: undefined, sharedBy: 'ana@example.org' });
  });
  beforeEach(() => drive().requests.clear());

  const run = async (
    more: object,
    msg: object = {},
    service: 'google' | 'custom' = 'google',
  ): Promise<Ending> => {
    await helper.unload();
    const settings = { folder: 'folder', textType: 'str', text: '', fields: 'name', sort: 'name', ...more };
    const node = { id: 'n', type: 'cloud-drive-search-files', ...settings };
    const flow = await load([node], { url: drive().url, service });
    return flow.run('n', { folder, ...msg });
  };
  const found = async (more: object, msg: object = {}): Promise<string[]> =>
    (passed(await run(more, msg)).payload as { name: string }[]).map(({ name }) => name);
  const lists = () => drive().requests.to('GET', '/files');

  it('search-files asks for bytes instead of a size with a unit', async () => {
    for (const property of ['minSize', 'maxSize'])
      failed(await run({ [property]: '1 MB' }), 'invalid_input', property, "'1 MB'", 'bytes', '1000000');
    drive().requests.all.should.be.empty();
  });

  it('search-files takes conditions from the message, as dates, numbers or texts', async () => {
    const now = Date.now();
    const cases: [property: string, value: unknown, names: string[]][] = [
      ['modifiedAfter', new Date(now - 30 * DAY), ['middle-42.pdf', 'new.txt']],
      ['modifiedAfter', now - 30 * DAY, ['middle-42.pdf', 'new.txt']],
      ['modifiedBefore', '30 days', ['old.txt']],
      ['minSize', 30, ['old.txt']],
      ['maxSize', '10', ['new.txt']],
      ['mimeType', 'text/plain', ['new.txt', 'old.txt']],
      ['limit', 1, ['middle-42.pdf']],
      ['minSize', '', ['middle-42.pdf', 'new.txt', 'old.txt']],
    ];
    for (const [property, value, names] of cases) {
      const settings = { [property]: 'condition', [`${property}Type`]: 'msg' };
      (await found(settings, { condition: value })).should.deepEqual(names, property);
    }
  });

  it('search-files names a condition of the wrong type, and sends nothing', async () => {
    const wrong: [property: string, value: unknown, shown: string][] = [
      ['modifiedAfter', { a: 1 }, '{a}'],
      ['modifiedBefore', 'soon', "'soon'"],
      ['minSize', true, 'boolean true'],
      ['maxSize', 'big', "'big'"],
      ['limit', -1, 'number -1'],
      ['mimeType', 5, 'number 5'],
      ['mimeType', 'picture', "'picture'"],
    ];
    for (const [property, value, shown] of wrong) {
      const settings = { [property]: 'condition', [`${property}Type`]: 'msg' };
      failed(await run(settings, { condition: value }), 'invalid_input', property, shown);
      failed(await run(settings), 'invalid_input', property, 'undefined');
    }
    lists().should.be.empty();
  });

  it('search-files finds starred and shared files as the official client does', async () => {
    const { client, here } = officialClient(drive().url);
    for (const where of ['sharedWithMe', 'starred']) {
      const names = await found({ where, folder: '', folderType: 'str' });
      const { data } = await client.files.list({ q: `${where}=true`, fields: 'files(name)' }, here);
      should(names).deepEqual(data.files?.map(({ name }) => name));
      names.should.have.length(1);
    }
  });

  it('search-files combines a query with the other criteria, as the official client finds them', async () => {
    const query = "name contains 'old' or name contains 'theirs'";
    (await found({ query })).should.deepEqual(['old.txt']);
    const { client, here } = officialClient(drive().url);
    const q = `(${query}) and '${folder}' in parents`;
    const { data } = await client.files.list({ q, fields: 'files(name)' }, here);
    should(data.files).deepEqual([{ name: 'old.txt' }]);
    (await found({ query, recursive: true })).should.deepEqual(['old.txt']);
  });

  it('search-files rejects a query that is not closed before sending, and reports what Google Drive rejects', async () => {
    for (const query of ["name contains 'a", "trashed=true) or (name contains 'a'", '((starred=true)'])
      failed(await run({ query }), 'invalid_input', 'quote or parenthesis');
    lists().should.be.empty();
    const refused = 'rejected the query (invalid): “color = blue”';
    const words = 'says: “Invalid Value (q)”';
    failed(await run({ query: 'color = blue' }), 'invalid_input', refused, words);
    const more = { query: 'starred=true', fields: 'id,nope' };
    failed(await run(more), 'bad_response', "rejected fields (invalidParameter): 'id,nope'.");
  });

  it('search-files sends a custom service neither a query nor where', async () => {
    for (const more of [{ where: 'starred' }, { query: 'starred=true' }])
      failed(await run(more, {}, 'custom'), 'invalid_input', 'works only with Google Drive');
    lists().should.be.empty();
  });

  it('without a folder, contains is the search of Google Drive', async () => {
    const everywhere = { folder: '', folderType: 'str' };
    (await found({ ...everywhere, text: 'iddle' })).should.deepEqual([]);
    should(lists()[0]?.params.get('q')).containEql("name contains 'iddle'");
    (await found({ text: 'iddle' })).should.deepEqual(['middle-42.pdf']);
  });

  it('a flow without the types of conditions keeps its values', async () => {
    (await found({ modifiedBefore: '30 days', limit: 5, minSize: '' })).should.deepEqual(['old.txt']);
  });
});
