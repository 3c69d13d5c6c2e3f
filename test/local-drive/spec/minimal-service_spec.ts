/** The minimal service: it supports the API specification and rejects everything else. */
import 'should';
import { TestClock } from '../index';
import { MINIMAL_FOLDER, startMinimalService, type MinimalService } from '../minimal-service';
import { call, TOKEN, type CallOptions } from './drive-fixture';

const CLIENT = { client_id: 'minimal-client', client_secret: 'minimal-secret' };
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

describe('minimal service', () => {
  const clock = new TestClock();
  let service: MinimalService;
  before(async () => {
    service = await startMinimalService({ token: TOKEN, refreshToken: 'refresh', interval: 3, clock });
  });
  after(() => service.close());
  const send = (method: string, path: string, options?: CallOptions) =>
    call(service.url, method, path, options);
  const form = (path: string, fields: Record<string, string>) =>
    send('POST', path, { form: fields, token: '' });
  const files = '/drive/v3/files';
  const multipart = { 'Content-Type': 'multipart/related; boundary=b' };

  it('the minimal service searches by three terms joined with and', async () => {
    const folder = service.add({ name: 'F', mimeType: MINIMAL_FOLDER });
    const id = service.add({ name: "it's 42", parent: folder });
    service.add({ name: 'other', parent: folder });
    const q = String.raw`'${folder}' in parents and name contains '\'s 4'`;
    const found = await send('GET', files, { query: { q, fields: 'files(id,name,trashed)' } });
    found.json.should.deepEqual({ files: [{ id, name: "it's 42" }] });
    const folders = await send('GET', files, {
      query: { q: `'root' in parents and mimeType='${MINIMAL_FOLDER}'` },
    });
    folders.json.should.deepEqual({ files: [{ id: folder, name: 'F' }] });
  });

  for (const query of [
    { q: 'trashed=false' },
    { q: "mimeType = 'a'" },
    { q: "name contains 'a' or name contains 'b'" },
    { q: "name='a'" },
    { q: "mimeType!='a'" },
    { q: '' },
    { pageSize: 10 },
    { pageToken: 'x' },
    { orderBy: 'name' },
    { supportsAllDrives: true },
  ] as Record<string, string | number | boolean>[]) {
    it(`the minimal service rejects a list with ${JSON.stringify(query)}`, async () => {
      (await send('GET', files, { query })).status.should.equal(400);
    });
  }

  it('the minimal service returns user and storageQuota', async () => {
    const response = await send('GET', '/drive/v3/about?fields=user,storageQuota');
    Object.keys(response.json).should.deepEqual(['user', 'storageQuota']);
    (await send('GET', '/drive/v3/about')).status.should.equal(400);
  });

  it('the minimal service returns content but no metadata, and nothing without a token', async () => {
    const id = service.add({ name: 'a', content: 'bytes' });
    (await send('GET', `${files}/${id}?alt=media`)).text.should.equal('bytes');
    (await send('GET', `${files}/${id}`)).status.should.equal(405);
    (await send('GET', `${files}/${id}?fields=id`)).status.should.equal(405);
    (await send('GET', `${files}/${id}?alt=media&acknowledgeAbuse=true`)).status.should.equal(400);
    (await send('GET', `${files}/generateIds`)).status.should.equal(405);
    (await send('GET', `${files}/${id}?alt=media`, { token: '' })).status.should.equal(401);
  });

  it('the minimal service deletes only with a content type and no body', async () => {
    const id = service.add({ name: 'a' });
    const type = { 'Content-Type': 'application/json' };
    (await send('DELETE', `${files}/${id}`)).status.should.equal(400);
    (await send('DELETE', `${files}/${id}`, { json: {} })).status.should.equal(400);
    (await send('DELETE', `${files}/${id}?supportsAllDrives=true`, { headers: type })).status.should.equal(
      400,
    );
    service.files.has(id).should.be.true();
    (await send('DELETE', `${files}/${id}`, { headers: type })).status.should.equal(204);
    service.files.has(id).should.be.false();
    (await send('DELETE', `${files}/${id}`, { headers: type })).status.should.equal(404);
  });

  it('the minimal service accepts multipart uploads only', async () => {
    const body = '--b\r\nContent-Type: application/json\r\n\r\n{"name":"up"}\r\n--b\r\n\r\ncontent\r\n--b--';
    const upload = (query: string) => send('POST', `/upload${files}?${query}`, { body, headers: multipart });
    const made = (await upload('uploadType=multipart')).json;
    String(service.files.get(made.id)?.content).should.equal('content');
    (await upload('uploadType=resumable')).status.should.equal(400);
    (await upload('uploadType=multipart&fields=id')).status.should.equal(400);
    (await send('POST', files, { json: { name: 'x' } })).status.should.equal(404);
    (await send('PATCH', `${files}/x`, { json: {} })).status.should.equal(404);
  });

  it('the minimal service supports the device flow', async () => {
    const started = (await form('/device/code', { client_id: 'minimal-client', scope: 'drive.file' }))
      .json as object as Record<string, string>;
    Object.keys(started)
      .sort()
      .should.deepEqual(['device_code', 'interval', 'user_code', 'verification_url']);
    const poll = () =>
      form('/token', { ...CLIENT, device_code: started.device_code ?? '', grant_type: GRANT });
    (await poll()).json.should.deepEqual({ error: 'authorization_pending' });
    (await poll()).json.should.deepEqual({ error: 'slow_down' });
    clock.advance(8);
    service.approve(started.user_code ?? '').should.be.true();
    const tokens = (await poll()).json as { access_token: string; refresh_token: string };
    Object.keys(tokens).sort().should.deepEqual(['access_token', 'refresh_token']);
    const refreshed = await form('/token', {
      ...CLIENT,
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    Object.keys(refreshed.json).should.deepEqual(['access_token']);
    (await send('GET', files, { token: tokens.access_token })).status.should.equal(200);
  });

  it('the minimal service requires exactly the form fields of the specification', async () => {
    const refresh = { ...CLIENT, grant_type: 'refresh_token', refresh_token: 'refresh' };
    (await form('/token', refresh)).status.should.equal(200);
    (await form('/token', { ...refresh, scope: 'x' })).json.should.deepEqual({ error: 'invalid_request' });
    (await form('/token', { ...refresh, client_secret: 'no' })).json.should.deepEqual({
      error: 'invalid_client',
    });
    (await form('/token', { ...refresh, refresh_token: 'no' })).json.should.deepEqual({
      error: 'invalid_grant',
    });
    (await form('/device/code', { client_id: 'minimal-client' })).status.should.equal(400);
    (await send('POST', '/token', { json: refresh, token: '' })).status.should.equal(400);
    service.requests.to('POST', '/token').length.should.be.above(3);
  });
});
