/** The browser flow through the admin API and its callback page. RFC 6749 section 4.1, RFC 8252 */
import http from 'node:http';
import should from 'should';
import { consent } from '../../support/consent';
import { CLIENT } from '../../support/node-red/account';
import { errorOf, useAdmin } from './admin-fixture';
import { DeployedFixture, FORM } from './deployed-fixture';

const FULL = 'https://www.googleapis.com/auth/drive';

describe('browser sign-in through the admin API', () => {
  const fixture = useAdmin();
  const REDIRECT_URI = 'https://red.example/red/cloud-drive-account/callback';

  const startSignIn = async (form: Record<string, unknown> = {}, id = 'account') => {
    const { status, body } = await fixture.admin.start(id, fixture.drive.url, {
      ...{ flow: 'browser', redirectUri: REDIRECT_URI, scope: FULL },
      ...form,
    });
    should(status).equal(201);
    return { session: String(body?.['session']), url: String(body?.['authorizationUrl']) };
  };
  /** Requests the callback path behind the reverse proxy. */
  const callback = (redirectUrl: string, headers: Record<string, string> = {}) =>
    fixture.admin.call('GET', `/callback${new URL(redirectUrl).search}`, undefined, headers);

  it('the callback completes a sign-in without permissions and from another site', async () => {
    await fixture.load();
    const { session, url } = await startSignIn();
    const redirected = await consent(url);
    should(redirected.startsWith(`${REDIRECT_URI}?`)).equal(true);
    const page = await callback(redirected, { 'Sec-Fetch-Site': 'cross-site' });
    should([page.status, page.headers.get('content-type')]).deepEqual([200, 'text/html; charset=utf-8']);
    should(page.text).containEql('<h1>Signed in</h1>');
    should((await fixture.admin.waitForEnd(session))['state']).equal('authorized');
    should((await fixture.admin.status('account'))['scope']).equal(FULL);
    should((await fixture.flow.run('about')).sent).have.length(1);
  });

  it('the callback page contains nothing of the request, and no scripts', async () => {
    await fixture.load();
    const redirected = await consent((await startSignIn()).url, 'deny');
    for (const [from, title] of [
      [redirected, 'Sign-in failed'],
      [redirected, 'Unknown sign-in'],
      [`${REDIRECT_URI}?state=%3Cscript%3E&code=canary`, 'Unknown sign-in'],
      [`${REDIRECT_URI}?state[a]=x&state=y`, 'Unknown sign-in'],
      [REDIRECT_URI, 'Unknown sign-in'],
    ] as const) {
      const { status, text, headers } = await callback(from);
      should([status, /<h1>([^<]*)/.exec(text)?.[1]]).deepEqual([400, title]);
      should(text).not.match(/<script|canary|href|src=/);
      // The text for this error names its code.
      const others = [...new URL(from).searchParams.values()].filter((value) => value !== 'access_denied');
      for (const value of others) should(value !== 'y' && value !== 'x' && text.includes(value)).equal(false);
      should(headers.get('content-security-policy')).match(/^default-src 'none'; style-src 'sha256-[^']+';/);
      should(headers.get('content-security-policy')).containEql("frame-ancestors 'none'");
      should(headers.get('cache-control')).equal('no-store');
      should(headers.get('referrer-policy')).equal('no-referrer');
      should(headers.get('x-content-type-options')).equal('nosniff');
    }
  });

  it('the admin API accepts a pasted redirect URL', async () => {
    await fixture.load();
    const { session, url } = await startSignIn({ redirectUri: 'http://127.0.0.1:51004/' });
    const paste = (redirected: unknown) => fixture.admin.call('POST', `/sign-in/${session}`, { redirected });
    for (const wrong of [undefined, 5, 'nothing', 'x'.repeat(20_000)])
      should(errorOf(await paste(wrong))).deepEqual([400, 'invalid_input']);
    should(errorOf(await fixture.admin.call('POST', `/sign-in/nobody`, { redirected: 'a' }))).deepEqual([
      404,
      'not_found',
    ]);
    should((await paste(await consent(url))).status).equal(200);
    should((await fixture.admin.waitForEnd(session))['state']).equal('authorized');
  });

  it('the admin API rejects an insecure redirect URI', async () => {
    await fixture.load();
    for (const [redirectUri, code] of [
      ['http://192.168.1.5:1880/cloud-drive-account/callback', 'insecure_url'],
      ['javascript:alert(1)', 'invalid_input'],
      ['', 'invalid_input'],
      [5, 'invalid_input'],
    ] as const) {
      const response = await fixture.admin.start('account', fixture.drive.url, {
        flow: 'browser',
        redirectUri,
      });
      should(errorOf(response)).deepEqual([400, code]);
    }
  });

  it('a sign-in with the Google preset sends the parameters of Google', async () => {
    await fixture.load();
    const { body } = await fixture.admin.start('new', fixture.drive.url, {
      ...{ flow: 'browser', redirectUri: REDIRECT_URI, service: 'google', scope: '' },
    });
    const { searchParams } = new URL(String(body?.['authorizationUrl']));
    should(searchParams.get('access_type')).equal('offline');
    should(searchParams.get('prompt')).equal('consent');
  });

  describe('connection test', () => {
    it('the connection test returns the user and the quota', async () => {
      await fixture.load();
      should(errorOf(await fixture.admin.call('GET', '/account/connection'))).deepEqual([
        400,
        'sign_in_required',
      ]);
      should(errorOf(await fixture.admin.call('GET', '/undeployed/connection'))).deepEqual([
        400,
        'not_configured',
      ]);
      for (const id of ['account', 'undeployed']) {
        await fixture.signIn(id);
        const { status, body } = await fixture.admin.call('GET', `/${id}/connection`);
        should(status).equal(200);
        should(body?.['account']).have.property('emailAddress');
        should(body?.['storage']).have.property('usage', 0);
      }
    });

    it('the connection test reports an error after one attempt', async () => {
      await fixture.load();
      await fixture.signIn();
      const disabled = fixture.drive.faults.add({
        ...{ kind: 'error', reason: 'accessNotConfigured', status: 403, match: { path: /about/ }, times: 9 },
      });
      const response = await fixture.admin.call('GET', '/account/connection');
      should(errorOf(response)).deepEqual([403, 'permission_denied']);
      should(response.text).containEql('is not enabled');
      disabled.remove();
      fixture.drive.faults.add({
        kind: 'error',
        reason: 'backendError',
        status: 503,
        match: { path: /about/ },
      });
      should(errorOf(await fixture.admin.call('GET', '/account/connection'))).deepEqual([
        503,
        'service_unavailable',
      ]);
      should((await fixture.admin.call('GET', '/account/connection')).status).equal(200);
    });
  });

  it('editors are notified of a change without its details', async () => {
    await fixture.load();
    const { body } = await fixture.admin.call('GET', '/account');
    should(body?.['topic']).match(/^cloud-drive-account\/[\da-f-]{36}$/);
    should((await fixture.admin.call('GET', '/account')).body?.['topic']).equal(body?.['topic']);
    const { session } = await startSignIn();
    should(await fixture.admin.status('account')).containEql({ signingIn: true });
    await fixture.admin.call('DELETE', `/sign-in/${session}`);
    should(await fixture.admin.status('account')).not.have.property('signingIn');
  });
});

