/** The device flow (RFC 8628) and its verification page. */
import 'should';
import { TestClock } from '../index';
import { shouldBeError, useDrive, type TestResponse } from './drive-fixture';

const SCOPE = 'https://anywhere.example/auth/drive.file';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const CLIENTS = [
  { id: 'tv', secret: 's1', type: 'device' as const },
  { id: 'desktop', secret: 's2', type: 'installed' as const },
];

function shouldFail(response: TestResponse, status: number, error: string): void {
  response.status.should.equal(status, response.text);
  (response.json as object).should.have.property('error', error);
}

describe('local drive: device sign-in', () => {
  const clock = new TestClock();
  const service = useDrive({
    clients: CLIENTS,
    clock,
    interval: 5,
    deviceLifetime: 1800,
    tokenLifetime: 3599,
  });

  const start = async (form: Record<string, string> = { client_id: 'tv', scope: SCOPE }) =>
    service.call('POST', '/device/code', { form, token: '' });
  const poll = async (deviceCode: string, more: Record<string, string> = {}) =>
    service.call('POST', '/token', {
      token: '',
      form: { client_id: 'tv', client_secret: 's1', device_code: deviceCode, grant_type: GRANT, ...more },
    });
  const begin = async () => (await start()).json as { device_code: string; user_code: string };

  it('the device endpoint returns codes, verification URL, lifetime and interval', async () => {
    const response = await start();
    response.status.should.equal(200);
    const body = response.json as object as Record<string, unknown>;
    Object.keys(body)
      .sort()
      .should.deepEqual(['device_code', 'expires_in', 'interval', 'user_code', 'verification_url']);
    body.should.have.properties({
      expires_in: 1800,
      interval: 5,
      verification_url: `${service.drive.url}/device`,
    });
  });

  it('polling returns tokens once the user approves, and a device code works once', async () => {
    const { device_code, user_code } = await begin();
    shouldFail(await poll(device_code), 428, 'authorization_pending');
    clock.advance(5);
    service.drive.approve(user_code).should.be.true();
    const response = await poll(device_code);
    response.status.should.equal(200);
    const tokens = response.json as object as Record<string, string>;
    tokens.should.have.properties({ expires_in: 3599, scope: SCOPE, token_type: 'Bearer' });
    const about = await service.call('GET', '/drive/v3/about?fields=user', { token: tokens.access_token });
    about.status.should.equal(200);
    clock.advance(5);
    shouldFail(await poll(device_code), 400, 'invalid_grant');
  });

  it('polling too fast is slow_down and increases the interval by 5 s', async () => {
    const { device_code } = await begin();
    shouldFail(await poll(device_code), 428, 'authorization_pending');
    clock.advance(4);
    shouldFail(await poll(device_code), 403, 'slow_down');
    clock.advance(9);
    shouldFail(await poll(device_code), 403, 'slow_down');
    clock.advance(14);
    shouldFail(await poll(device_code), 403, 'slow_down');
    clock.advance(20);
    shouldFail(await poll(device_code), 428, 'authorization_pending');
  });

  it('polling returns access_denied after a denial and expired_token after expiry', async () => {
    const refused = await begin();
    service.drive.deny(refused.user_code);
    shouldFail(await poll(refused.device_code), 403, 'access_denied');
    const late = await begin();
    clock.advance(1800);
    service.drive.approve(late.user_code).should.be.false();
    shouldFail(await poll(late.device_code), 400, 'expired_token');
  });

  it('the user can grant less than requested', async () => {
    const started = await start({ client_id: 'tv', scope: `${SCOPE} email` });
    const { device_code, user_code } = started.json as { device_code: string; user_code: string };
    service.drive.approve(user_code, 'email');
    const tokens = (await poll(device_code)).json as { scope: string; access_token: string };
    tokens.scope.should.equal('email');
    const list = await service.call('GET', '/drive/v3/files', { token: tokens.access_token });
    shouldBeError(list, 403, 'insufficientPermissions');
  });

  it('the device flow rejects full drive, unknown scopes and clients of the wrong type', async () => {
    shouldFail(await start({ client_id: 'tv', scope: 'https://x/auth/drive' }), 400, 'invalid_scope');
    shouldFail(await start({ client_id: 'tv', scope: 'https://x/auth/calendar' }), 400, 'invalid_scope');
    shouldFail(await start({ client_id: 'desktop', scope: SCOPE }), 401, 'invalid_client');
    shouldFail(await start({ client_id: 'nobody', scope: SCOPE }), 401, 'invalid_client');
    shouldFail(await start({ client_id: 'tv' }), 400, 'invalid_request');
    const { device_code } = await begin();
    shouldFail(await poll(device_code, { client_secret: 'wrong' }), 401, 'invalid_client');
    shouldFail(await poll(device_code, { client_id: 'desktop', client_secret: 's2' }), 401, 'invalid_client');
    shouldFail(await poll(device_code, { grant_type: 'password' }), 400, 'unsupported_grant_type');
    shouldFail(await poll('wrong'), 400, 'invalid_grant');
  });

  it('the device endpoint accepts forms only', async () => {
    const json = await service.call('POST', '/device/code', {
      json: { client_id: 'tv', scope: SCOPE },
      token: '',
    });
    shouldFail(json, 400, 'invalid_request');
  });

  describe('the verification page', () => {
    const press = (userCode: string, action: string) =>
      service.call('POST', '/device', { form: { user_code: userCode, action }, token: '' });

    it('the verification page fills in the escaped code from its URL', async () => {
      const response = await service.call('GET', '/device?user_code=%22%3E%3Cb%3E', { token: '' });
      String(response.headers.get('content-type')).should.startWith('text/html');
      response.text.should
        .match(/name="user_code"/)
        .and.match(/value="approve"/)
        .and.match(/value="deny"/);
      response.text.should.not.match(/"><b>/);
    });

    it('the verification page approves a sign-in', async () => {
      const { device_code, user_code } = await begin();
      (await press(user_code, 'approve')).status.should.equal(200);
      (await poll(device_code)).status.should.equal(200);
    });

    it('the verification page denies a sign-in', async () => {
      const { device_code, user_code } = await begin();
      (await press(user_code, 'deny')).status.should.equal(200);
      shouldFail(await poll(device_code), 403, 'access_denied');
    });

    it('the verification page requires the exact code and one of its buttons', async () => {
      const { device_code, user_code } = await begin();
      for (const sloppy of [user_code.toLowerCase(), user_code.replace('-', ''), ` ${user_code}`]) {
        (await press(sloppy, 'approve')).status.should.equal(400);
      }
      (await press(user_code, 'maybe')).status.should.equal(400);
      shouldFail(await poll(device_code), 428, 'authorization_pending');
    });
  });
});

describe('local drive: deviceStyle rfc', () => {
  const service = useDrive({ deviceStyle: 'rfc', interval: 0 });

  it('deviceStyle rfc returns verification_uri and 400 for every error of a poll', async () => {
    const form = { client_id: 'local-client', scope: SCOPE };
    const started = (await service.call('POST', '/device/code', { form, token: '' }))
      .json as object as Record<string, string>;
    started.should.have.property('verification_uri', `${service.drive.url}/device`);
    started.should.not.have.property('verification_url');
    const complete = await service.call('GET', started.verification_uri_complete ?? '', { token: '' });
    complete.text.should.containEql(`value="${started.user_code}"`);
    const poll = await service.call('POST', '/token', {
      token: '',
      form: {
        client_id: 'local-client',
        client_secret: 'local-secret',
        device_code: started.device_code ?? '',
        grant_type: GRANT,
      },
    });
    shouldFail(poll, 400, 'authorization_pending');
  });
});
