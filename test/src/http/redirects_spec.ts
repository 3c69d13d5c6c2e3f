/** Redirects: the token is sent to the account's origins only. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { MAX_JSON_BYTES, parseObject, readAll } from '../../../src/http/json';
import type { DriveRequest, EngineOptions, RequestEngine } from '../../../src/http/engine';
import { TOKEN } from '../../support/client/test-client';
import { type TestEngine, createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';

const BEARER = `Bearer ${TOKEN}`;

describe('RequestEngine redirects', () => {
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
    engine.requestWithoutRetry({ method: 'GET', url: `${service.url}/x`, ...more }, {}, async ({ body }) =>
      parseObject(await readAll(body, MAX_JSON_BYTES)),
    );
  const authorizations = (target: ScriptedService) =>
    target.requests.map(({ headers }) => headers.authorization);
  const redirectTo = (Location: string, status = 302): void =>
    service.onRequest(({ path }) =>
      path === '/x' ? { status, headers: { Location } } : { body: { from: 'service' } },
    );

  for (const status of [301, 302, 303, 307, 308]) {
    it(`RequestEngine follows a ${status} within the origin, with the token`, async () => {
      redirectTo('/y', status);
      (await get({ query: { a: 'b' } })).should.deepEqual({ from: 'service' });
      service.requests.map(({ url }) => url).should.deepEqual(['/x?a=b', '/y']);
      authorizations(service).should.deepEqual([BEARER, BEARER]);
    });
  }

  it('RequestEngine follows redirects of content to another origin, without the token', async () => {
    redirectTo(`${other.url}/content`);
    await rejected(get(), 'bad_response', 'bad_response_redirect');
    (await get({ redirects: 'anywhere' })).should.deepEqual({ from: 'other' });
    authorizations(other).should.deepEqual([undefined]);
  });

  it('RequestEngine sends the token after a redirect to the account’s other origin', async () => {
    testEngine.http.close();
    start({
      service: {
        can: CAPABILITIES.custom,
        baseUrl: service.url,
        uploadUrl: `${other.url}/up`,
        folderMimeType: '',
        driveId: '',
      },
    });
    redirectTo(`${other.url}/content`);
    await get({ redirects: 'anywhere' });
    authorizations(other).should.deepEqual([BEARER]);
  });

  it('RequestEngine does not renew the token after a 401 from another origin', async () => {
    const renewed: string[] = [];
    testEngine.http.close();
    start({
      tokens: {
        get: () => Promise.resolve(TOKEN),
        renew: (token) => Promise.resolve((renewed.push(token), 'new')),
      },
    });
    redirectTo(`${other.url}/content`);
    other.onRequest(() => ({ status: 401 }));
    const error = await rejected(get({ redirects: 'anywhere' }), 'permission_denied');
    error.should.have.properties({ text: 'permission_denied_elsewhere', status: 401 });
    error.params.should.deepEqual({ status: 401 });
    renewed.should.be.empty();
    other.onRequest(() => ({ status: 404 }));
    await rejected(get({ redirects: 'anywhere' }), 'not_found');
  });

  it('RequestEngine follows no redirect of a DELETE, even within the origin', async () => {
    redirectTo('/y');
    await rejected(get({ method: 'DELETE' }), 'bad_response', 'bad_response_redirect');
    service.requests.map(({ path }) => path).should.deepEqual(['/x']);
  });

  it('RequestEngine follows at most five redirects', async () => {
    let remaining = 5;
    service.onRequest(() =>
      remaining-- > 0 ? { status: 302, headers: { Location: '/x' } } : { body: { fine: true } },
    );
    (await get()).should.deepEqual({ fine: true });
    remaining = 6;
    service.requests.length = 0;
    const error = await rejected(get(), 'bad_response', 'bad_response_redirects');
    error.params.should.deepEqual({ limit: 5 });
    service.requests.length.should.equal(6);
  });

  it('RequestEngine does not follow an accepted status, a redirect without Location, 300 or 304', async () => {
    redirectTo('/y', 308);
    should(
      await engine.requestWithoutRetry(
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
      redirectTo('/y', status);
      await rejected(get(), 'bad_response', 'bad_response_status');
    }
  });
});
