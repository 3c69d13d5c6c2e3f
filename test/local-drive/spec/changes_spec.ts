/** The changes feed. https://developers.google.com/workspace/drive/api/reference/rest/v3/changes/list */
import 'should';
import { shouldBeError, useDrive } from './drive-fixture';

interface Changes {
  nextPageToken?: string;
  newStartPageToken?: string;
  changes: { fileId: string; removed: boolean; file?: { name: string; trashed?: boolean } }[];
}

describe('local drive: changes', () => {
  const service = useDrive();
  const start = async (): Promise<string> =>
    ((await service.call('GET', '/drive/v3/changes/startPageToken')).json as { startPageToken: string })
      .startPageToken;
  const since = async (pageToken: string, query: Record<string, string | number> = {}): Promise<Changes> => {
    const response = await service.call('GET', '/drive/v3/changes', { query: { pageToken, ...query } });
    response.status.should.equal(200, response.text);
    return response.json;
  };

  it('the changes feed lists each changed file once, with its latest change', async () => {
    const token = await start();
    const empty = await since(token);
    empty.changes.should.deepEqual([]);
    String(empty.newStartPageToken).should.equal(token);
    const [a, b] = [
      await service.drive.files.add({ name: 'a' }),
      await service.drive.files.add({ name: 'b' }),
    ];
    await service.call('PATCH', `/drive/v3/files/${a}`, { json: { name: 'a2' } });
    const { changes, newStartPageToken = '' } = await since(token);
    changes
      .map(({ fileId, removed, file }) => [fileId, removed, file?.name])
      .should.deepEqual([
        [b, false, 'b'],
        [a, false, 'a2'],
      ]);
    (await since(newStartPageToken)).changes.should.deepEqual([]);
  });

  it('the changes feed misses no change made during a request', async () => {
    let token = await start();
    const created: string[] = [];
    const seen = new Set<string>();
    const add = async (): Promise<void> => {
      for (let index = 0; index < 20; index++)
        created.push(await service.drive.files.add({ name: `n${created.length}`, content: 'x' }));
    };
    const poll = async (): Promise<void> => {
      const { changes, newStartPageToken = token } = await since(token, { fields: '*' });
      for (const { fileId } of changes) seen.add(fileId);
      token = newStartPageToken;
    };
    for (let round = 0; round < 20; round++) await Promise.all([add(), poll(), add()]);
    await poll();
    created.filter((id) => !seen.has(id)).should.deepEqual([]);
  });

  it('the changes feed reports deleted files with includeRemoved, but not trashed ones, as removed', async () => {
    const folder = await service.drive.files.addFolder('f');
    const inner = await service.drive.files.add({ name: 'inner', parent: folder });
    const token = await start();
    await service.call('PATCH', `/drive/v3/files/${folder}`, { json: { trashed: true } });
    const fields = 'newStartPageToken,changes(removed,fileId,file(name,trashed),time)';
    const trashed = await since(token, { fields });
    trashed.changes.map(({ removed, file }) => [removed, file?.trashed]).should.deepEqual([[false, true]]);
    await service.call('DELETE', `/drive/v3/files/${folder}`);
    const { changes } = await since(token);
    changes
      .map(({ fileId, removed }) => [fileId, removed])
      .should.deepEqual([
        [inner, true],
        [folder, true],
      ]);
    changes.forEach((each) => each.should.not.have.property('file'));
    (await since(token, { includeRemoved: 'false' })).changes.should.deepEqual([]);
  });

  it('only the last page of changes has a newStartPageToken', async () => {
    const token = await start();
    for (const name of ['1', '2', '3', '4', '5']) await service.drive.files.add({ name });
    const names: (string | undefined)[] = [];
    let page = await since(token, { pageSize: 2 });
    for (; page.nextPageToken; page = await since(page.nextPageToken, { pageSize: 2 })) {
      page.should.not.have.property('newStartPageToken');
      names.push(...page.changes.map(({ file }) => file?.name));
    }
    names.push(...page.changes.map(({ file }) => file?.name));
    names.should.deepEqual(['1', '2', '3', '4', '5']);
    String(page.newStartPageToken).should.equal(await start());
  });

  it('changes.list rejects unknown shared drives and spaces', async () => {
    const where = { driveId: '0AB', supportsAllDrives: 'true' };
    const first = await service.call('GET', '/drive/v3/changes/startPageToken', { query: where });
    shouldBeError(first, 404, 'notFound');
    const list = { pageToken: '1', includeItemsFromAllDrives: 'true' };
    const there = (query: Record<string, string>) => service.call('GET', '/drive/v3/changes', { query });
    shouldBeError(await there({ ...list, ...where }), 404, 'notFound');
    shouldBeError(await there({ ...list, spaces: 'photos' }), 400, 'invalid');
    shouldBeError(await there({ ...list, restrictToMyDrive: 'maybe' }), 400, 'invalidParameter');
    shouldBeError(await there({ ...list, spaces: 'appDataFolder' }), 403, 'insufficientScopes');
  });

  it('changes.list rejects invalid page tokens', async () => {
    for (const pageToken of ['', 'x', '0', '-1', '999999999', '1.5']) {
      shouldBeError(await service.call('GET', '/drive/v3/changes', { query: { pageToken } }), 400, 'invalid');
    }
    shouldBeError(await service.call('GET', '/drive/v3/changes'), 400, 'invalid');
    const [first = {}] = (await since('1')).changes;
    first.should.have.properties({
      kind: 'drive#change',
      changeType: 'file',
      removed: false,
    });
  });
});
