/** The permissions for the admin API of the account: docs/security.md, "Who may do what". */
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

describe("the account's admin API in a real Node-RED", () => {
  const at = new DeployedFixture();
  afterEach(() => at.stopped());

  it('the admin API allows sign-ins with write permission only', async () => {
    await at.started({ settings: { adminAuth: ADMIN_AUTH } });
    const refused = async (): Promise<number[]> => [
      (await at.admin.start('account', at.drive.url)).status,
      (await at.admin.call('DELETE', '/account/sign-in')).status,
      (await at.admin.call('DELETE', '/sign-in/any')).status,
      (await at.admin.call('POST', '/account/folders', { name: 'a' })).status,
    ];
    should(await refused()).deepEqual([401, 401, 401, 401]);
    should((await at.admin.call('GET', '/account')).status).equal(401);
    should((await at.admin.call('GET', '/account/files')).status).equal(401);
    should((await at.admin.call('GET', '/account/files/any/path')).status).equal(401);
    should((await at.admin.call('POST', '/account/find', {})).status).equal(401);
    should((await at.admin.call('GET', '/sign-in/any')).status).equal(401);

    await at.nodeRed.logIn('reader', 'pass');
    should(await refused()).deepEqual([401, 401, 401, 401]);
    should((await at.admin.call('GET', '/account')).status).equal(200);
    // Nobody is signed in yet, but looking is allowed.
    should((await at.admin.call('GET', '/account/files')).status).equal(400);
    should((await at.admin.call('POST', '/account/find', {})).status).equal(400);
    should((await at.admin.call('GET', '/sign-in/any')).status).equal(404);

    await at.nodeRed.logIn('editor', 'pass');
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.works();
    await at.nothingShown();
    should(at.drive.requests.to('POST', '/device/code')).have.length(1);
  });

  it('the admin API rejects requests of other sites', async () => {
    await at.started();
    const host = new URL(at.nodeRed.url).host;
    const from = async (headers: Record<string, string>): Promise<number> =>
      (await at.admin.call('GET', '/account', undefined, headers)).status;
    should(await from({ Origin: 'https://evil.example' })).equal(403);
    should(await from({ Origin: 'null' })).equal(403);
    should(await from({ 'Sec-Fetch-Site': 'cross-site' })).equal(403);
    should(await from({ Origin: `http://${host}` })).equal(200);
    should(await from({ Origin: 'https://red.example', 'X-Forwarded-Host': 'red.example' })).equal(200);
    should(await from({ 'Sec-Fetch-Site': 'same-origin' })).equal(200);

    const evil = { Origin: 'https://evil.example' };
    const body = { flow: 'device', ...customAccount(at.drive.url), ...FORM };
    for (const [method, where, content] of [
      ['POST', '/account/sign-in', body],
      ['GET', '/sign-in/any', undefined],
      ['DELETE', '/sign-in/any', undefined],
      ['DELETE', '/account/sign-in', undefined],
    ] as const) {
      const response = await at.admin.call(method, where, content, evil);
      should(response.status).equal(403);
      should(response.body).have.propertyByPath('error', 'code').equal('permission_denied');
    }
    should(at.drive.requests.all).be.empty();
  });

  it('the admin API rejects incomplete JSON', async () => {
    await at.started();
    should((await at.admin.call('POST', '/account/sign-in', '{"flow":')).status).equal(400);
  });

  it('the account works without an admin server', async () => {
    await at.started({ settings: { httpAdminRoot: false } }, true);
    at.nodeRed.receive('about');
    const [caught] = await at.nodeRed.outputs('caught');
    should(caught).have.propertyByPath('error', 'cause', 'code').equal('not_configured');
  });
});
