/** Access tokens of a service account, from the local drive: RFC 7523. */
import { createVerify } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import should from 'should';
import {
  type ServiceAccount,
  parseServiceAccountKey,
  requestServiceAccountToken,
} from '../../../src/auth/service-account';
import { TokenSource } from '../../../src/auth/token-source';
import type { DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import { type LocalDrive, type ServiceAccountKey, USER, startLocalDrive } from '../../local-drive';
import { rejected } from '../../support/client/rejected';
import { FakeClock } from '../../support/clock';

const SCOPE = 'https://www.googleapis.com/auth/drive';

describe('service account', () => {
  let drive: LocalDrive;
  let key: ServiceAccountKey;
  let clock = new FakeClock();
  const http = new HttpClient({ timeout: 2_000 });
  const refusals: DriveError[] = [];

  before(async () => {
    const serviceClock = { now: () => clock.now() };
    drive = await startLocalDrive({ clock: serviceClock });
    key = drive.addServiceAccount();
  });
  beforeEach(() => {
    clock = new FakeClock();
    drive.requests.clear();
    refusals.length = 0;
  });
  after(async () => {
    http.close();
    await drive.close();
  });

  const account = (change: Partial<ServiceAccount> = {}, json: object = key): ServiceAccount => {
    const parsed = parseServiceAccountKey(JSON.stringify(json));
    return { key: parsed, tokenUrl: parsed.tokenUrl, scope: SCOPE, subject: '', ...change };
  };
  const source = (of: ServiceAccount, at = clock): TokenSource =>
    new TokenSource({
      ...{ http, clock: at, random: () => 0.5, retryFor: 0 },
      client: () => ({ clientId: '', clientSecret: '', tokenUrl: '' }),
      store: { load: () => ({ accessToken: '', refreshToken: '' }), save: () => undefined },
      requestToken: () => requestServiceAccountToken({ http, clock: at }, of),
      onSignInRequired: (error) => refusals.push(error),
    });

  it('a JWT has the claims and the signature that Google documents', async () => {
    drive.serviceAccounts.delegate(key.client_email, [SCOPE]);
    await requestServiceAccountToken({ http, clock }, account({ subject: USER.emailAddress }));
    const form = drive.requests.all[0]?.form ?? new URLSearchParams();
    should(form.get('grant_type')).equal('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    should(decode(header)).deepEqual({ alg: 'RS256', typ: 'JWT', kid: key.private_key_id });
    const iat = Math.floor(clock.now() / 1_000);
    should(decode(claims)).deepEqual({
      iss: key.client_email,
      scope: SCOPE,
      aud: key.token_uri,
      iat,
      exp: iat + 3_600,
      sub: USER.emailAddress,
    });
    const verifier = createVerify('RSA-SHA256').update(`${header}.${claims}`);
    verifier.verify(key.private_key, signature, 'base64url').should.be.true();
  });

  it('200 calls share one token request, and the token is renewed before it expires', async () => {
    const tokens = source(account());
    const all = await Promise.all(Array.from({ length: 200 }, () => tokens.get()));
    new Set(all).size.should.equal(1);
    drive.requests.all.length.should.equal(1);
    clock.elapse(50 * 60_000);
    await tokens.get();
    drive.requests.all.length.should.equal(1);
    clock.elapse(6 * 60_000);
    // Calls use the current token during the renewal.
    (await tokens.get()).should.equal(all[0]);
    while ((await tokens.get()) === all[0]) await nextTurn();
    drive.requests.all.length.should.equal(2);
  });

  it('a renewal after a 401 uses a new JWT, because there is no refresh token', async () => {
    const tokens = source(account());
    const first = await tokens.get();
    const second = await tokens.renew(first);
    second.should.not.equal(first);
    should(tokens.needsSignIn).be.undefined();
  });

  // A clock that is behind by less than the lifetime of a JWT is no problem.
  for (const [minutes, text] of [
    [30, 'sign_in_required_key_clock_ahead'],
    [-90, 'sign_in_required_key_clock_behind'],
  ] as const) {
    it(`a clock that is wrong by ${minutes} minutes is named with the difference`, async () => {
      const wrong = new FakeClock();
      wrong.jump(minutes * 60_000);
      const request = requestServiceAccountToken({ http, clock: wrong }, account());
      const error = await rejected(request, 'sign_in_required', text);
      should(error.params['minutes']).equal(Math.abs(minutes));
    });
  }

  it('a refusal in Google’s words for a wrong clock names the clock, although the Date agrees', async () => {
    const words =
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. ' +
      'Check your iat and exp values in the JWT claim.';
    const body = { error: 'invalid_grant', error_description: words };
    drive.faults.add({ kind: 'response', match: { path: /token/ }, status: 400, body });
    const request = requestServiceAccountToken({ http, clock }, account({ subject: USER.emailAddress }));
    await rejected(request, 'sign_in_required', 'sign_in_required_key_clock');
  });

  it('a delegation that is not allowed names the client ID and the scopes to enter', async () => {
    const other = drive.addServiceAccount();
    const scope = `${SCOPE} ${SCOPE}.readonly`;
    const tokens = source(account({ subject: USER.emailAddress, scope }, other));
    const error = await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_key_delegation');
    should(error.params).match({
      client: other.client_id,
      scopes: `${SCOPE},${SCOPE}.readonly`,
      subject: USER.emailAddress,
    });
  });

  it('an unknown user to impersonate is named', async () => {
    drive.serviceAccounts.delegate(key.client_email, [SCOPE]);
    const tokens = source(account({ subject: 'nobody@local-drive.example' }));
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_key_subject');
  });

  it('a scope that does not exist is named as the cause', async () => {
    const tokens = source(account({ scope: 'https://www.googleapis.com/auth/nope' }));
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_key_scope');
  });

  const refusalCases: [string, number, string, string][] = [
    ['a rate limit by its error code', 403, 'rate_limit_exceeded', 'rate_limited'],
    ['a rate limit by slow_down', 400, 'slow_down', 'rate_limited'],
    ['a rate limit by its status', 429, 'other', 'rate_limited'],
    ['an unknown error code', 400, 'other', 'sign_in_required_key_other'],
    ['a delegation without impersonation', 401, 'unauthorized_client', 'sign_in_required_key_other'],
  ];
  for (const [description, status, error, text] of refusalCases) {
    it(`the refusal of a JWT distinguishes ${description}`, async () => {
      drive.faults.add({ kind: 'response', match: { path: /token/ }, status, body: { error } });
      const code = text === 'rate_limited' ? text : 'sign_in_required';
      const refused = await rejected(requestServiceAccountToken({ http, clock }, account()), code, text);
      should(refused).match({ status, reason: error, retryable: code === 'rate_limited' });
    });
  }

  it('a deleted key without an ID is named by its account only', async () => {
    drive.faults.add({
      ...{ kind: 'response', match: { path: /token/ } },
      ...{ status: 400, body: { error: 'invalid_grant' } },
    });
    const { private_key_id: _id, ...withoutId } = key;
    const request = requestServiceAccountToken({ http, clock }, account({}, withoutId));
    const error = await rejected(request, 'sign_in_required', 'sign_in_required_key_ended');
    should(error.params).match({ account: key.client_email, key: '-' });
  });

  it('a delegation that is not allowed names the email address of a key without a client ID', async () => {
    const { client_id: _id, ...withoutId } = drive.addServiceAccount();
    const request = requestServiceAccountToken(
      { http, clock },
      account({ subject: USER.emailAddress }, withoutId),
    );
    const error = await rejected(request, 'sign_in_required', 'sign_in_required_key_delegation');
    should(error.params['client']).equal(withoutId.client_email);
  });

  it('a deleted key is refused at once for ten seconds, then tried again', async () => {
    const other = drive.addServiceAccount();
    const tokens = source(account({}, other));
    drive.serviceAccounts.revokeKey(other.private_key_id);
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_key_ended');
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_key_ended');
    drive.requests.all.length.should.equal(1);
    should(tokens.needsSignIn?.text).equal('sign_in_required_key_ended');
    clock.elapse(10_000);
    await rejected(tokens.get(), 'sign_in_required');
    drive.requests.all.length.should.equal(2);
    // Once: the reason is the same.
    refusals.should.have.length(1);
  });

  it('a delegation that is allowed later needs no new sign-in', async () => {
    const other = drive.addServiceAccount();
    const tokens = source(account({ subject: USER.emailAddress }, other));
    await rejected(tokens.get(), 'sign_in_required');
    drive.serviceAccounts.delegate(other.client_email, [SCOPE]);
    clock.elapse(10_000);
    (await tokens.get()).should.be.a.String();
    should(tokens.needsSignIn).be.undefined();
  });

  for (const [title, text, expected] of [
    ['text that is not JSON', 'hello', 'no_json'],
    ['an array', '[]', 'no_json'],
    ['a client JSON', '{"installed": {"client_id": "x"}}', 'is_client'],
    ['a token JSON', '{"refresh_token": "x"}', 'is_token'],
    ['credentials of a user', '{"type": "authorized_user", "refresh_token": "x"}', 'type'],
    ['an object of no type', '{}', 'type'],
    ['a key without an address', '{"type": "service_account", "private_key": "x"}', 'member'],
    ['a key without a private key', '{"type": "service_account", "client_email": "a@b"}', 'member'],
  ] as const) {
    it(`${title} is not accepted as a key`, () => {
      should(() => parseServiceAccountKey(text)).throw({ text: `not_configured_key_${expected}` });
    });
  }

  it('a broken PEM is reported without any part of the key', () => {
    const broken = { ...key, private_key: key.private_key.replace(/[A-Z]{3}/, '') };
    try {
      parseServiceAccountKey(JSON.stringify(broken));
      should.fail(0, 1, 'the key was accepted', '');
    } catch (error) {
      should((error as DriveError).text).equal('not_configured_key_pem');
      String((error as Error).stack).should.not.containEql(key.private_key.slice(60, 90));
    }
  });

  it('a private key with escaped line breaks, as from an environment variable, is read', () => {
    const escaped = { ...key, private_key: key.private_key.replaceAll('\n', '\\n') };
    parseServiceAccountKey(JSON.stringify(escaped)).email.should.equal(key.client_email);
  });
});
