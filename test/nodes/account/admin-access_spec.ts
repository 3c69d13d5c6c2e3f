/** Permissions of the admin API of accounts. docs/security.md, "Who may do what" */
import should from 'should';
import { customAccount } from '../../support/node-red/account';
import { DeployedFixture, FORM } from './deployed-fixture';

/** bcrypt of "pass". */
const HASH = '$2b$04$y5d/SCxwDEr0oNSiOLVAO.HhmXin.MXRIKREQBoiwlod8zznIQkd6';
const ADMIN_AUTH = {
  type: 'credentials',
  users: [
    { username: 'editor', password: HASH, permissions: '*' },
    { username: 'reader', password: HASH, permissions: 'read' },
  ],
};

describe('admin API of accounts in Node-RED', () => {
  const fixture = new DeployedFixture();

  it('the admin API allows sign-ins with write permission only', async () => {
    await fixture.start({ settings: { adminAuth: ADMIN_AUTH } });
    const refused = async (): Promise<number[]> => [
      (await fixture.admin.start('account', fixture.drive.url)).status,
      (await fixture.admin.call('DELETE', '/account/sign-in')).status,
      (await fixture.admin.call('DELETE', '/sign-in/any')).status,
      (await fixture.admin.call('POST', '/account/folders', { name: 'a' })).status,
    ];
    should(await refused()).deepEqual([401, 401, 401, 401]);
    should((await fixture.admin.call('GET', '/account')).status).equal(401);
    should((await fixture.admin.call('GET', '/account/files')).status).equal(401);
    should((await fixture.admin.call('GET', '/account/files/any/path')).status).equal(401);
    should((await fixture.admin.callNode('search-files', 'POST', '/account/test', {})).status).equal(401);
    should((await fixture.admin.call('GET', '/sign-in/any')).status).equal(401);

    await fixture.nodeRed.logIn('reader', 'pass');
    should(await refused()).deepEqual([401, 401, 401, 401]);
    should((await fixture.admin.call('GET', '/account')).status).equal(200);
    // The account is not signed in, but read access is allowed.
    should((await fixture.admin.call('GET', '/account/files')).status).equal(400);
    const find = async (match: string): Promise<number> =>
      (await fixture.admin.callNode('search-files', 'POST', '/account/test', { settings: { match } })).status;
    should([await find('anywhere'), await find('glob'), await find('regex')]).deepEqual([400, 401, 401]);
    should((await fixture.admin.call('GET', '/sign-in/any')).status).equal(404);

    await fixture.nodeRed.logIn('editor', 'pass');
    should(await find('regex')).equal(400);
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.expectSuccess();
    await fixture.expectNoSecrets();
    should(fixture.drive.requests.to('POST', '/device/code')).have.length(1);
  });

  it('the admin API rejects requests of other sites', async () => {
    await fixture.start();
    const host = new URL(fixture.nodeRed.url).host;
    const from = async (headers: Record<string, string>): Promise<number> =>
      (await fixture.admin.call('GET', '/account', undefined, headers)).status;
    should(await from({ Origin: 'https://evil.example' })).equal(403);
    should(await from({ Origin: 'null' })).equal(403);
    should(await from({ 'Sec-Fetch-Site': 'cross-site' })).equal(403);
    should(await from({ Origin: `http://${host}` })).equal(200);
    should(await from({ Origin: 'https://red.example', 'X-Forwarded-Host': 'red.example' })).equal(200);
    should(await from({ 'Sec-Fetch-Site': 'same-origin' })).equal(200);

    const evil = { Origin: 'https://evil.example' };
    const body = { flow: 'device', ...customAccount(fixture.drive.url), ...FORM };
    for (const [method, path, content] of [
      ['POST', '/account/sign-in', body],
      ['GET', '/sign-in/any', undefined],
      ['DELETE', '/sign-in/any', undefined],
      ['DELETE', '/account/sign-in', undefined],
    ] as const) {
      const response = await fixture.admin.call(method, path, content, evil);
      should(response.status).equal(403);
      should(response.body).have.propertyByPath('error', 'code').equal('permission_denied');
    }
    should(fixture.drive.requests.all).be.empty();
  });

  it('the admin API rejects incomplete JSON', async () => {
    await fixture.start();
    should((await fixture.admin.call('POST', '/account/sign-in', '{"flow":')).status).equal(400);
  });

  it('the account works without an admin server', async () => {
    await fixture.start({ settings: { httpAdminRoot: false } }, true);
    should(await fixture.run()).equal('not_configured');
  });
});
