/** Validation of admin API requests, and the secrets that responses must not contain. docs/security.md */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN } from '../../support/node-red/account';
import { errorOf, useAdmin } from './admin-fixture';

describe('admin API of accounts', () => {
  const fixture = useAdmin();

  describe('invalid requests', () => {
    const CASES: [string, Record<string, unknown>, number, string, string][] = [
      ['a missing flow', { flow: undefined }, 400, 'invalid_input', 'flow'],
      ['an unknown flow', { flow: 'implicit' }, 400, 'invalid_input', 'flow'],
      ['a client id that is not a string', { clientId: 5 }, 400, 'invalid_input', 'clientId'],
      ['a URL that is not a string', { baseUrl: ['x'] }, 400, 'invalid_input', 'baseUrl'],
      ['an overlong string', { scope: 'x'.repeat(5_000) }, 400, 'invalid_input', 'scope'],
      ['a number of the wrong type', { timeout: true }, 400, 'invalid_input', 'timeout'],
      ['an unknown service', { service: 'x' }, 400, 'not_configured', 'service'],
      ['a missing client id', { clientId: '' }, 400, 'not_configured', ''],
      ['a missing device URL', { deviceUrl: '' }, 400, 'not_configured', 'deviceUrl'],
      ['a missing scope', { scope: '' }, 400, 'not_configured', 'scope'],
      ['an unencrypted URL', { tokenUrl: 'http://a.example/t' }, 400, 'insecure_url', 'tokenUrl'],
      ['an invalid URL', { revokeUrl: 'nowhere' }, 400, 'not_configured', 'revokeUrl'],
      ['a number out of range', { requestsPerSecond: 0 }, 400, 'not_configured', 'requestsPerSecond'],
      [
        'an unset environment variable',
        { clientId: '${NOT_SET_ANYWHERE}' },
        400,
        'not_configured',
        'NOT_SET_ANYWHERE',
      ],
      [
        'an unset environment variable for the secret',
        { clientSecret: '${NOT_SET_EITHER}' },
        400,
        'not_configured',
        'NOT_SET_EITHER',
      ],
    ];

    for (const [what, form, status, code, expectedText] of CASES) {
      it(`the admin API rejects ${what} without sending a request`, async () => {
        await fixture.load();
        const response = await fixture.admin.start('account', fixture.drive.url, form);
        should(errorOf(response)).deepEqual([status, code]);
        should(response.text).containEql(expectedText);
        should(fixture.drive.requests.all).be.empty();
      });
    }

    it('the admin API rejects a body that is not JSON', async () => {
      await fixture.load();
      should(errorOf(await fixture.admin.call('POST', '/account/sign-in', [1]))).deepEqual([
        400,
        'invalid_input',
      ]);
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const response = await fixture.admin.call('POST', '/account/sign-in', 'flow=device', form);
      should(errorOf(response)).deepEqual([415, 'invalid_input']);
      should((await fixture.admin.call('POST', '/account/sign-in')).status).equal(415);
    });

    it('the admin API rejects a body that Node-RED can’t parse with the same error', async () => {
      await fixture.load();
      for (const path of ['/account/sign-in', '/sign-in/any', '/account/folders']) {
        should(errorOf(await fixture.admin.call('POST', path, '{"flow":'))).deepEqual([400, 'invalid_input']);
      }
      const large = await fixture.admin.call('POST', '/account/sign-in', { flow: 'x'.repeat(6_000_000) });
      should(errorOf(large)).deepEqual([413, 'invalid_input']);
      const other = { Origin: 'https://evil.example' };
      should(errorOf(await fixture.admin.call('POST', '/account/folders', '{', other))).deepEqual([
        403,
        'permission_denied',
      ]);
    });

    it('the admin API rejects an unknown node id', async () => {
      await fixture.load();
      for (const id of ['__proto__', 'hasOwnProperty', 'a%2Fb', 'x'.repeat(200)])
        should(errorOf(await fixture.admin.start(id, fixture.drive.url))).deepEqual([400, 'invalid_input']);
      should(errorOf(await fixture.admin.call('GET', '/__proto__'))).deepEqual([400, 'invalid_input']);
    });

    it('the admin API returns 404 for the id of another node type, whose credentials stay', async () => {
      await fixture.load();
      for (const id of ['about', 'tab']) {
        should(errorOf(await fixture.admin.start(id, fixture.drive.url))).deepEqual([404, 'not_found']);
        should(errorOf(await fixture.admin.call('GET', `/${id}`))).deepEqual([404, 'not_found']);
        should(errorOf(await fixture.admin.call('DELETE', `/${id}/sign-in`))).deepEqual([404, 'not_found']);
        should(helper.credentials.get(id)).equal(undefined);
      }
      should(fixture.drive.requests.all).be.empty();
    });

    it('the admin API returns 404 for an unknown sign-in session', async () => {
      await fixture.load();
      should(errorOf(await fixture.admin.call('GET', '/sign-in/nobody'))).deepEqual([404, 'not_found']);
      should(errorOf(await fixture.admin.call('DELETE', '/sign-in/nobody'))).deepEqual([404, 'not_found']);
    });
  });

  describe('stored client secret', () => {
    it('the stored secret is used for the URLs of the deployed node', async () => {
      await fixture.load();
      should((await fixture.signIn('account', { clientSecret: '__PWRD__' }))['state']).equal('authorized');
    });

    for (const name of ['baseUrl', 'uploadUrl', 'tokenUrl', 'deviceUrl', 'authUrl', 'revokeUrl', 'service']) {
      it(`the stored secret is not sent if ${name} differs`, async () => {
        await fixture.load();
        const value = name === 'service' ? 'google' : 'https://elsewhere.example/';
        const response = await fixture.admin.start('account', fixture.drive.url, {
          clientSecret: '__PWRD__',
          [name]: value,
        });
        should(errorOf(response)).deepEqual([403, 'permission_denied']);
        should(fixture.drive.requests.all).be.empty();
      });
    }

    it('the stored secret is missing for a node that is not deployed or has none', async () => {
      await fixture.load({ clientId: CLIENT.id });
      for (const id of ['account', 'new']) {
        const response = await fixture.admin.start(id, fixture.drive.url, { clientSecret: '__PWRD__' });
        should(errorOf(response)).deepEqual([400, 'not_configured']);
      }
    });
  });

  it('the admin API reads ${NAME} from the environment of the server', async () => {
    Object.assign(process.env, { TEST_CLIENT: CLIENT.id, TEST_SECRET: CLIENT.secret });
    await fixture.load();
    const form = { clientId: '${TEST_CLIENT}', clientSecret: '${TEST_SECRET}' };
    should((await fixture.signIn('account', form))['state']).equal('authorized');
    should(fixture.admin.responses.join()).not.containEql(CLIENT.secret);
  });

  it('no response of the admin API contains a secret', async () => {
    await fixture.load(CREDENTIALS);
    await fixture.signIn();
    await fixture.admin.status('account');
    await fixture.admin.call('DELETE', '/account/sign-in?revoke=true');
    const secrets = [CLIENT.secret, REFRESH_TOKEN, 'ya29.', '1//', 'AH-1Ng'];
    for (const secret of secrets) {
      should(fixture.admin.responses.join('\n')).not.containEql(secret);
      should(fixture.flow.logged().join('\n')).not.containEql(secret);
    }
  });
});
