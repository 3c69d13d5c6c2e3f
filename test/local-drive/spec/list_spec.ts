/** Search and order. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
import 'should';
import { shouldBeError, useDrive } from './drive-fixture';

const FOLDER = 'application/vnd.google-apps.folder';

describe('local drive: search', () => {
  const service = useDrive();
  let folder = '';
  let sub = '';

  before(async () => {
    const { files } = service.drive;
    folder = await files.addFolder('box');
    sub = await files.addFolder('Sub folder', folder);
    const old = Date.parse('2020-01-01T00:00:00Z');
    await files.add({ name: 'backup-2042.tar', parent: folder, content: 'x', modifiedTime: old });
    await files.add({ name: "it's a \\ name", parent: folder, content: 'yy', starred: true });
    await files.add({ name: 'Trash me', parent: folder, trashed: true });
    await files.add({ name: 'deep 42', parent: sub, properties: { a: "b'c" }, appProperties: { k: 'v' } });
    await files.add({ name: 'zwei\nzeilen 🙂 ‏עברית', parent: folder, mimeType: 'text/plain' });
  });

  const names = async (q: string, query: Record<string, string | number> = {}): Promise<string[]> => {
    const response = await service.call('GET', '/drive/v3/files', {
      query: { q, fields: 'files(name)', ...query },
    });
    response.status.should.equal(200, response.text);
    return (response.json as { files: { name: string }[] }).files.map(({ name }) => name);
  };

  it('q selects by parent, MIME type and trashed; trashed files are included by default', async () => {
    (await names(`'${folder}' in parents`)).should.have.length(5);
    (await names(`'${folder}' in parents and trashed=false`)).should.not.containEql('Trash me');
    (await names(`'${folder}' in parents and mimeType='${FOLDER}'`)).should.deepEqual(['Sub folder']);
    (await names("'root' in parents")).should.deepEqual(['box']);
    (await names(`mimeType != '${FOLDER}' and trashed = true`)).should.deepEqual(['Trash me']);
    (await names("mimeType contains 'text/'")).should.have.length(1);
  });

  it('q selects by name and part of a name, ignoring case', async () => {
    (await names("name contains '42'")).should.deepEqual(['backup-2042.tar', 'deep 42']);
    (await names("name contains 'BACKUP'")).should.deepEqual(['backup-2042.tar']);
    (await names("name = 'Deep 42'")).should.deepEqual(['deep 42']);
    (await names(`'${sub}' in parents and name != 'deep 42'`)).should.deepEqual([]);
    (await names(String.raw`name contains 'it\'s a \\'`)).should.have.length(1);
    (await names("name = 'zwei\nzeilen 🙂 ‏עברית'")).should.have.length(1);
  });

  it('q selects by time, starred and properties', async () => {
    (await names("modifiedTime < '2020-01-01T00:00:01'")).should.deepEqual(['backup-2042.tar']);
    (await names("modifiedTime = '2020-01-01T01:00:00+01:00'")).should.deepEqual(['backup-2042.tar']);
    (await names("createdTime <= '2020-01-01'")).should.deepEqual([]);
    (await names('starred = true')).should.have.length(1);
    (await names(String.raw`properties has { key='a' and value='b\'c' }`)).should.deepEqual(['deep 42']);
    (await names("appProperties has {key='k' and value='v'}")).should.deepEqual(['deep 42']);
    (await names("appProperties has {key='k' and value='w'}")).should.deepEqual([]);
    (await names("not 'me' in owners")).should.deepEqual([]);
  });

  it('+ in the query is a space', async () => {
    const response = await service.call('GET', `/drive/v3/files?q=name+=+'deep+42'&fields=files(name)`);
    response.json.files.should.deepEqual([{ name: 'deep 42' }]);
  });

  it('orderBy sorts by any key, in both directions, and by several keys', async () => {
    const inFolder = `'${folder}' in parents and trashed = false`;
    String((await names(inFolder, { orderBy: 'name desc' }))[0]).should.startWith('zwei');
    (await names(inFolder, { orderBy: 'folder,modifiedTime' }))
      .slice(0, 2)
      .should.deepEqual(['Sub folder', 'backup-2042.tar']);
    String((await names(inFolder, { orderBy: 'quotaBytesUsed desc, name' }))[0]).should.equal(
      "it's a \\ name",
    );
    String((await names(inFolder, { orderBy: 'starred desc' }))[0]).should.equal("it's a \\ name");
    for (const key of ['createdTime', 'modifiedByMeTime', 'recency', 'sharedWithMeTime', 'viewedByMeTime']) {
      (await names(inFolder, { orderBy: key })).should.have.length(4);
    }
  });

  it('orderBy name_natural sorts numbers naturally', async () => {
    const numbered = await service.drive.files.addFolder('numbered');
    for (const name of ['12', '1', '22', '2']) await service.drive.files.add({ name, parent: numbered });
    const q = `'${numbered}' in parents`;
    (await names(q, { orderBy: 'name' })).should.deepEqual(['1', '12', '2', '22']);
    (await names(q, { orderBy: 'name_natural' })).should.deepEqual(['1', '2', '12', '22']);
    (await names(q, { orderBy: 'name_natural desc' })).should.deepEqual(['22', '12', '2', '1']);
  });

  it('files.list returns its default fields, or only the requested ones', async () => {
    const q = "name = 'deep 42'";
    const plain = (await service.call('GET', '/drive/v3/files', { query: { q } })).json;
    Object.keys(plain).sort().should.deepEqual(['files', 'incompleteSearch', 'kind']);
    Object.keys(plain.files[0] as object)
      .sort()
      .should.deepEqual(['id', 'kind', 'mimeType', 'name']);
    const some = (await service.call('GET', '/drive/v3/files', { query: { q, fields: 'files/parents' } }))
      .json;
    some.should.deepEqual({ files: [{ parents: [sub] }] });
  });

  for (const [query, reason, location] of [
    [{ q: "fullText contains 'x'" }, 'invalid', 'q'],
    [{ q: 'name' }, 'invalid', 'q'],
    [{ fields: 'files(nope)' }, 'invalidParameter', 'fields'],
    [{ orderBy: 'size' }, 'invalid', 'orderBy'],
    [{ orderBy: 'name up' }, 'invalid', 'orderBy'],
    [{ pageSize: 0 }, 'invalidParameter', 'pageSize'],
    [{ pageSize: 1001 }, 'invalidParameter', 'pageSize'],
    [{ pageSize: 'x' }, 'invalidParameter', 'pageSize'],
    [{ pageToken: 'x' }, 'invalid', 'pageToken'],
    [{ pageToken: '~!!~e30' }, 'invalid', 'pageToken'],
    [{ corpora: 'drive' }, 'invalidParameter', 'driveId'],
    [{ spaces: 'nowhere' }, 'invalid', 'spaces'],
  ] as [Record<string, string | number>, string, string][]) {
    it(`files.list rejects ${JSON.stringify(query)}`, async () => {
      const response = await service.call('GET', '/drive/v3/files', { query });
      shouldBeError(response, 400, reason);
      String(response.json.error.errors[0]?.location).should.equal(location);
    });
  }

  it('files.list accepts shared drive parameters; unknown drives and parents are 404', async () => {
    (
      await names("name = 'box'", {
        corpora: 'allDrives',
        includeItemsFromAllDrives: 'true',
        supportsAllDrives: 'true',
      })
    ).should.deepEqual(['box']);
    const query = { corpora: 'drive', driveId: 'gone' };
    shouldBeError(await service.call('GET', '/drive/v3/files', { query }), 404, 'notFound');
    shouldBeError(
      await service.call('GET', '/drive/v3/files', { query: { q: "'gone' in parents" } }),
      404,
      'notFound',
    );
  });
});

describe('local drive: nameMatch word', () => {
  const service = useDrive({ nameMatch: 'word' });

  before(async () => {
    for (const name of ['backup-2042.tar', '42 things', 'HelloWorld'])
      await service.drive.files.add({ name });
  });

  for (const [text, found] of [
    ['42', ['42 things']],
    ['2042', ['backup-2042.tar']],
    ['hello', ['HelloWorld']],
    ['world', []],
    ['TAR', ['backup-2042.tar']],
  ] as [string, string[]][]) {
    it(`name contains ${text} matches ${found.length} by words`, async () => {
      const query = { q: `name contains '${text}'`, fields: 'files/name' };
      const response = (await service.call('GET', '/drive/v3/files', { query })).json;
      (response.files as { name: string }[]).map(({ name }) => name).should.deepEqual(found);
    });
  }
});
