/** Redirects, and where the token goes with them: to the account's origins and nowhere else. */
import should from 'should';
import { MAX_JSON_BYTES, parseObject, readAll } from '../../../src/http/json';
import type { DriveRequest, EngineOptions, RequestEngine } from '../../../src/http/engine';
import { TOKEN } from '../../support/client/test-client';
import { type TestEngine, createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';

const BEARER = `Bearer ${TOKEN}`;

describe('redirects', () => {
  let service: ScriptedService;
  let other: ScriptedService;
  let testEngine: TestEngine;
  let engine: RequestEngine;

  function start(options: Partial<EngineOptions> = {}): void {
    testEngine = createTestEngine(service.url, options);
    ({ engine } = testEngine);
  }
  beforeEach(async () => {
    [service, other] = [await ScriptedService.start(), await ScriptedService.start()];
    other.onRequest(() => ({ body: { from: 'other' } }));
    start();
  });
  afterEach(async () => {
    testEngine.http.close();
    await Promise.all([service.close(), other.close()]);
  });

  const get = (more: Partial<DriveRequest> = {}) =>
    engine.requestOnce({ method: 'GET', url: `${service.url}/x`, ...more }, {}, async ({ body }) =>
      parseObject(await readAll(body, MAX_JSON_BYTES)),
    );
  const persons = (service: ScriptedService) => service.requests.map(({ headers }) => headers.authorization);
  const leadTo = (Location: string, status = 302): void =>
    service.onRequest(({ path }) =>
      path === '/x' ? { status, headers: { Location } } : { body: { from: 'service' } },
    );

  for (const status of [301, 302, 303, 307, 308]) {
    it(`${status} is followed within the origin, with the token`, async () => {
      leadTo('/y', status);
      (await get({ query: { a: 'b' } })).should.deepEqual({ from: 'service' });
      service.requests.map(({ url }) => url).should.deepEqual(['/x?a=b', '/y']);
      persons(service).should.deepEqual([BEARER, BEARER]);
    });
  }

  it('are followed anywhere for content, without the token there', async () => {
    leadTo(`${other.url}/content`);
    await rejected(get(), 'bad_response', 'bad_response_redirect');
    (await get({ redirects: 'anywhere' })).should.deepEqual({ from: 'other' });
    persons(other).should.deepEqual([undefined]);
  });

  it('that lead to the other origin of the account take the token along', async () => {
    testEngine.http.close();
    start({
      service: {
        kind: 'custom',
        baseUrl: service.url,
        uploadUrl: `${other.url}/up`,
        folderMimeType: '',
        driveId: '',
      },
    });
    leadTo(`${other.url}/content`);
    await get({ redirects: 'anywhere' });
    persons(other).should.deepEqual([BEARER]);
  });

  it('to one who asks for another token are an error that no new token helps', async () => {
    const renewed: string[] = [];
    testEngine.http.close();
    start({
      tokens: {
        get: () => Promise.resolve(TOKEN),
        renew: (token) => Promise.resolve((renewed.push(token), 'new')),
      },
    });
    leadTo(`${other.url}/content`);
    other.onRequest(() => ({ status: 401 }));
    const error = await rejected(get({ redirects: 'anywhere' }), 'permission_denied');
    error.should.have.properties({ text: 'permission_denied_elsewhere', status: 401 });
    error.params.should.deepEqual({ status: 401 });
    renewed.should.be.empty();
    other.onRequest(() => ({ status: 404 }));
    await rejected(get({ redirects: 'anywhere' }), 'not_found');
  });

  it('of what changes something are not followed, not even within the origin', async () => {
    leadTo('/y');
    await rejected(get({ method: 'DELETE' }), 'bad_response', 'bad_response_redirect');
    service.requests.map(({ path }) => path).should.deepEqual(['/x']);
  });

  it('are five at most', async () => {
    let left = 5;
    service.onRequest(() =>
      left-- > 0 ? { status: 302, headers: { Location: '/x' } } : { body: { fine: true } },
    );
    (await get()).should.deepEqual({ fine: true });
    left = 6;
    service.requests.length = 0;
    const error = await rejected(get(), 'bad_response', 'bad_response_redirects');
    error.params.should.deepEqual({ limit: 5 });
    service.requests.length.should.equal(6);
  });

  it('are none where the request takes their status for an answer, nor where nothing says where to', async () => {
    leadTo('/y', 308);
    should(
      await engine.requestOnce(
        { method: 'PUT', url: `${service.url}/x`, acceptedStatuses: [308] },
        {},
        ({ status, body }) => {
          body.destroy();
          return Promise.resolve(status);
        },
      ),
    ).equal(308);
    service.onRequest(() => ({ status: 302 }));
    await rejected(get(), 'bad_response', 'bad_response_redirect');
    await rejected(get({ redirects: 'anywhere' }), 'bad_response', 'bad_response_redirect');
    for (const status of [300, 304]) {
      leadTo('/y', status);
      await rejected(get(), 'bad_response', 'bad_response_status');
    }
  });
});
