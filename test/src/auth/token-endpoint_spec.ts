/** The token endpoint and its errors: RFC 6749 sections 5 and 6, RFC 7009. */
import should from 'should';
import { safeReason, refreshTokens, revokeToken, parseTokenResponse } from '../../../src/auth/token-endpoint';
import { HttpClient } from '../../../src/http/client';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';

describe('token endpoint', () => {
  const service = useScriptedService();
  const http = new HttpClient({ timeout: 1_000 });

  const revoke = () => revokeToken({ http, clock: new FakeClock() }, `${service.url}/revoke`, 'T/+');

  it('revokeToken posts the token as a form', async () => {
    service.onRequest(() => ({ body: {} }));
    await revoke();
    should(service.requests[0]?.method).equal('POST');
    should(service.requests[0]?.headers['content-type']).equal('application/x-www-form-urlencoded');
    should(service.requests[0]?.body.toString()).equal('token=T%2F%2B');
  });

  it('revokeToken throws if the endpoint refuses or the connection is lost', async () => {
    service.onRequest(() => ({ status: 400, body: { error: 'invalid_token' } }));
    await rejected(revoke(), 'bad_response');
    service.onRequest(() => 'reset');
    await rejected(revoke(), 'network');
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
    it(`parseTokenResponse reads ${expiresAt === undefined ? 'no lifetime' : 'a lifetime'} from expires_in ${JSON.stringify(expiresIn)}`, () => {
      const tokens = parseTokenResponse(
        { access_token: 'A', refresh_token: 'R', expires_in: expiresIn },
        1_000,
      );
      should(tokens.expiresAt).equal(expiresAt);
      tokens.refreshToken.should.equal('R');
    });
  }

  for (const expiresIn of ['3600s', 'in 3600', '', '-1', '1e3', 'NaN', true, null, [3600], {}]) {
    it(`parseTokenResponse returns the refresh token and no lifetime for expires_in ${JSON.stringify(expiresIn)}`, () => {
      const body = { access_token: 'A', refresh_token: 'rotated', expires_in: expiresIn };
      parseTokenResponse(body, 1_000).should.eql({ accessToken: 'A', refreshToken: 'rotated' });
    });
  }

  describe('refreshTokens', () => {
    const refresh = () =>
      refreshTokens(
        { http, clock: new FakeClock() },
        { clientId: 'id', clientSecret: 'secret', tokenUrl: `${service.url}/token` },
        'R',
      );

    it('refreshTokens requests JSON', async () => {
      service.onRequest(() => ({ body: { access_token: 'A' } }));
      (await refresh()).accessToken.should.equal('A');
      should(service.requests[0]?.headers.accept).equal('application/json');
    });

    it('refreshTokens reads the time of the service from Date, if the response has one', async () => {
      const times: number[] = [];
      const context = { http, clock: new FakeClock(), onServerTime: (ms: number) => times.push(ms) };
      const client = { clientId: 'id', clientSecret: 'secret', tokenUrl: `${service.url}/token` };
      const date = 'Fri, 17 May 2024 10:00:00 GMT';
      const headers: Record<string, string>[] = [{ Date: date }, {}, { Date: 'yesterday' }];
      for (const each of headers) {
        service.onRequest((_received, { response }) => {
          response.sendDate = false;
          return { body: { access_token: 'A' }, headers: each };
        });
        await refreshTokens(context, client, 'R');
      }
      times.should.deepEqual([Date.parse(date)]);
    });

    for (const [error, status, code, text] of [
      ['invalid_client', 401, 'not_configured', 'not_configured_client_refused'],
      ['unauthorized_client', 400, 'not_configured', 'not_configured_client_refused'],
      ['invalid_grant', 400, 'sign_in_required', 'sign_in_required_ended'],
      // The error code decides, because servers use different statuses.
      ['invalid_grant', 200, 'sign_in_required', 'sign_in_required_ended'],
      ['invalid_request', 400, 'sign_in_required', 'sign_in_required_oauth'],
    ] as const) {
      it(`refreshTokens throws ${text}, which isn’t retryable, after ${error} (${status})`, async () => {
        service.onRequest(() => ({ status, body: { error } }));
        const refused = await rejected(refresh(), code, text);
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
      it(`refreshTokens throws a retryable rate_limited after ${status} ${JSON.stringify(body)}`, async () => {
        service.onRequest(() => ({ status, body }));
        const { retryable, retryAfter } = await rejected(refresh(), 'rate_limited');
        should({ retryable, retryAfter }).deepEqual({ retryable: true, retryAfter: undefined });
        service.onRequest(() => ({ status, body, headers: { 'Retry-After': '7' } }));
        should((await rejected(refresh(), 'rate_limited')).retryAfter).equal(7_000);
      });
    }

    for (const [content, reply, text] of [
      ['an HTML page', { body: '<html>' }, 'bad_response_no_json'],
      ['an HTML page of a gateway', { status: 300, body: '<html>' }, 'bad_response_address'],
      ['a token with a redirect', { status: 300, body: { access_token: 'A' } }, 'bad_response_address'],
      ['a token with an error', { status: 403, body: { access_token: 'A' } }, 'bad_response_address'],
    ] as const) {
      it(`refreshTokens names the misconfigured URL after ${content}`, async () => {
        service.onRequest(() => reply);
        const { params } = await rejected(refresh(), 'bad_response', text);
        should(params['address']).equal('tokenUrl');
      });
    }

    it('refreshTokens throws a retryable error if the response ends early', async () => {
      service.onRequest(() => ({ body: { access_token: 'A' }, cutAfter: 5 }));
      should((await rejected(refresh(), 'network')).retryable).be.true();
    });
  });

  it('safeReason returns only error codes, and unknown for other text', () => {
    safeReason('invalid_grant').should.equal('invalid_grant');
    safeReason('my secret: x').should.equal('unknown');
  });
});
