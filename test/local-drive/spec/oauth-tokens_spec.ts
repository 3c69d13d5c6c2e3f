/** Authorization codes with PKCE (RFC 6749 section 4.1, RFC 7636), refresh (RFC 6749 section 6), revocation (RFC 7009), bearer tokens (RFC 6750). */
import { createHash } from 'node:crypto';
import 'should';
import { DEFAULT_CLIENT, TestClock } from '../index';
import { shouldBeError, TOKEN, useDrive } from './drive-fixture';

const CLIENT = { client_id: DEFAULT_CLIENT.id, client_secret: DEFAULT_CLIENT.secret };
const OTHER = { id: 'other-client', secret: 'other-secret' };
const REDIRECT = 'http://127.0.0.1:1880/callback';

describe('local drive: tokens', () => {
  const clock = new TestClock();
  const service = useDrive({
    clients: [DEFAULT_CLIENT, OTHER],
    clock,
    refreshToken: 'given-refresh',
    tokenLifetime: 100,
  });

  const token = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    service.call('POST', '/token', { form, headers, token: '' });
  const refresh = (refreshToken: string) =>
    token({ ...CLIENT, grant_type: 'refresh_token', refresh_token: refreshToken });
  const about = (accessToken: string) =>
    service.call('GET', '/drive/v3/about?fields=user', { token: accessToken });
  const pkce = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

  const authorize = (query: Record<string, string> = {}) =>
    service.call('GET', '/o/oauth2/v2/auth', {
      token: '',
      query: {
        client_id: 'local-client',
        redirect_uri: REDIRECT,
        response_type: 'code',
        scope: 'https://x/auth/drive',
        state: 'st ate',
        code_challenge: pkce('verifier'),
        code_challenge_method: 'S256',
        ...query,
      },
    });

  /** Submits the consent page. @returns the redirect URL */
  const consent = async (action: string, query: Record<string, string> = {}): Promise<URL> => {
    const page = await authorize(query);
    const request = /name="request"\s+value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const response = await service.call('POST', '/o/oauth2/v2/auth', {
      form: { request, action },
      token: '',
    });
    response.status.should.equal(302);
    return new URL(response.headers.get('location') ?? '');
  };

  const exchange = (code: string, more: Record<string, string> = {}) =>
    token({
      ...CLIENT,
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      code_verifier: 'verifier',
      ...more,
    });

  it('a refresh returns an access token that expires, and no new refresh token', async () => {
    const response = await refresh('given-refresh');
    const body = response.json as { access_token: string };
    body.should.have.properties({ expires_in: 100, token_type: 'Bearer' });
    body.should.not.have.property('refresh_token');
    (await about(body.access_token)).status.should.equal(200);
    clock.advance(99);
    (await about(body.access_token)).status.should.equal(200);
    clock.advance(1);
    shouldBeError(await about(body.access_token), 401, 'authError');
  });

  it('the configured access token never expires', async () => {
    clock.advance(10 * 365 * 24 * 3600);
    (await about(TOKEN)).status.should.equal(200);
  });

  it('requests without a token, with a wrong one or another scheme are 401', async () => {
    shouldBeError(await about(''), 401, 'authError');
    shouldBeError(await about('wrong'), 401, 'authError');
    const basic = await service.call('GET', '/drive/v3/about?fields=user', {
      headers: { Authorization: `Basic ${TOKEN}` },
    });
    shouldBeError(basic, 401, 'authError');
  });

  it('clients can authenticate with HTTP Basic', async () => {
    const proof = Buffer.from('local-client:local-secret').toString('base64');
    const form = { grant_type: 'refresh_token', refresh_token: 'given-refresh' };
    (await token(form, { Authorization: `Basic ${proof}` })).status.should.equal(200);
  });

  it('an authorization code is exchanged once, with its verifier', async () => {
    const url = await consent('approve');
    url.origin.should.equal('http://127.0.0.1:1880');
    String(url.searchParams.get('state')).should.equal('st ate');
    const code = url.searchParams.get('code') ?? '';
    const response = await exchange(code);
    const tokens = response.json as { access_token: string; refresh_token: string };
    tokens.should.have.property('scope', 'https://x/auth/drive');
    (await about(tokens.access_token)).status.should.equal(200);
    (await refresh(tokens.refresh_token)).status.should.equal(200);
    (await exchange(code)).json.should.have.property('error', 'invalid_grant');
  });

  for (const [name, more] of Object.entries<Record<string, string>>({
    'another verifier': { code_verifier: 'other' },
    'another redirect URI': { redirect_uri: 'http://127.0.0.1:1/' },
  })) {
    it(`an authorization code is rejected with ${name}`, async () => {
      const code = (await consent('approve')).searchParams.get('code') ?? '';
      (await exchange(code, more)).json.should.have.property('error', 'invalid_grant');
    });
  }

  it('an authorization code expires after ten minutes', async () => {
    const code = (await consent('approve')).searchParams.get('code') ?? '';
    clock.advance(600);
    (await exchange(code)).json.should.have.property('error', 'invalid_grant');
  });

  it('a denial redirects the browser with access_denied', async () => {
    const url = await consent('deny');
    String(url.searchParams.get('error')).should.equal('access_denied');
    String(url.searchParams.get('state')).should.equal('st ate');
    url.searchParams.has('code').should.be.false();
  });

  it('unknown clients and untrusted redirect URIs are not redirected', async () => {
    for (const query of [
      { client_id: 'nobody' },
      { redirect_uri: 'http://elsewhere.example/' },
      { redirect_uri: 'urn:ietf:wg:oauth:2.0:oob' },
      { redirect_uri: '' },
    ] as Record<string, string>[]) {
      (await authorize(query)).status.should.equal(400);
    }
    (await authorize({ redirect_uri: 'https://elsewhere.example/' })).status.should.equal(200);
  });

  it('other invalid requests redirect the browser with an error', async () => {
    for (const [query, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: '' }, 'invalid_request'],
      [{ scope: 'https://x/auth/nope' }, 'invalid_scope'],
    ] as [Record<string, string>, string][]) {
      const response = await authorize(query);
      response.status.should.equal(302);
      String(new URL(response.headers.get('location') ?? '').searchParams.get('error')).should.equal(error);
    }
  });

  it('revoking a token keeps the tokens of other applications', async () => {
    const other = { client_id: OTHER.id, client_secret: OTHER.secret };
    const own = await exchange((await consent('approve')).searchParams.get('code') ?? '');
    const { refresh_token: ofOurs } = own.json as { refresh_token: string };
    const form = { grant_type: 'refresh_token', refresh_token: ofOurs };
    (await token({ ...other, ...form })).json.should.have.property('error', 'invalid_grant');
    const { searchParams } = await consent('approve', { client_id: OTHER.id });
    const issued = await exchange(searchParams.get('code') ?? '', other);
    const { refresh_token: mine } = issued.json as { refresh_token: string };
    (await service.call('POST', '/revoke', { form: { token: mine }, token: '' })).status.should.equal(200);
    (await token({ ...other, ...form, refresh_token: mine })).json.should.have.property(
      'error',
      'invalid_grant',
    );
    (await refresh(ofOurs)).status.should.equal(200);
  });

  it('revoking a token revokes all tokens of the application', async () => {
    const issue = async () => {
      const code = (await consent('approve')).searchParams.get('code') ?? '';
      return (await exchange(code)).json as { access_token: string; refresh_token: string };
    };
    const [one, two] = [await issue(), await issue()];
    const revoke = (form: Record<string, string>) => service.call('POST', '/revoke', { form, token: '' });
    (await revoke({ token: one.refresh_token })).status.should.equal(200);
    for (const each of [one, two]) {
      (await refresh(each.refresh_token)).json.should.have.property('error', 'invalid_grant');
      shouldBeError(await about(each.access_token), 401, 'authError');
    }
    (await revoke({ token: 'unknown' })).status.should.equal(400);
    (await about(TOKEN)).status.should.equal(200);
  });
});
