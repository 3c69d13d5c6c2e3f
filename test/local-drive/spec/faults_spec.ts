/**
 * Faults in responses, with the error reasons of the Drive API.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
import 'should';
import type { Fault } from '../index';
import { shouldBeError, useDrive } from './drive-fixture';

describe('local drive: faults', () => {
  const service = useDrive({ refreshToken: 'refresh' });
  const content = 'x'.repeat(1000);
  let id = '';
  before(async () => {
    id = await service.drive.files.add({ name: 'a', content });
  });
  afterEach(() => {
    service.drive.faults.clear();
  });

  const add = (fault: Fault) => service.drive.faults.add(fault);
  const list = () => service.call('GET', '/drive/v3/files');
  const media = () => service.call('GET', `/drive/v3/files/${id}?alt=media`);

  for (const [reason, status] of [
    ['rateLimitExceeded', 403],
    ['userRateLimitExceeded', 403],
    ['tooManyRequests', 429],
    ['backendError', 500],
    ['serviceUnavailable', 503],
    ['notFound', 404],
    ['authError', 401],
    ['storageQuotaExceeded', 403],
  ] as const) {
    it(`the fault error sends ${reason} with ${status}, once`, async () => {
      add({ kind: 'error', reason });
      shouldBeError(await list(), status, reason);
      (await list()).status.should.equal(200);
    });
  }

  it('the fault error supports another status and Retry-After', async () => {
    add({ kind: 'error', reason: 'rateLimitExceeded', status: 429, retryAfter: 7 });
    const response = await list();
    shouldBeError(response, 429, 'rateLimitExceeded');
    String(response.headers.get('retry-after')).should.equal('7');
  });

  it('faults apply to matching requests, from the nth on, as often as given', async () => {
    const fault = add({
      kind: 'error',
      reason: 'backendError',
      times: 2,
      match: { method: 'GET', path: /\/files$/, query: 'fields', nth: 2 },
    });
    const statuses: number[] = [];
    for (const path of [
      'files?fields=kind',
      'files',
      'about?fields=user',
      'files?fields=*',
      'files?fields=kind',
      'files?fields=kind',
    ]) {
      statuses.push((await service.call('GET', `/drive/v3/${path}`)).status);
    }
    statuses.should.deepEqual([200, 200, 200, 500, 500, 200]);
    fault.hits.should.equal(2);
  });

  it('faults can match by a function and be removed', async () => {
    const fault = add({
      kind: 'error',
      reason: 'notFound',
      times: Infinity,
      match: { when: ({ headers }) => headers['x-mark'] === 'y' },
    });
    (await list()).status.should.equal(200);
    const marked = () => service.call('GET', '/drive/v3/files', { headers: { 'X-Mark': 'y' } });
    (await marked()).status.should.equal(404);
    fault.remove();
    (await marked()).status.should.equal(200);
  });

  it('oauthError sends invalid_grant', async () => {
    const form = {
      client_id: 'local-client',
      client_secret: 'local-secret',
      grant_type: 'refresh_token',
      refresh_token: 'refresh',
    };
    add({ kind: 'oauthError', error: 'invalid_grant', match: { path: '^/token$' } });
    const response = await service.call('POST', '/token', { form, token: '' });
    response.status.should.equal(400);
    response.json.error.should.equal('invalid_grant');
    (await service.call('POST', '/token', { form, token: '' })).status.should.equal(200);
  });

  it('response and hugeBody send any body: HTML, empty, unexpected JSON, huge', async () => {
    add({ kind: 'response', status: 502, body: '<html>Bad gateway</html>' });
    const html = await list();
    [html.status, html.text].should.deepEqual([502, '<html>Bad gateway</html>']);
    String(html.headers.get('content-type')).should.startWith('text/html');
    add({ kind: 'response' });
    (await list()).bytes.should.have.length(0);
    add({ kind: 'response', body: { files: 'many' }, headers: { 'X-A': 'b' } });
    const wrong = await list();
    wrong.json.should.deepEqual({ files: 'many' });
    String(wrong.headers.get('x-a')).should.equal('b');
    add({ kind: 'hugeBody', bytes: 3_000_000 });
    const huge = await list();
    huge.bytes.should.have.length(3_000_000);
    huge.json.should.be.a.String();
  });

  it('redirect and headers apply to the same request', async () => {
    add({ kind: 'headers', headers: { 'X-Extra': '1' } });
    add({ kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere', status: 307 });
    const response = await list();
    response.status.should.equal(307);
    String(response.headers.get('location')).should.equal('http://127.0.0.1:9/elsewhere');
    String(response.headers.get('x-extra')).should.equal('1');
  });

  it('several faults apply to the same request', async () => {
    add({ kind: 'headers', headers: { 'X-One': '1' } });
    add({ kind: 'truncate', bytes: 10 });
    add({ kind: 'corrupt', at: 3 });
    const response = await media();
    response.bytes.should.have.length(10);
    (response.bytes[3] ?? 120).should.not.equal(120);
    String(response.headers.get('x-one')).should.equal('1');
  });

  it('unknown faults are rejected, and so are faults over HTTP by default', async () => {
    (() => add({ kind: 'nonsense' } as unknown as Fault)).should.throw(TypeError);
    (await service.call('POST', '/_faults', { json: { kind: 'reset' } })).status.should.equal(404);
  });
});

describe('local drive: faults over HTTP', () => {
  const service = useDrive({ faultsOverHttp: true });

  it('POST /_faults adds a fault and DELETE /_faults removes all', async () => {
    const fault = { kind: 'error', reason: 'backendError', times: 5, match: { path: '/files$' } };
    (await service.call('POST', '/_faults', { json: fault })).status.should.equal(204);
    shouldBeError(await service.call('GET', '/drive/v3/files'), 500, 'backendError');
    (await service.call('DELETE', '/_faults')).status.should.equal(204);
    (await service.call('GET', '/drive/v3/files')).status.should.equal(200);
    shouldBeError(await service.call('POST', '/_faults', { json: { kind: 'x' } }), 400, 'badRequest');
  });
});
