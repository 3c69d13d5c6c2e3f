/** Signing in with the browser: RFC 6749 section 4.1, RFC 7636, RFC 8252. */
import { createHash, randomBytes } from 'node:crypto';
import should from 'should';
import {
  countChosenFiles,
  readAuthorizationResponse,
  checkRedirectUri,
  exchangeCode,
  startBrowserFlow,
} from '../../../src/auth/browser-flow';
import { DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { type Reply, useScriptedService } from '../../support/http/scripted-service';

const REQUEST = {
  authUrl: 'https://accounts.example/o/oauth2/v2/auth',
  clientId: 'client&id',
  scope: 'https://www.googleapis.com/auth/drive email',
  redirectUri: 'https://red.example/x/cloud-drive-account/callback',
  offlineAccess: true,
};

describe('browser flow', () => {
  describe('startBrowserFlow', () => {
    const bytes = Buffer.alloc(32, 7);
    let randomCounts: number[] = [];
    const random = (count: number): Buffer => {
      randomCounts.push(count);
      return bytes;
    };
    beforeEach(() => (randomCounts = []));

    it('startBrowserFlow requests a code with the challenge of the verifier (RFC 7636 4.2)', () => {
      const flow = startBrowserFlow(REQUEST, random);
      const url = new URL(flow.authorizationUrl);
      url.origin.concat(url.pathname).should.equal(REQUEST.authUrl);
      Object.fromEntries(url.searchParams).should.deepEqual({
        response_type: 'code',
        client_id: 'client&id',
        redirect_uri: REQUEST.redirectUri,
        scope: REQUEST.scope,
        state: bytes.toString('base64url'),
        code_challenge: createHash('sha256').update(flow.codeVerifier).digest('base64url'),
        code_challenge_method: 'S256',
        access_type: 'offline',
        prompt: 'consent',
      });
      flow.codeVerifier.should.match(/^[\w.~-]{43,128}$/);
      url.href.should.not.containEql('code_verifier');
      randomCounts.should.deepEqual([32, 32]);
    });

    it('startBrowserFlow requests Google’s picker if the user chooses existing files', () => {
      const parametersWith = (more: object): URLSearchParams =>
        new URL(startBrowserFlow({ ...REQUEST, ...more }, random).authorizationUrl).searchParams;
      const parameters = parametersWith({ chooseFiles: true });
      [parameters.get('trigger_onepick'), parameters.get('allow_multiple')].should.eql(['true', 'true']);
      parametersWith({ chooseFiles: false }).has('trigger_onepick').should.be.false();
    });

    for (const [query, count] of [
      ['picked_file_ids=a,b-c', 2],
      ['picked_file_ids=a', 1],
      ['picked_file_ids=', 0],
      ['code=x', 0],
    ] as const)
      it(`countChosenFiles counts ${count} for “${query}”`, () =>
        countChosenFiles(new URLSearchParams(query)).should.equal(count));

    it('startBrowserFlow never repeats a state or verifier', () => {
      const flows = Array.from({ length: 50 }, () => startBrowserFlow(REQUEST, randomBytes));
      new Set(flows.flatMap(({ state, codeVerifier }) => [state, codeVerifier])).size.should.equal(100);
    });

    it('startBrowserFlow omits the parameters of Google for other services and keeps the query of the URL', () => {
      const { authorizationUrl } = startBrowserFlow(
        { ...REQUEST, authUrl: 'https://sso.example/auth?realm=a', offlineAccess: false },
        random,
      );
      const { searchParams } = new URL(authorizationUrl);
      should(searchParams.get('realm')).equal('a');
      should(searchParams.get('client_id')).equal('client&id');
      searchParams.has('access_type').should.equal(false);
      searchParams.has('prompt').should.equal(false);
    });
  });

  describe('checkRedirectUri', () => {
    for (const uri of [
      'https://red.example/callback',
      'http://127.0.0.1:51004/',
      'http://localhost:1880/red/cloud-drive-account/callback',
      'http://[::1]:1880/callback',
    ])
      it(`checkRedirectUri accepts ${uri}`, () => checkRedirectUri(uri));

    for (const [uri, code] of [
      ['http://192.168.1.5:1880/callback', 'insecure_url'],
      ['http://red.example/callback', 'insecure_url'],
      ['http://127.0.0.1.evil.example/', 'insecure_url'],
      ['https://red.example/callback#code', 'invalid_input'],
      ['https://red.example/callback?a=1', 'invalid_input'],
      ['https://user:secret@red.example/', 'invalid_input'],
      ['javascript:alert(1)', 'invalid_input'],
      ['callback', 'invalid_input'],
      ['', 'invalid_input'],
    ] as const)
      it(`checkRedirectUri rejects “${uri}” with ${code}`, () => {
        const check = (): void => checkRedirectUri(uri);
        const [text, params] =
          code === 'insecure_url'
            ? ['insecure_url_redirect', { host: new URL(uri).host }]
            : ['invalid_input_request', { property: 'redirectUri' }];
        check.should.throw(DriveError, { code, text, params });
      });
  });

  describe('readAuthorizationResponse', () => {
    const read = (query: string): string => readAuthorizationResponse(new URLSearchParams(query));
    const readError = (query: string): DriveError => {
      try {
        read(query);
      } catch (error) {
        return error as DriveError;
      }
      throw new Error('the response was accepted');
    };

    it('readAuthorizationResponse returns the code', () =>
      read('state=s&code=4%2F0Ab&scope=x').should.equal('4/0Ab'));

    for (const [error, text] of Object.entries({
      access_denied: 'sign_in_refused_access_denied',
      invalid_scope: 'sign_in_refused_browser_scope',
      unauthorized_client: 'sign_in_refused_browser_client',
      admin_policy_enforced: 'sign_in_refused_admin_policy_enforced',
      org_internal: 'sign_in_refused_org_internal',
      server_error: 'sign_in_refused_other',
      constructor: 'sign_in_refused_other',
    }))
      it(`readAuthorizationResponse explains ${error} with ${text}`, () => {
        const { code, text: actual } = readError(`error=${error}&code=4/0Ab`);
        [code, actual].should.deepEqual(['sign_in_required', text]);
      });

    for (const [content, query, text, member] of [
      ['neither code nor error', 'state=s', 'bad_response_missing', 'code'],
      ['an empty code', 'code=', 'bad_response_missing', 'code'],
      ['two codes', 'code=a&code=b', 'bad_response_type', 'code'],
      ['two errors', 'error=access_denied&error=invalid_scope', 'bad_response_type', 'error'],
      ['a code with a line break', 'code=a%0Ab', 'bad_response_type', 'code'],
      ['a code of 5,000 characters', `code=${'x'.repeat(5_000)}`, 'bad_response_type', 'code'],
    ] as const)
      it(`readAuthorizationResponse rejects ${content}`, () => {
        const error = readError(query);
        [error.code, error.text, error.params].should.deepEqual(['bad_response', text, { member }]);
      });

    it('readAuthorizationResponse shows no error text of the service', () => {
      readError('error=%3Cscript%3Ealert(1)%3C/script%3E').params.should.deepEqual({ reason: 'unknown' });
    });
  });

  describe('exchangeCode', () => {
    const service = useScriptedService();
    const http = new HttpClient({ timeout: 1_000 });
    const clock = new FakeClock();

    const exchange = (clientSecret = 'secret', onServerTime?: (time: number) => void) =>
      exchangeCode(
        { http, clock, ...(onServerTime ? { onServerTime } : {}) },
        { clientId: 'id', clientSecret, tokenUrl: `${service.url}/token` },
        { code: '4/0Ab', codeVerifier: 'v', redirectUri: 'https://red.example/cb' },
      );
    const TOKENS: Reply = { body: { access_token: 'A', refresh_token: 'R', expires_in: 10, scope: 'drive' } };

    it('exchangeCode sends the code, the redirect URI and the verifier (RFC 6749 4.1.3, RFC 7636 4.5)', async () => {
      service.onRequest(() => TOKENS);
      (await exchange()).should.deepEqual({
        ...{ accessToken: 'A', refreshToken: 'R', scope: 'drive' },
        expiresAt: clock.now() + 10_000,
      });
      Object.fromEntries(new URLSearchParams(service.requests[0]!.body.toString())).should.deepEqual({
        grant_type: 'authorization_code',
        code: '4/0Ab',
        redirect_uri: 'https://red.example/cb',
        code_verifier: 'v',
        client_id: 'id',
        client_secret: 'secret',
      });
    });

    it('exchangeCode sends no secret if the client has none', async () => {
      service.onRequest(() => TOKENS);
      await exchange('');
      service.requests[0]!.body.toString().should.not.containEql('client_secret');
    });

    for (const [error, text] of Object.entries({
      invalid_grant: 'sign_in_refused_code_used',
      invalid_client: 'sign_in_refused_browser_client',
      redirect_uri_mismatch: 'sign_in_refused_redirect_uri',
    }))
      it(`exchangeCode explains ${error} with ${text}`, async () => {
        service.onRequest(() => ({ status: 400, body: { error } }));
        await rejected(exchange(), 'sign_in_required', text);
      });

    it('exchangeCode rejects a response without an access token', async () => {
      service.onRequest(() => ({ body: { token_type: 'Bearer' } }));
      await rejected(exchange(), 'bad_response', 'bad_response_missing');
    });

    it('exchangeCode reports the time in the Date header if it is valid', async () => {
      const times: number[] = [];
      service.respondInOrder(
        { ...TOKENS, headers: { Date: 'Fri, 17 May 2024 09:50:00 GMT' } },
        { ...TOKENS, headers: { Date: 'yesterday' } },
      );
      await exchange('', (time) => times.push(time));
      await exchange('', (time) => times.push(time));
      times.should.deepEqual([Date.parse('2024-05-17T09:50:00Z')]);
    });
  });
});
