/** Signing in with a user code on another device: RFC 8628. */
import should from 'should';
import { type DeviceAuthorization, pollForTokens, startDeviceFlow } from '../../../src/auth/device-flow';
import type { DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { type Reply, useScriptedService } from '../../support/http/scripted-service';

const CODE: DeviceAuthorization = {
  deviceCode: 'device-secret',
  userCode: 'ABCD-efgh',
  verificationUrl: 'https://example.com/device',
  expiresIn: 100,
  interval: 5,
};
const TOKENS = {
  access_token: 'A',
  refresh_token: 'R',
  expires_in: 3599,
  scope: 'drive.file',
  token_type: 'Bearer',
};
const error = (code: string, status = 400): Reply => ({ status, body: { error: code } });

describe('device flow', () => {
  const service = useScriptedService();
  const http = new HttpClient({ timeout: 1_000 });
  let clock: FakeClock;

  beforeEach(() => {
    clock = new FakeClock();
  });

  const start = () =>
    startDeviceFlow({ http, clock }, { deviceUrl: `${service.url}/device`, clientId: 'id', scope: 'a b' });
  const poll = (signal?: AbortSignal, code = CODE) => {
    const client = { clientId: 'id', clientSecret: 'secret', tokenUrl: `${service.url}/token` };
    return pollForTokens({ http, clock }, client, code, { ...(signal ? { signal } : {}), onPolled });
  };
  /** The error code of each poll; undefined for a poll that reached the service. */
  let pollErrors: (string | undefined)[] = [];
  const onPolled = (pollError: DriveError | undefined): unknown => pollErrors.push(pollError?.code);
  beforeEach(() => (pollErrors = []));

  describe('startDeviceFlow', () => {
    const response = {
      device_code: 'D',
      user_code: 'ABCD-efgh',
      verification_url: 'https://example.com/device',
      expires_in: 1800,
      interval: 7,
    };

    it('startDeviceFlow posts a form and returns the codes', async () => {
      service.onRequest(() => ({ body: response }));
      (await start()).should.deepEqual({
        deviceCode: 'D',
        userCode: 'ABCD-efgh',
        verificationUrl: 'https://example.com/device',
        expiresIn: 1800,
        interval: 7,
      });
      const [seen] = service.requests;
      should(seen?.method).equal('POST');
      should(seen?.headers['content-type']).equal('application/x-www-form-urlencoded');
      should(seen?.headers.authorization).be.undefined();
      should(seen?.body.toString()).equal('client_id=id&scope=a+b');
    });

    it('startDeviceFlow needs nothing that Node 18.5 lacks', async () => {
      const descriptor = Object.getOwnPropertyDescriptor(URL, 'canParse') ?? {};
      Reflect.deleteProperty(URL, 'canParse');
      service.onRequest(() => ({ body: response }));
      const started = await start().finally(() => Object.defineProperty(URL, 'canParse', descriptor));
      should(started.verificationUrl).equal('https://example.com/device');
    });

    it('startDeviceFlow accepts verification_uri and verification_uri_complete, and uses the defaults of RFC 8628', async () => {
      const { verification_url: page, interval: _interval, expires_in: _expires, ...rest } = response;
      service.onRequest(() => ({
        body: { ...rest, verification_uri: page, verification_uri_complete: `${page}?c=1` },
      }));
      should(await start()).containEql({
        verificationUrl: page,
        verificationUrlComplete: `${page}?c=1`,
        interval: 5,
        expiresIn: 1800,
      });
    });

    it('startDeviceFlow accepts verification_url_complete and a loopback URL', async () => {
      const complete = 'http://127.0.0.1:3810/device?user_code=ABCD-efgh';
      service.onRequest(() => ({ body: { ...response, verification_url_complete: complete } }));
      should((await start()).verificationUrlComplete).equal(complete);
    });

    const pages = [
      5,
      '',
      'javascript:alert(1)',
      'javascript:alert(1)//https://x/',
      'https://x/"><b>',
      'https://google.com@evil.example/device',
      'https://google.com:443@evil.example/device',
      'https://@evil.example/',
      'https://evil.example/\u202emoc.elgoog',
      'https://goo\u200bgle.com/device',
      'https://evil.example/\u0007',
      'https://[evil/',
    ];
    for (const [member, values] of [
      ['device_code', [5, '']],
      ['user_code', [{}, '']],
      ['verification_url', pages],
      ['verification_uri', pages.filter((page) => page !== 5 && page !== '')],
      ['verification_url_complete', pages],
      ['verification_uri_complete', pages],
    ] as const) {
      it(`startDeviceFlow rejects invalid values of ${member} and names the member`, async () => {
        for (const value of values) {
          const { verification_url: _url, ...others } = response;
          const body = member === 'verification_uri' ? others : response;
          service.onRequest(() => ({ body: { ...body, [member]: value } }));
          const { params } = await rejected(start(), 'bad_response', 'bad_response_type');
          params.should.deepEqual({ member });
        }
      });
    }

    it('startDeviceFlow returns an internationalized host name in ASCII', async () => {
      service.onRequest(() => ({
        body: { ...response, verification_url: 'https://g\u043e\u043egle.com/device' },
      }));
      should((await start()).verificationUrl).equal('https://xn--ggle-55da.com/device');
    });

    for (const [value, interval] of [
      ['1', 1],
      [' 7 ', 7],
      ['7.5', 7.5],
      [0.001, 1],
      ['0.001', 1],
      [0, 5],
      [-1, 5],
      ['-1', 5],
      ['', 5],
      ['soon', 5],
      [true, 5],
      [{}, 5],
    ] as const) {
      it(`startDeviceFlow returns an interval of ${interval} s for ${JSON.stringify(value)}`, async () => {
        service.onRequest(() => ({ body: { ...response, interval: value } }));
        should((await start()).interval).equal(interval);
      });
    }

    for (const [value, expiresIn] of [
      ['600', 600],
      ['600.0', 600],
      [0, 1_800],
      [-1, 1_800],
      ['-1', 1_800],
      ['', 1_800],
      ['later', 1_800],
      [true, 1_800],
    ] as const) {
      it(`startDeviceFlow returns a lifetime of ${expiresIn} s for expires_in ${JSON.stringify(value)}`, async () => {
        service.onRequest(() => ({ body: { ...response, expires_in: value } }));
        should((await start()).expiresIn).equal(expiresIn);
      });
    }

    for (const [member, named] of [
      ['device_code', 'device_code'],
      ['user_code', 'user_code'],
      // The name in RFC 8628.
      ['verification_url', 'verification_uri'],
    ] as const) {
      it(`startDeviceFlow rejects a response without ${member}`, async () => {
        service.onRequest(() => ({ body: { ...response, [member]: undefined } }));
        const { params } = await rejected(start(), 'bad_response', 'bad_response_missing');
        params.should.deepEqual({ member: named });
      });
    }

    it('startDeviceFlow limits the lifetime of a code to one day', async () => {
      service.onRequest(() => ({ body: { ...response, expires_in: 1e12 } }));
      should((await start()).expiresIn).equal(86_400);
    });

    it('startDeviceFlow rejects HTML, and reports errors of the service', async () => {
      service.onRequest(() => ({ body: '<html>' }));
      await rejected(start(), 'bad_response', 'bad_response_no_json');
      service.onRequest(() => error('invalid_scope'));
      await rejected(start(), 'sign_in_required', 'sign_in_refused_invalid_scope');
      service.onRequest(() => ({ status: 403, body: { error_code: 'rate_limit_exceeded' } }));
      const { retryable, status } = await rejected(start(), 'rate_limited');
      should({ retryable, status }).deepEqual({ retryable: true, status: 403 });
      service.onRequest(() => ({ status: 401, body: '<html>' }));
      await rejected(start(), 'bad_response', 'bad_response_address');
    });
  });

  describe('pollForTokens', () => {
    it('pollForTokens posts the form of the device grant', async () => {
      service.onRequest(() => ({ body: TOKENS }));
      const tokens = await poll();
      tokens.should.deepEqual({
        accessToken: 'A',
        refreshToken: 'R',
        scope: 'drive.file',
        expiresAt: clock.now() + 3_599_000,
      });
      const form = new URLSearchParams(service.requests[0]?.body.toString());
      Object.fromEntries(form).should.deepEqual({
        client_id: 'id',
        client_secret: 'secret',
        device_code: 'device-secret',
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      });
    });

    for (const status of [428, 400]) {
      it(`pollForTokens waits for the interval after authorization_pending (${status})`, async () => {
        const pending = error('authorization_pending', status);
        service.respondInOrder(pending, pending, { body: TOKENS });
        await poll();
        clock.sleeps.should.deepEqual([5_000, 5_000, 5_000]);
      });
    }

    it('pollForTokens adds 5 s to the interval after each slow_down', async () => {
      const pending = error('authorization_pending');
      service.respondInOrder(error('slow_down', 403), pending, error('slow_down'), pending, { body: TOKENS });
      await poll();
      clock.sleeps.should.deepEqual([5_000, 10_000, 10_000, 15_000, 15_000]);
    });

    for (const [code, status, text] of [
      ['access_denied', 403, 'access_denied'],
      ['invalid_grant', 400, 'expired_token'],
      ['expired_token', 400, 'expired_token'],
      ['invalid_client', 401, 'invalid_client'],
      ['unauthorized_client', 400, 'invalid_client'],
      ['invalid_scope', 400, 'invalid_scope'],
      ['admin_policy_enforced', 403, 'admin_policy_enforced'],
      ['org_internal', 403, 'org_internal'],
      ['unsupported_grant_type', 400, 'unsupported_grant_type'],
      ['anything_else', 400, 'other'],
      ['not an error code!', 400, 'other'],
    ] as const) {
      it(`pollForTokens stops after ${code}`, async () => {
        service.onRequest(() => error(code, status));
        const refused = await rejected(poll(), 'sign_in_required', `sign_in_refused_${text}`);
        should(refused.status).equal(status);
        service.requests.length.should.equal(1);
      });
    }

    it('pollForTokens continues after network errors and 5xx', async () => {
      service.respondInOrder(
        'reset',
        { status: 503 },
        { status: 500, body: { error: 'x' } },
        { body: TOKENS },
      );
      (await poll()).accessToken.should.equal('A');
      service.requests.length.should.equal(4);
    });

    it('pollForTokens reports network errors and recovery', async () => {
      service.respondInOrder({ status: 503 }, error('authorization_pending'), 'reset', error('slow_down'), {
        body: TOKENS,
      });
      await poll();
      pollErrors.should.deepEqual(['service_unavailable', undefined, 'network', undefined, undefined]);
    });

    for (const [change, jump] of [
      ['back', -3_600_000],
      ['forward', 3_600_000],
    ] as const) {
      it(`pollForTokens polls until the code expires when the system clock is set ${change}`, async () => {
        service.onRequest(() => error('authorization_pending'));
        clock.onSleep = () => {
          if (clock.sleeps.length === 1) clock.jump(jump);
        };
        await rejected(poll(), 'sign_in_required', 'sign_in_refused_expired_token');
        clock.sleeps.length.should.equal(CODE.expiresIn / CODE.interval);
      });
    }

    it('pollForTokens stops when the code has expired', async () => {
      service.onRequest(() => error('authorization_pending'));
      await rejected(poll(), 'sign_in_required', 'sign_in_refused_expired_token');
      service.requests.length.should.equal(19);
    });

    for (const [interval, slept] of [
      [60, [30_000]],
      [18, [18_000, 12_000]],
    ] as const) {
      it(`pollForTokens ends when a code of 30 s expires, with an interval of ${interval} s`, async () => {
        service.onRequest(() => error('authorization_pending'));
        const polling = poll(undefined, { ...CODE, expiresIn: 30, interval });
        await rejected(polling, 'sign_in_required', 'sign_in_refused_expired_token');
        clock.sleeps.should.deepEqual(slept);
      });
    }

    it('pollForTokens stops at once when it is cancelled between or during polls', async () => {
      const abort = new AbortController();
      clock = new FakeClock('manual');
      const waiting = poll(abort.signal);
      await clock.untilSleeping();
      abort.abort();
      await rejected(waiting, 'cancelled');
      service.requests.should.be.empty();
      clock = new FakeClock();
      const second = new AbortController();
      service.onRequest(() => (second.abort(), 'handled'));
      await rejected(poll(second.signal), 'cancelled');
    });

    for (const [body, text] of [
      [{ access_token: 5 }, 'access_token'],
      [{ ...TOKENS, refresh_token: 5 }, 'refresh_token'],
      [{ ...TOKENS, scope: [] }, 'scope'],
    ] as const) {
      it(`pollForTokens says that ${text} isn't a string`, async () => {
        service.onRequest(() => ({ body }));
        const { params } = await rejected(poll(), 'bad_response', 'bad_response_not_string');
        params.should.have.property('member', text);
      });
    }

    for (const body of [{}, { access_token: '' }, '[]', 'x']) {
      it(`pollForTokens rejects the response ${JSON.stringify(body)}`, async () => {
        service.onRequest(() => ({ body }));
        await rejected(poll(), 'bad_response');
      });
    }
  });
});
