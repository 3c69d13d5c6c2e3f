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
  let wire: ScriptedService;
  let other: ScriptedService;
  let under: TestEngine;
  let engine: RequestEngine;

  function start(options: Partial<EngineOptions> = {}): void {
    under = createTestEngine(wire.url, options);
    ({ engine } = under);
  }
  beforeEach(async () => {
    [wire, other] = [await ScriptedService.start(), await ScriptedService.start()];
    other.on(() => ({ body: { from: 'other' } }));
    start();
  });
  afterEach(async () => {
    under.http.close();
    await Promise.all([wire.close(), other.close()]);
  });

  const get = (more: Partial<DriveRequest> = {}) =>
    engine.requestOnce({ method: 'GET', url: `${wire.url}/x`, ...more }, {}, async ({ body }) =>
      parseObject(await readAll(body, MAX_JSON_BYTES)),
    );
  const persons = (service: ScriptedService) => service.seen.map(({ headers }) => headers.authorization);
  const leadTo = (Location: string, status = 302): void =>
    wire.on(({ path }) => (path === '/x' ? { status, headers: { Location } } : { body: { from: 'wire' } }));

  for (const status of [301, 302, 303, 307, 308]) {
    it(`${status} is followed within the origin, with the token`, async () => {
      leadTo('/y', status);
      (await get({ query: { a: 'b' } })).should.deepEqual({ from: 'wire' });
      wire.seen.map(({ url }) => url).should.deepEqual(['/x?a=b', '/y']);
      persons(wire).should.deepEqual([BEARER, BEARER]);
    });
  }

  it('are followed anywhere for content, without the token there', async () => {
    leadTo(`${other.url}/content`);
    await rejected(get(), 'bad_response', 'bad_response_redirect');
    (await get({ redirects: 'anywhere' })).should.deepEqual({ from: 'other' });
    persons(other).should.deepEqual([undefined]);
  });

  it('that lead to the other origin of the account take the token along', async () => {
    under.http.close();
    start({
      service: {
        kind: 'custom',
        baseUrl: wire.url,
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
    under.http.close();
    start({
      tokens: {
        get: () => Promise.resolve(TOKEN),
        renew: (token) => Promise.resolve((renewed.push(token), 'new')),
      },
    });
    leadTo(`${other.url}/content`);
    other.on(() => ({ status: 401 }));
    const error = await rejected(get({ redirects: 'anywhere' }), 'permission_denied');
    error.should.have.properties({ text: 'permission_denied_elsewhere', status: 401 });
    error.params.should.deepEqual({ status: 401 });
    renewed.should.be.empty();
    other.on(() => ({ status: 404 }));
    await rejected(get({ redirects: 'anywhere' }), 'not_found');
  });

  it('of what changes something are not followed, not even within the origin', async () => {
    leadTo('/y');
    await rejected(get({ method: 'DELETE' }), 'bad_response', 'bad_response_redirect');
    wire.seen.map(({ path }) => path).should.deepEqual(['/x']);
  });

  it('are five at most', async () => {
    let left = 5;
    wire.on(() => (left-- > 0 ? { status: 302, headers: { Location: '/x' } } : { body: { fine: true } }));
    (await get()).should.deepEqual({ fine: true });
    left = 6;
    wire.seen.length = 0;
    const error = await rejected(get(), 'bad_response', 'bad_response_redirects');
    error.params.should.deepEqual({ limit: 5 });
    wire.seen.length.should.equal(6);
  });

  it('are none where the request takes their status for an answer, nor where nothing says where to', async () => {
    leadTo('/y', 308);
    should(
      await engine.requestOnce(
        { method: 'PUT', url: `${wire.url}/x`, acceptedStatuses: [308] },
        {},
        ({ status, body }) => {
          body.destroy();
          return Promise.resolve(status);
        },
      ),
    ).equal(308);
    wire.on(() => ({ status: 302 }));
    await rejected(get(), 'bad_response', 'bad_response_redirect');
    await rejected(get({ redirects: 'anywhere' }), 'bad_response', 'bad_response_redirect');
    for (const status of [300, 304]) {
      leadTo('/y', status);
      await rejected(get(), 'bad_response', 'bad_response_status');
    }
  });
});
