/**
 * Creating, reading, updating, copying and deleting files.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import 'should';
import { TestClock } from '../index';
import { shouldBeError, useDrive, type ResponseJson } from './drive-fixture';

const FOLDER = 'application/vnd.google-apps.folder';
const EVERYTHING = { fields: '*' };

describe('local drive: files', () => {
  const clock = new TestClock();
  const service = useDrive({ clock });
  const post = async (json: object, query: Record<string, string> = EVERYTHING): Promise<ResponseJson> => {
    const response = await service.call('POST', '/drive/v3/files', { json, query });
    response.status.should.equal(200, response.text);
    return response.json;
  };
  const patch = (id: string, json: object, query: Record<string, string> = EVERYTHING) =>
    service.call('PATCH', `/drive/v3/files/${id}`, { json, query });
  const get = (id: string, query: Record<string, string> = EVERYTHING) =>
    service.call('GET', `/drive/v3/files/${id}`, { query });
  const metadata = async (id: string): Promise<ResponseJson> => (await get(id)).json;

  it('files.create creates a folder in My Drive, which has the alias root and no parent', async () => {
    const folder = await post({ name: 'Box', mimeType: FOLDER });
    const root = await metadata('root');
    root.should.have.properties({ name: 'My Drive', id: service.drive.files.rootId });
    root.should.not.have.property('parents');
    folder.parents.should.deepEqual([root.id]);
    folder.should.not.have.properties(['size', 'md5Checksum', 'headRevisionId', 'webContentLink']);
    folder.should.have.property('quotaBytesUsed', '0');
  });

  it('int64 values are strings, and times have milliseconds', async () => {
    const id = await service.drive.files.add({ name: 'a.tar.gz', content: 'hello' });
    const file = await metadata(id);
    file.should.have.properties({
      kind: 'drive#file',
      size: '5',
      quotaBytesUsed: '5',
      version: '1',
      mimeType: 'application/gzip',
      md5Checksum: '5d41402abc4b2a76b9719d911017c592',
      sha256Checksum: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      createdTime: '2024-05-17T10:00:00.000Z',
      modifiedTime: '2024-05-17T10:00:00.000Z',
      fileExtension: 'gz',
      fullFileExtension: 'tar.gz',
      trashed: false,
      ownedByMe: true,
    });
    const [owner = {}] = file.owners;
    owner.should.have.properties(['kind', 'displayName', 'emailAddress', 'permissionId', 'me']);
  });

  it('files.create returns four fields by default', async () => {
    const file = await post({ name: 'x' }, {});
    Object.keys(file).sort().should.deepEqual(['id', 'kind', 'mimeType', 'name']);
  });

  it('names may be arbitrary and repeated; the default is Untitled', async () => {
    for (const name of ['a/b', '..', 'line\nline', "it's \\", '🙂‏א', '']) {
      (await post({ name })).name.should.equal(name);
      (await post({ name })).name.should.equal(name);
    }
    (await post({})).name.should.equal('Untitled');
  });

  it('creating a file with a used generated id is a conflict, even after a delete', async () => {
    const { ids, kind } = (await service.call('GET', '/drive/v3/files/generateIds?count=3')).json;
    kind.should.equal('drive#generatedIds');
    ids.should.have.length(3);
    const [id] = ids as [string];
    (await post({ id, name: 'once' })).id.should.equal(id);
    shouldBeError(await service.call('POST', '/drive/v3/files', { json: { id } }), 409, 'conflict');
    (await service.call('DELETE', `/drive/v3/files/${id}`)).status.should.equal(204);
    shouldBeError(await service.call('POST', '/drive/v3/files', { json: { id } }), 409, 'conflict');
    shouldBeError(await service.call('POST', '/drive/v3/files', { json: { id: 'mine' } }), 400, 'invalid');
    (await service.call('GET', '/drive/v3/files/generateIds')).json.ids.should.have.length(10);
    shouldBeError(
      await service.call('GET', '/drive/v3/files/generateIds?count=1001'),
      400,
      'invalidParameter',
    );
  });

  it('files.create rejects parents that are missing, not folders, or more than one', async () => {
    const file = await post({ name: 'no folder' });
    const create = (parents: unknown) => service.call('POST', '/drive/v3/files', { json: { parents } });
    shouldBeError(await create(['gone']), 404, 'notFound');
    shouldBeError(await create([file.id]), 403, 'parentNotAFolder');
    shouldBeError(await create(['root', 'root']), 400, 'invalid');
    shouldBeError(await create('root'), 400, 'invalid');
  });

  for (const [field, value] of Object.entries({
    name: 1,
    mimeType: {},
    starred: 'true',
    modifiedTime: 'today',
    properties: 'a',
    appProperties: { a: 1 },
  })) {
    it(`files.create rejects an invalid ${field}`, async () => {
      shouldBeError(
        await service.call('POST', '/drive/v3/files', { json: { [field]: value } }),
        400,
        'invalid',
      );
    });
  }

  it('files.create rejects read-only fields, invalid bodies and unknown fields in the mask', async () => {
    const send = (body: string, type = 'application/json') =>
      service.call('POST', '/drive/v3/files', { body, headers: { 'Content-Type': type } });
    shouldBeError(await send('{"size":"1"}'), 403, 'fieldNotWritable');
    shouldBeError(await send('{"name":'), 400, 'parseError');
    shouldBeError(await send('[]'), 400, 'badRequest');
    shouldBeError(await send('name=a', 'application/x-www-form-urlencoded'), 400, 'badRequest');
    const masked = await service.call('POST', '/drive/v3/files?fields=nope', {
      json: { name: 'never made' },
    });
    shouldBeError(masked, 400, 'invalidParameter');
    service.drive.files.names('root').should.not.containEql('never made');
  });

  it('renaming changes modifiedTime; starring and trashing do not', async () => {
    const { id, modifiedTime } = await post({ name: 'old', properties: { a: '1', b: '2' } });
    clock.advance(60);
    (await patch(id, { starred: true, trashed: true })).json.should.have.properties({
      starred: true,
      trashed: true,
      modifiedTime,
      version: '2',
    });
    (await patch(id, { name: 'new', properties: { a: null, c: '3' } })).json.should.have.properties({
      name: 'new',
      properties: { b: '2', c: '3' },
      modifiedTime: new Date(clock.now()).toISOString(),
    });
    const time = '2001-02-03T04:05:06.789Z';
    (await patch(id, { modifiedTime: time })).json.should.have.property('modifiedTime', time);
    shouldBeError(await patch('gone', {}), 404, 'notFound');
  });

  it('files.update moves files; an id both added and removed stays', async () => {
    const [a, b] = [await service.drive.files.addFolder('a'), await service.drive.files.addFolder('b')];
    const { id } = await post({ name: 'mover', parents: [a] });
    const move = async (addParents: string, removeParents: string) =>
      (await patch(id, {}, { addParents, removeParents, fields: 'parents' })).json;
    (await move(b, a)).should.deepEqual({ parents: [b] });
    (await move(b, b)).should.deepEqual({ parents: [b] });
    (await move('root', b)).should.deepEqual({ parents: [service.drive.files.rootId] });
    (await move('', 'root')).should.deepEqual({});
    (await move(a, '')).should.deepEqual({ parents: [a] });
    shouldBeError(await patch(id, {}, { addParents: b }), 403, 'cannotAddParent');
    shouldBeError(await patch(id, {}, { addParents: 'gone' }), 404, 'notFound');
    shouldBeError(await patch(id, { parents: [b] }), 403, 'fieldNotWritable');
  });

  it('moving a folder into itself, and moving, trashing or deleting My Drive, is rejected', async () => {
    const outer = await service.drive.files.addFolder('outer');
    const inner = await service.drive.files.addFolder('inner', outer);
    const root = service.drive.files.rootId;
    shouldBeError(
      await patch(outer, {}, { addParents: inner, removeParents: 'root' }),
      403,
      'cyclicalParent',
    );
    shouldBeError(await patch('root', {}, { addParents: inner }), 403, 'insufficientFilePermissions');
    shouldBeError(await patch('root', { trashed: true }), 403, 'insufficientFilePermissions');
    shouldBeError(
      await service.call('DELETE', `/drive/v3/files/${root}`),
      403,
      'insufficientFilePermissions',
    );
  });

  it('files.delete deletes a folder with all its contents and responds 204 without a body', async () => {
    const folder = await service.drive.files.addFolder('doomed');
    const inner = await service.drive.files.addFolder('inner', folder);
    const file = await service.drive.files.add({ name: 'f', parent: inner, content: 'x' });
    const response = await service.call('DELETE', `/drive/v3/files/${folder}`);
    response.status.should.equal(204);
    response.bytes.should.have.length(0);
    for (const id of [folder, inner, file]) shouldBeError(await get(id), 404, 'notFound');
    shouldBeError(await service.call('DELETE', `/drive/v3/files/${folder}`), 404, 'notFound');
  });

  it('files in a trashed folder are trashed, and emptyTrash deletes them', async () => {
    const folder = await service.drive.files.addFolder('to trash');
    const file = await service.drive.files.add({ name: 'inside', parent: folder });
    await patch(folder, { trashed: true });
    (await metadata(file)).should.have.properties({ trashed: true, explicitlyTrashed: false });
    (await service.call('DELETE', '/drive/v3/files/trash')).status.should.equal(204);
    shouldBeError(await get(file), 404, 'notFound');
  });

  it('files.copy copies content and metadata independently of the source', async () => {
    const id = await service.drive.files.add({ name: 'source', content: 'bytes', description: 'd' });
    const copy = (await service.call('POST', `/drive/v3/files/${id}/copy`, { json: {}, query: EVERYTHING }))
      .json;
    copy.should.have.properties({ name: 'Copy of source', description: 'd', size: '5' });
    copy.md5Checksum.should.equal((await metadata(id)).md5Checksum);
    await service.call('DELETE', `/drive/v3/files/${id}`);
    (await get(copy.id, { alt: 'media' })).text.should.equal('bytes');
    const folder = await service.drive.files.addFolder('no copy');
    const refused = await service.call('POST', `/drive/v3/files/${folder}/copy`, { json: {} });
    shouldBeError(refused, 403, 'cannotCopyFile');
  });

  it('files.copy accepts an unused generated id, except for Workspace documents', async () => {
    const source = await service.drive.files.add({ name: 'source', content: 'bytes' });
    const [id = ''] = (await service.call('GET', '/drive/v3/files/generateIds?count=1')).json.ids;
    const copy = (of: string, json: object) => service.call('POST', `/drive/v3/files/${of}/copy`, { json });
    (await copy(source, { id, name: 'copy' })).json.should.have.properties({ id, name: 'copy' });
    shouldBeError(await copy(source, { id }), 409, 'conflict');
    shouldBeError(await copy(source, { id: 'mine' }), 400, 'invalid');
    const { id: document } = await post({ mimeType: 'application/vnd.google-apps.document' });
    const [another] = (await service.call('GET', '/drive/v3/files/generateIds?count=1')).json.ids;
    shouldBeError(await copy(document, { id: another }), 400, 'invalid');
    (await copy(document, {})).status.should.equal(200);
  });

  it('drives.list is empty by default, and unknown URLs are 404', async () => {
    const drives = (await service.call('GET', '/drive/v3/drives')).json as object;
    drives.should.deepEqual({ kind: 'drive#driveList', drives: [] });
    shouldBeError(await service.call('GET', '/drive/v3/drives/x'), 404, 'notFound');
    shouldBeError(await service.call('GET', '/drive/v3/nothing'), 404, 'notFound');
  });
});
