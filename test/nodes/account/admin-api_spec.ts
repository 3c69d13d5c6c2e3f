/** The admin API of the account: which requests it rejects, and that no response contains a secret. docs/security.md */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN } from '../../support/node-red/account';
import { errorOf, useAdmin } from './admin-fixture';

describe("the account's admin API", () => {
  const at = useAdmin();

  describe('bad input', () => {
    const CASES: [string, Record<string, unknown>, number, string, string][] = [
      ['no flow', { flow: undefined }, 400, 'invalid_input', 'flow'],
      ['another flow', { flow: 'implicit' }, 400, 'invalid_input', 'flow'],
      ['a client id that is no text', { clientId: 5 }, 400, 'invalid_input', 'clientId'],
      ['a URL that is not a string', { baseUrl: ['x'] }, 400, 'invalid_input', 'baseUrl'],
      ['a text without end', { scope: 'x'.repeat(5_000) }, 400, 'invalid_input', 'scope'],
      ['a number that is none', { timeout: true }, 400, 'invalid_input', 'timeout'],
      ['a service that there is not', { service: 'x' }, 400, 'not_configured', 'service'],
      ['no client id', { clientId: '' }, 400, 'not_configured', ''],
      ['no device URL', { deviceUrl: '' }, 400, 'not_configured', 'deviceUrl'],
      ['no scope', { scope: '' }, 400, 'not_configured', 'scope'],
      ['a URL without encryption', { tokenUrl: 'http://a.example/t' }, 400, 'insecure_url', 'tokenUrl'],
      ['an invalid URL', { revokeUrl: 'nowhere' }, 400, 'not_configured', 'revokeUrl'],
      ['a number out of range', { requestsPerSecond: 0 }, 400, 'not_configured', 'requestsPerSecond'],
      [
        'a variable that is not set',
        { clientId: '${NOT_SET_ANYWHERE}' },
        400,
        'not_configured',
        'NOT_SET_ANYWHERE',
      ],
      [
        'a secret that is not set',
        { clientSecret: '${NOT_SET_EITHER}' },
        400,
        'not_configured',
        'NOT_SET_EITHER',
      ],
    ];

    for (const [what, form, status, code, named] of CASES) {
      it(`the admin API rejects ${what} without sending a request`, async () => {
        await at.loaded();
        const response = await at.admin.start('account', at.drive.url, form);
        should(errorOf(response)).deepEqual([status, code]);
        should(response.text).containEql(named);
        should(at.drive.requests.all).be.empty();
      });
    }

    it('the admin API rejects a body that is not JSON', async () => {
      await at.loaded();
      should(errorOf(await at.admin.call('POST', '/account/sign-in', [1]))).deepEqual([400, 'invalid_input']);
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const response = await at.admin.call('POST', '/account/sign-in', 'flow=device', form);
      should(errorOf(response)).deepEqual([415, 'invalid_input']);
      should((await at.admin.call('POST', '/account/sign-in')).status).equal(415);
    });

    it('the admin API rejects a body that Node-RED can’t parse with the same error', async () => {
      await at.loaded();
      for (const where of ['/account/sign-in', '/sign-in/any', '/account/find']) {
        should(errorOf(await at.admin.call('POST', where, '{"flow":'))).deepEqual([400, 'invalid_input']);
      }
      const large = await at.admin.call('POST', '/account/sign-in', { flow: 'x'.repeat(6_000_000) });
      should(errorOf(large)).deepEqual([413, 'invalid_input']);
      const other = { Origin: 'https://evil.example' };
      should(errorOf(await at.admin.call('POST', '/account/find', '{', other))).deepEqual([
        403,
        'permission_denied',
      ]);
    });

    it('the admin API rejects an unknown node id', async () => {
      await at.loaded();
      for (const id of ['__proto__', 'hasOwnProperty', 'a%2Fb', 'x'.repeat(200)])
        should(errorOf(await at.admin.start(id, at.drive.url))).deepEqual([400, 'invalid_input']);
      should(errorOf(await at.admin.call('GET', '/__proto__'))).deepEqual([400, 'invalid_input']);
    });

    it('the admin API returns 404 for the id of another node type, whose credentials stay', async () => {
      await at.loaded();
      for (const id of ['about', 'tab']) {
        should(errorOf(await at.admin.start(id, at.drive.url))).deepEqual([404, 'not_found']);
        should(errorOf(await at.admin.call('GET', `/${id}`))).deepEqual([404, 'not_found']);
        should(errorOf(await at.admin.call('DELETE', `/${id}/sign-in`))).deepEqual([404, 'not_found']);
        should(helper.credentials.get(id)).equal(undefined);
      }
      should(at.drive.requests.all).be.empty();
    });

    it('the admin API returns 404 for an unknown sign-in session', async () => {
      await at.loaded();
      should(errorOf(await at.admin.call('GET', '/sign-in/nobody'))).deepEqual([404, 'not_found']);
      should(errorOf(await at.admin.call('DELETE', '/sign-in/nobody'))).deepEqual([404, 'not_found']);
    });
  });

  describe('the stored secret', () => {
    it('the stored secret is used for the URLs of the deployed node', async () => {
      await at.loaded();
      should((await at.signIn('account', { clientSecret: '__PWRD__' }))['state']).equal('authorized');
    });

    for (const name of ['baseUrl', 'uploadUrl', 'tokenUrl', 'deviceUrl', 'authUrl', 'revokeUrl', 'service']) {
      it(`the stored secret is not sent if ${name} differs`, async () => {
        await at.loaded();
        const value = name === 'service' ? 'google' : 'https://elsewhere.example/';
        const response = await at.admin.start('account', at.drive.url, {
          clientSecret: '__PWRD__',
          [name]: value,
        });
        should(errorOf(response)).deepEqual([403, 'permission_denied']);
        should(at.drive.requests.all).be.empty();
      });
    }

    it('the stored secret is missing for a node that is not deployed or has none', async () => {
      await at.loaded({ clientId: CLIENT.id });
      for (const id of ['account', 'new']) {
        const response = await at.admin.start(id, at.drive.url, { clientSecret: '__PWRD__' });
        should(errorOf(response)).deepEqual([400, 'not_configured']);
      }
    });
  });

  it('the admin API reads ${NAME} from the environment of the server', async () => {
    Object.assign(process.env, { TEST_CLIENT: CLIENT.id, TEST_SECRET: CLIENT.secret });
    await at.loaded();
    const form = { clientId: '${TEST_CLIENT}', clientSecret: '${TEST_SECRET}' };
    should((await at.signIn('account', form))['state']).equal('authorized');
    should(at.admin.answers.join()).not.containEql(CLIENT.secret);
  });

  it('no response of the admin API contains a secret', async () => {
    await at.loaded(CREDENTIALS);
    await at.signIn();
    await at.admin.view('account');
    await at.admin.call('DELETE', '/account/sign-in?revoke=true');
    const entry = [CLIENT.secret, REFRESH_TOKEN, 'ya29.', '1//', 'AH-1Ng'];
    for (const secret of entry) {
      should(at.admin.answers.join('\n')).not.containEql(secret);
      should(at.flow.logged().join('\n')).not.containEql(secret);
    }
  });
});
