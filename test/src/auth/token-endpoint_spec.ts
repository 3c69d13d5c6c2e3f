/** The token endpoint and its refusals: RFC 6749 sections 5 and 6, RFC 7009. */
import should from 'should';
import { safeReason, refreshTokens, revokeToken, parseTokenResponse } from '../../../src/auth/token-endpoint';
import { HttpClient } from '../../../src/http/client';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';

describe('token endpoint', () => {
  let service: ScriptedService;
  let http: HttpClient;

  beforeEach(async () => {
    service = await ScriptedService.start();
    http = new HttpClient({ timeout: 1_000 });
  });
  afterEach(async () => {
    http.close();
    await service.close();
  });

  const end = () => revokeToken({ http, clock: new FakeClock() }, `${service.url}/revoke`, 'T/+');

  it('ends a token by a form', async () => {
    service.onRequest(() => ({ body: {} }));
    await end();
    should(service.requests[0]?.method).equal('POST');
    should(service.requests[0]?.headers['content-type']).equal('application/x-www-form-urlencoded');
    should(service.requests[0]?.body.toString()).equal('token=T%2F%2B');
  });

  it('says that it could not', async () => {
    service.onRequest(() => ({ status: 400, body: { error: 'invalid_token' } }));
    await rejected(end(), 'bad_response');
    service.onRequest(() => 'reset');
    await rejected(end(), 'network');
  });

  for (const [expiresIn, expiresAt] of [
    [3600, 3_601_000],
    ['3600', 3_601_000],
    ['3600.0', 3_601_000],
    [' 3600', 3_601_000],
    [0, undefined],
    [-5, undefined],
    [undefined, undefined],
  ] as const) {
    it(`takes ${JSON.stringify(expiresIn)} as a lifetime`, () => {
      const tokens = parseTokenResponse(
        { access_token: 'A', refresh_token: 'R', expires_in: expiresIn },
        1_000,
      );
      should(tokens.expiresAt).equal(expiresAt);
      tokens.refreshToken.should.equal('R');
    });
  }

  for (const expiresIn of ['3600s', 'in 3600', '', '-1', '1e3', 'NaN', true, null, [3600], {}]) {
    it(`treats expires_in ${JSON.stringify(expiresIn)} as missing, so that a rotated refresh token is saved`, () => {
      const body = { access_token: 'A', refresh_token: 'rotated', expires_in: expiresIn };
      parseTokenResponse(body, 1_000).should.eql({ accessToken: 'A', refreshToken: 'rotated' });
    });
  }

  describe('a renewal', () => {
    const renew = () =>
      refreshTokens(
        { http, clock: new FakeClock() },
        { clientId: 'id', clientSecret: 'secret', tokenUrl: `${service.url}/token` },
        'R',
      );

    it('asks for JSON', async () => {
      service.onRequest(() => ({ body: { access_token: 'A' } }));
      (await renew()).accessToken.should.equal('A');
      should(service.requests[0]?.headers.accept).equal('application/json');
    });

    for (const [error, status, code, text] of [
      ['invalid_client', 401, 'not_configured', 'not_configured_client_refused'],
      ['unauthorized_client', 400, 'not_configured', 'not_configured_client_refused'],
      ['invalid_grant', 400, 'sign_in_required', 'sign_in_required_ended'],
      // By the word, never by the status, which differs from server to server.
      ['invalid_grant', 200, 'sign_in_required', 'sign_in_required_ended'],
      ['invalid_request', 400, 'sign_in_required', 'sign_in_required_oauth'],
    ] as const) {
      it(`that is refused by ${error} (${status}) is not to be repeated: ${text}`, async () => {
        service.onRequest(() => ({ status, body: { error } }));
        const refused = await rejected(renew(), code, text);
        [refused.status, refused.reason, refused.retryable].should.deepEqual([status, error, false]);
        refused.params.should.deepEqual({ reason: error });
      });
    }

    for (const [status, body] of [
      [400, { error: 'slow_down' }],
      [403, { error: 'rate_limit_exceeded' }],
      [429, { error: 'invalid_request' }],
      [429, '<html>'],
    ] as const) {
      it(`that comes too soon may be repeated when the service says: ${status} ${JSON.stringify(body)}`, async () => {
        service.onRequest(() => ({ status, body }));
        const { retryable, retryAfter } = await rejected(renew(), 'rate_limited');
        should({ retryable, retryAfter }).deepEqual({ retryable: true, retryAfter: undefined });
        service.onRequest(() => ({ status, body, headers: { 'Retry-After': '7' } }));
        should((await rejected(renew(), 'rate_limited')).retryAfter).equal(7_000);
      });
    }

    for (const [what, answer, text] of [
      ['a page', { body: '<html>' }, 'bad_response_no_json'],
      ['a page of a gateway', { status: 300, body: '<html>' }, 'bad_response_address'],
      ['a token with a redirect', { status: 300, body: { access_token: 'A' } }, 'bad_response_address'],
      ['a token with an error', { status: 403, body: { access_token: 'A' } }, 'bad_response_address'],
    ] as const) {
      it(`that brings ${what} was sent to a wrong address, which is named`, async () => {
        service.onRequest(() => answer);
        const { params } = await rejected(renew(), 'bad_response', text);
        should(params['address']).equal('tokenUrl');
      });
    }

    it('whose answer breaks off may be repeated', async () => {
      service.onRequest(() => ({ body: { access_token: 'A' }, cutAfter: 5 }));
      should((await rejected(renew(), 'network')).retryable).be.true();
    });
  });

  it('shows only words of an error', () => {
    safeReason('invalid_grant').should.equal('invalid_grant');
    safeReason('my secret: x').should.equal('unknown');
  });
});
