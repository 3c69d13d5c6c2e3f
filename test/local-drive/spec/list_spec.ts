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
    const answer = await service.call('GET', '/drive/v3/files', {
      query: { q, fields: 'files(name)', ...query },
    });
    answer.status.should.equal(200, answer.text);
    return (answer.json as { files: { name: string }[] }).files.map(({ name }) => name);
  };

  it('finds by folder, kind and trash; trashed files are there unless asked away', async () => {
    (await names(`'${folder}' in parents`)).should.have.length(5);
    (await names(`'${folder}' in parents and trashed=false`)).should.not.containEql('Trash me');
    (await names(`'${folder}' in parents and mimeType='${FOLDER}'`)).should.deepEqual(['Sub folder']);
    (await names("'root' in parents")).should.deepEqual(['box']);
    (await names(`mimeType != '${FOLDER}' and trashed = true`)).should.deepEqual(['Trash me']);
    (await names("mimeType contains 'text/'")).should.have.length(1);
  });

  it('finds parts of names in any case, and whole names', async () => {
    (await names("name contains '42'")).should.deepEqual(['backup-2042.tar', 'deep 42']);
    (await names("name contains 'BACKUP'")).should.deepEqual(['backup-2042.tar']);
    (await names("name = 'Deep 42'")).should.deepEqual(['deep 42']);
    (await names(`'${sub}' in parents and name != 'deep 42'`)).should.deepEqual([]);
    (await names(String.raw`name contains 'it\'s a \\'`)).should.have.length(1);
    (await names("name = 'zwei\nzeilen 🙂 ‏עברית'")).should.have.length(1);
  });

  it('finds by times, stars and properties', async () => {
    (await names("modifiedTime < '2020-01-01T00:00:01'")).should.deepEqual(['backup-2042.tar']);
    (await names("modifiedTime = '2020-01-01T01:00:00+01:00'")).should.deepEqual(['backup-2042.tar']);
    (await names("createdTime <= '2020-01-01'")).should.deepEqual([]);
    (await names('starred = true')).should.have.length(1);
    (await names(String.raw`properties has { key='a' and value='b\'c' }`)).should.deepEqual(['deep 42']);
    (await names("appProperties has {key='k' and value='v'}")).should.deepEqual(['deep 42']);
    (await names("appProperties has {key='k' and value='w'}")).should.deepEqual([]);
    (await names("not 'me' in owners")).should.deepEqual([]);
  });

  it('reads + in the address as a blank', async () => {
    const answer = await service.call('GET', `/drive/v3/files?q=name+=+'deep+42'&fields=files(name)`);
    answer.json.files.should.deepEqual([{ name: 'deep 42' }]);
  });

  it('sorts by any key, both ways, several keys', async () => {
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

  it('sorts naturally on request', async () => {
    const numbered = await service.drive.files.addFolder('numbered');
    for (const name of ['12', '1', '22', '2']) await service.drive.files.add({ name, parent: numbered });
    const q = `'${numbered}' in parents`;
    (await names(q, { orderBy: 'name' })).should.deepEqual(['1', '12', '2', '22']);
    (await names(q, { orderBy: 'name_natural' })).should.deepEqual(['1', '2', '12', '22']);
    (await names(q, { orderBy: 'name_natural desc' })).should.deepEqual(['22', '12', '2', '1']);
  });

  it('answers with its default fields, and without any it was not asked for', async () => {
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
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const answer = await service.call('GET', '/drive/v3/files', { query });
      shouldBeError(answer, 400, reason);
      String(answer.json.error.errors[0]?.location).should.equal(location);
    });
  }

  it('accepts the parameters of shared drives; the drive itself, like a folder, may be missing', async () => {
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

describe('local drive: name contains in the way of words', () => {
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
    it(`finds ${found.length} for ${text}`, async () => {
      const query = { q: `name contains '${text}'`, fields: 'files/name' };
      const answer = (await service.call('GET', '/drive/v3/files', { query })).json;
      (answer.files as { name: string }[]).map(({ name }) => name).should.deepEqual(found);
    });
  }
});
