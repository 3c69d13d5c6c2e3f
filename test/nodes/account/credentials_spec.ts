import should from 'should';
import { type LocalDrive, startLocalDrive } from '../../local-drive/index';
import { CLIENT, customAccount } from '../../support/account';
import { AdminCalls } from '../../support/account-admin';
import { type Deployed, type NodeRed, type NodeRedOptions, startNodeRed } from '../../support/node-red';

/** bcrypt of "pass". */
const HASH = '$2b$04$y5d/SCxwDEr0oNSiOLVAO.HhmXin.MXRIKREQBoiwlod8zznIQkd6';
const ADMIN_AUTH = {
  type: 'credentials',
  users: [
    { username: 'editor', password: HASH, permissions: '*' },
    { username: 'reader', password: HASH, permissions: 'read' },
  ],
};

/** Where tokens are, in a real Node-RED, after everything that a person may do between a sign-in and the next start. */
describe('the tokens of an account in a real Node-RED', () => {
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let admin: AdminCalls;

  async function started(options: NodeRedOptions = {}): Promise<void> {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 0.05 });
    nodeRed = await startNodeRed(options);
    admin = new AdminCalls((where, init) => nodeRed.request(where, init));
  }

  afterEach(async () => {
    await nodeRed.close();
    await drive.close();
  });

  /** What the editor deploys: the credentials are those of the form, the tokens were never in it. */
  function flow(
    account: Record<string, unknown> = {},
    credentials: Deployed['credentials'] = {},
  ): Deployed[] {
    const place = { z: 'tab', x: 0, y: 0 };
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      {
        id: 'account',
        type: 'cloud-drive-account',
        ...customAccount(drive.url),
        ...account,
        ...(Object.keys(credentials).length > 0 ? { credentials } : {}),
      },
      { id: 'about', type: 'cloud-drive-about', ...place, account: 'account', wires: [['out']] },
      { id: 'catch', type: 'catch', ...place, wires: [['caught']] },
      { id: 'out', type: 'test-output', ...place, wires: [] },
      { id: 'caught', type: 'test-output', ...place, wires: [] },
    ];
  }

  const FORM = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
  const FOREIGN: Deployed[] = [{ id: 'tab', type: 'tab', label: 'another tab' }];

  async function signIn(form: Record<string, unknown> = {}): Promise<void> {
    const { status, body } = await admin.start('account', drive.url, form);
    should(status).equal(201);
    drive.approve(String(body?.['userCode']));
    should(await admin.ended(body?.['session'])).have.property('state', 'authorized');
  }

  let runs = 0;
  /** The account works: the answer comes to the output. */
  async function works(): Promise<void> {
    runs += 1;
    const before = (await nodeRed.outputs('out', 0)).length;
    nodeRed.receive('about', { run: runs });
    const messages = await nodeRed.outputs('out', before + 1);
    should(messages.at(-1)).have.property('run', runs);
  }

  async function notSignedIn(): Promise<void> {
    const before = (await nodeRed.outputs('caught', 0)).length;
    nodeRed.receive('about');
    const caught = (await nodeRed.outputs('caught', before + 1)).at(-1);
    should(caught).have.propertyByPath('error', 'cause', 'code').equal('sign_in_required');
  }

  /** No token and no secret is where anybody could read it. */
  async function nothingShown(): Promise<void> {
    const places = {
      'flows.json': await nodeRed.file('flows.json'),
      'flows_cred.json': await nodeRed.file('flows_cred.json').catch(() => ''),
      'GET /flows': await (await nodeRed.request('/flows')).text(),
      'GET /credentials': await (await nodeRed.request('/credentials/cloud-drive-account/account')).text(),
      'the admin API': admin.answers.join('\n'),
      'the log': nodeRed.log.join('\n'),
    };
    should(places['GET /credentials']).containEql(CLIENT.id);
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [CLIENT.secret, 'ya29.', '1//', 'AH-1Ng']) {
        should(text.includes(secret)).equal(false, `${secret} is in ${place}`);
      }
    }
  }

  it('of a new node outlive Done, Deploy and a restart', async () => {
    await started();
    await signIn();
    await nodeRed.deploy(flow({}, FORM));
    await works();
    await nodeRed.restart();
    await works();
    should(await admin.view('account')).have.properties({ signedIn: true });
    await nothingShown();
  });

  it('of a new node outlive deploys of others in between', async () => {
    await started();
    await signIn();
    await nodeRed.deploy(FOREIGN);
    await nodeRed.deploy([...FOREIGN, { id: 'more', type: 'tab', label: 'more' }]);
    should(await admin.view('account')).have.properties({ signedIn: true });
    await nodeRed.deploy(flow({}, FORM));
    await nodeRed.restart();
    await works();
    await nothingShown();
  });

  it('of a deployed node work at once, and outlive the deploy of another and a restart', async () => {
    await started();
    await nodeRed.deploy(flow({}, FORM));
    await notSignedIn();
    await signIn({ clientSecret: '__PWRD__' });
    await works();
    await nodeRed.deploy([...flow(), { id: 'more', type: 'tab', label: 'more' }]);
    await nodeRed.restart();
    await works();
    await nothingShown();
  });

  for (const type of ['nodes', 'flows', 'full'] as const) {
    it(`of a deployed node outlive a deploy of the kind "${type}" with the time of the sign-in`, async () => {
      await started();
      await nodeRed.deploy(flow({}, FORM));
      await signIn({ clientSecret: '__PWRD__' });
      const form = {
        clientId: CLIENT.id,
        clientSecret: '__PWRD__',
        refreshToken: '__PWRD__',
        accessToken: '__PWRD__',
      };
      await nodeRed.deploy(flow({ signedInAt: new Date().toISOString() }, form), type);
      await works();
      await nodeRed.restart();
      await works();
      await nothingShown();
    });
  }

  it('are replaced by those of the next sign-in', async () => {
    await started();
    await signIn();
    await nodeRed.deploy(flow({}, FORM));
    await signIn({ clientSecret: '__PWRD__' });
    await nodeRed.deploy(flow({ signedInAt: 'now' }), 'nodes');
    drive.requests.clear();
    drive.expireAccessTokens();
    await works();
    should(drive.requests.to('POST', '/token')).have.length(1);
    await nothingShown();
  });

  it('are gone after a sign-out and a deploy', async () => {
    await started();
    await signIn();
    await nodeRed.deploy(flow({}, FORM));
    await works();
    should((await admin.call('DELETE', '/account/sign-in?revoke=true')).status).equal(204);
    await notSignedIn();
    await nodeRed.deploy(flow({ signedInAt: '' }), 'nodes');
    await nodeRed.restart();
    await notSignedIn();
    should(drive.requests.to('POST', '/revoke')).have.length(1);
    await nothingShown();
  });

  it('go with the node when it is deleted', async () => {
    await started();
    await signIn();
    await nodeRed.deploy(flow({}, FORM));
    await nodeRed.deploy(FOREIGN);
    should(await admin.view('account')).deepEqual({ signedIn: false });
  });

  it('that a refresh has changed are saved with the next deploy', async () => {
    await started();
    await signIn();
    await nodeRed.deploy(flow({}, FORM));
    drive.expireAccessTokens();
    await works();
    drive.requests.clear();
    await nodeRed.deploy([...flow(), { id: 'more', type: 'tab', label: 'more' }]);
    await nodeRed.restart();
    await works();
    should(drive.requests.to('POST', '/token')).be.empty();
    await nothingShown();
  });

  it('can be of a client that the environment names', async () => {
    await started({ env: { TEST_CLIENT: CLIENT.id, TEST_SECRET: CLIENT.secret } });
    const form = { clientId: '${TEST_CLIENT}', clientSecret: '${TEST_SECRET}' };
    await signIn(form);
    await nodeRed.deploy(flow({}, form));
    await works();
    should(await nodeRed.file('flows.json')).not.containEql(CLIENT.secret);
    should(admin.answers.join()).not.containEql(CLIENT.secret);
  });

  it('come in the same way below another admin address', async () => {
    await started({ settings: { httpAdminRoot: '/admin/red' } });
    await signIn();
    await nodeRed.deploy(flow({}, FORM));
    await nodeRed.restart();
    await works();
    await nothingShown();
  });

  it('come in the same way where people log in, and not without or with a reader alone', async () => {
    await started({ settings: { adminAuth: ADMIN_AUTH } });
    const refused = async (): Promise<number[]> => [
      (await admin.start('account', drive.url)).status,
      (await admin.call('DELETE', '/account/sign-in')).status,
      (await admin.call('DELETE', '/sign-in/any')).status,
    ];
    should(await refused()).deepEqual([401, 401, 401]);
    should((await admin.call('GET', '/account')).status).equal(401);
    should((await admin.call('GET', '/sign-in/any')).status).equal(401);

    await nodeRed.logIn('reader', 'pass');
    should(await refused()).deepEqual([401, 401, 401]);
    should((await admin.call('GET', '/account')).status).equal(200);
    should((await admin.call('GET', '/sign-in/any')).status).equal(404);

    await nodeRed.logIn('editor', 'pass');
    await signIn();
    await nodeRed.deploy(flow({}, FORM));
    await works();
    await nothingShown();
    should(drive.requests.to('POST', '/device/code')).have.length(1);
  });

  it('are out of reach for the pages of other sites', async () => {
    await started();
    const host = new URL(nodeRed.url).host;
    const from = async (headers: Record<string, string>): Promise<number> =>
      (await admin.call('GET', '/account', undefined, headers)).status;
    should(await from({ Origin: 'https://evil.example' })).equal(403);
    should(await from({ Origin: 'null' })).equal(403);
    should(await from({ 'Sec-Fetch-Site': 'cross-site' })).equal(403);
    should(await from({ Origin: `http://${host}` })).equal(200);
    should(await from({ Origin: 'https://red.example', 'X-Forwarded-Host': 'red.example' })).equal(200);
    should(await from({ 'Sec-Fetch-Site': 'same-origin' })).equal(200);

    const evil = { Origin: 'https://evil.example' };
    const body = { flow: 'device', ...customAccount(drive.url), ...FORM };
    for (const [method, where, content] of [
      ['POST', '/account/sign-in', body],
      ['GET', '/sign-in/any', undefined],
      ['DELETE', '/sign-in/any', undefined],
      ['DELETE', '/account/sign-in', undefined],
    ] as const) {
      const answer = await admin.call(method, where, content, evil);
      should(answer.status).equal(403);
      should(answer.body).have.propertyByPath('error', 'code').equal('permission_denied');
    }
    should(drive.requests.all).be.empty();
  });

  it('do not matter to a Node-RED without an admin server', async () => {
    drive = await startLocalDrive();
    nodeRed = await startNodeRed({ settings: { httpAdminRoot: false }, flow: flow() });
    nodeRed.receive('about');
    const [caught] = await nodeRed.outputs('caught');
    should(caught).have.propertyByPath('error', 'cause', 'code').equal('not_configured');
  });
});