describe('browser sign-in in Node-RED', () => {
  const fixture = new DeployedFixture();

  /** bcrypt of "pass". */
  const password = '$2b$04$y5d/SCxwDEr0oNSiOLVAO.HhmXin.MXRIKREQBoiwlod8zznIQkd6';
  const adminAuth = { type: 'credentials', users: [{ username: 'editor', password, permissions: '*' }] };

  it('the callback works with adminAuth and another httpAdminRoot, without a login', async () => {
    await fixture.start({ settings: { adminAuth, httpAdminRoot: '/red' } });
    await fixture.nodeRed.logIn('editor', 'pass');
    const redirectUri = `${fixture.nodeRed.url}/cloud-drive-account/callback`;
    const form = { flow: 'browser', redirectUri, scope: FULL };
    const { body } = await fixture.admin.start('account', fixture.drive.url, form);
    const redirected = await consent(String(body?.['authorizationUrl']));
    should(await plainGet(redirected)).equal(200);
    should(await fixture.admin.waitForEnd(body?.['session'])).have.property('state', 'authorized');
    await fixture.nodeRed.deploy(fixture.flow({ scope: FULL }, FORM));
    await fixture.expectSuccess();
    await fixture.expectNoSecrets();
    const log = fixture.nodeRed.log.join('\n');
    for (const secret of [CLIENT.secret, new URL(redirected).searchParams.get('code') ?? '-'])
      should(log.includes(secret)).equal(false);
  });

  it('Node-RED survives an invalid request target for the public callback page', async () => {
    await fixture.start({ settings: { adminAuth } });
    const page = '/cloud-drive-account/callback?state=x';
    for (const target of [`http://a:99999${page}`, `http://a${page}`, `${page}&a=%zz`, `${page}?//[`])
      should(await plainGet(fixture.nodeRed.url, target)).equal(400);
    should((await fixture.nodeRed.request('/auth/login')).status).equal(200);
  });
});

/** @param target the request target, if it differs from the path of the URL */
function plainGet(url: string, target?: string): Promise<number | undefined> {
  const options = target === undefined ? {} : { path: target };
  return new Promise((resolve, reject) => {
    http.get(url, options, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}
