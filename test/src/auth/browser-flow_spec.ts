/** Signing in in the browser: RFC 6749 section 4.1, RFC 7636, RFC 8252. */
import { createHash, randomBytes } from 'node:crypto';
import should from 'should';
import {
  readAuthorizationResponse,
  checkRedirectUri,
  exchangeCode,
  startBrowserFlow,
} from '../../../src/auth/browser-flow';
import { DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { type Reply, ScriptedService } from '../../support/http/scripted-service';

const REQUEST = {
  authUrl: 'https://accounts.example/o/oauth2/v2/auth',
  clientId: 'client&id',
  scope: 'https://www.googleapis.com/auth/drive email',
  redirectUri: 'https://red.example/x/cloud-drive-account/callback',
  offlineAccess: true,
};

describe('browser flow', () => {
  describe('the address of the sign-in page', () => {
    const bytes = Buffer.alloc(32, 7);
    let asked: number[] = [];
    const random = (count: number): Buffer => {
      asked.push(count);
      return bytes;
    };
    beforeEach(() => (asked = []));

    it('asks for a code with the challenge of the verifier, RFC 7636 4.2', () => {
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
      asked.should.deepEqual([32, 32]);
    });

    it('never has the same state or verifier again', () => {
      const flows = Array.from({ length: 50 }, () => startBrowserFlow(REQUEST, randomBytes));
      new Set(flows.flatMap(({ state, codeVerifier }) => [state, codeVerifier])).size.should.equal(100);
    });

    it('asks another service without what only Google knows, and keeps the query of its address', () => {
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

  describe('where the browser may be sent', () => {
    for (const address of [
      'https://red.example/callback',
      'http://127.0.0.1:51004/',
      'http://localhost:1880/red/cloud-drive-account/callback',
      'http://[::1]:1880/callback',
    ])
      it(`${address} is taken`, () => checkRedirectUri(address));

    for (const [address, code] of [
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
      it(`“${address}” is refused`, () => {
        const refused = (): void => checkRedirectUri(address);
        const [text, params] =
          code === 'insecure_url'
            ? ['insecure_url_redirect', { property: 'redirectUri', host: new URL(address).host }]
            : ['invalid_input_request', { property: 'redirectUri' }];
        refused.should.throw(DriveError, { code, text, params });
      });
  });

  describe('what the browser comes back with', () => {
    const read = (query: string): string => readAuthorizationResponse(new URLSearchParams(query));
    const refused = (query: string): DriveError => {
      try {
        read(query);
      } catch (error) {
        return error as DriveError;
      }
      throw new Error('it was taken');
    };

    it('is the code', () => read('state=s&code=4%2F0Ab&scope=x').should.equal('4/0Ab'));

    for (const [error, text] of Object.entries({
      access_denied: 'sign_in_refused_access_denied',
      invalid_scope: 'sign_in_refused_browser_scope',
      unauthorized_client: 'sign_in_refused_browser_client',
      admin_policy_enforced: 'sign_in_refused_admin_policy_enforced',
      org_internal: 'sign_in_refused_org_internal',
      server_error: 'sign_in_refused_other',
      constructor: 'sign_in_refused_other',
    }))
      it(`says so when it is ${error}`, () => {
        const { code, text: told } = refused(`error=${error}&code=4/0Ab`);
        [code, told].should.deepEqual(['sign_in_required', text]);
      });

    for (const [what, query, text, member] of [
      ['neither', 'state=s', 'bad_response_missing', 'code'],
      ['a code of nothing', 'code=', 'bad_response_missing', 'code'],
      ['two codes', 'code=a&code=b', 'bad_response_type', 'code'],
      ['two errors', 'error=access_denied&error=invalid_scope', 'bad_response_type', 'error'],
      ['a code with a line break', 'code=a%0Ab', 'bad_response_type', 'code'],
      ['a code without end', `code=${'x'.repeat(5_000)}`, 'bad_response_type', 'code'],
    ] as const)
      it(`is refused where it is ${what}`, () => {
        const error = refused(query);
        [error.code, error.text, error.params].should.deepEqual(['bad_response', text, { member }]);
      });

    it('tells a word of the service, and no more of it', () => {
      refused('error=%3Cscript%3Ealert(1)%3C/script%3E').params.should.deepEqual({ reason: 'unknown' });
    });
  });

  describe('the exchange', () => {
    let service: ScriptedService;
    let http: HttpClient;
    const clock = new FakeClock();
    beforeEach(async () => {
      service = await ScriptedService.start();
      http = new HttpClient({ timeout: 1_000 });
    });
    afterEach(async () => {
      http.close();
      await service.close();
    });

    const exchange = (clientSecret = 'secret', onServerTime?: (time: number) => void) =>
      exchangeCode(
        { http, clock, ...(onServerTime ? { onServerTime } : {}) },
        { clientId: 'id', clientSecret, tokenUrl: `${service.url}/token` },
        { code: '4/0Ab', codeVerifier: 'v', redirectUri: 'https://red.example/cb' },
      );
    const TOKENS: Reply = { body: { access_token: 'A', refresh_token: 'R', expires_in: 10, scope: 'drive' } };

    it('sends the code with the address and the verifier, RFC 6749 4.1.3 and RFC 7636 4.5', async () => {
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

    it('sends no secret where the client has none', async () => {
      service.onRequest(() => TOKENS);
      await exchange('');
      service.requests[0]!.body.toString().should.not.containEql('client_secret');
    });

    for (const [error, text] of Object.entries({
      invalid_grant: 'sign_in_refused_code_used',
      invalid_client: 'sign_in_refused_browser_client',
      redirect_uri_mismatch: 'sign_in_refused_redirect_uri',
    }))
      it(`says what ${error} means here`, async () => {
        service.onRequest(() => ({ status: 400, body: { error } }));
        await rejected(exchange(), 'sign_in_required', text);
      });

    it('wants an access token', async () => {
      service.onRequest(() => ({ body: { token_type: 'Bearer' } }));
      await rejected(exchange(), 'bad_response', 'bad_response_missing');
    });

    it('tells what time it is there, and nothing where it is not said', async () => {
      const told: number[] = [];
      service.respondInOrder(
        { ...TOKENS, headers: { Date: 'Fri, 17 May 2024 09:50:00 GMT' } },
        { ...TOKENS, headers: { Date: 'yesterday' } },
      );
      await exchange('', (time) => told.push(time));
      await exchange('', (time) => told.push(time));
      told.should.deepEqual([Date.parse('2024-05-17T09:50:00Z')]);
    });
  });
});
