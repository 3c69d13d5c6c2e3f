/** Where tokens are after deploys and restarts of a real Node-RED: docs/security.md, "What is stored where". */
import should from 'should';
import { CLIENT } from '../../support/node-red/account';
import { DeployedFixture, FOREIGN, FORM } from './deployed-fixture';

/** Where tokens are stored in a real Node-RED, after all that a user can do between a sign-in and the next start. */
describe('the tokens of an account in a real Node-RED', () => {
  const at = new DeployedFixture();
  afterEach(() => at.stopped());

  it('the tokens of a new node survive Done, Deploy and a restart', async () => {
    await at.started();
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.works();
    await at.nodeRed.restart();
    await at.works();
    should(await at.admin.view('account')).have.properties({ signedIn: true });
    await at.nothingShown();
  });

  it('the tokens of a new node survive deploys by other users', async () => {
    await at.started();
    await at.signIn();
    await at.nodeRed.deploy(FOREIGN);
    await at.nodeRed.deploy([...FOREIGN, { id: 'more', type: 'tab', label: 'more' }]);
    should(await at.admin.view('account')).have.properties({ signedIn: true });
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.nodeRed.restart();
    await at.works();
    await at.nothingShown();
  });

  it('new tokens of a deployed node work at once, and survive a deploy by another user and a restart', async () => {
    await at.started();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.notSignedIn();
    await at.signIn({ clientSecret: '__PWRD__' });
    await at.works();
    await at.nodeRed.deploy([...at.flow(), { id: 'more', type: 'tab', label: 'more' }]);
    await at.nodeRed.restart();
    await at.works();
    await at.nothingShown();
  });

  for (const type of ['nodes', 'flows', 'full'] as const) {
    it(`the tokens and the sign-in time of a deployed node survive a deploy of type "${type}"`, async () => {
      await at.started();
      await at.nodeRed.deploy(at.flow({}, FORM));
      await at.signIn({ clientSecret: '__PWRD__' });
      const form = {
        clientId: CLIENT.id,
        clientSecret: '__PWRD__',
        refreshToken: '__PWRD__',
        accessToken: '__PWRD__',
      };
      await at.nodeRed.deploy(at.flow({ signedInAt: new Date().toISOString() }, form), type);
      await at.works();
      await at.nodeRed.restart();
      await at.works();
      await at.nothingShown();
    });
  }

  it('the tokens are replaced by those of the next sign-in', async () => {
    await at.started();
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.signIn({ clientSecret: '__PWRD__' });
    await at.nodeRed.deploy(at.flow({ signedInAt: 'now' }), 'nodes');
    at.drive.requests.clear();
    at.drive.expireAccessTokens();
    await at.works();
    should(at.drive.requests.to('POST', '/token')).have.length(1);
    await at.nothingShown();
  });

  it('the tokens are removed after a sign-out and a deploy', async () => {
    await at.started();
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.works();
    should((await at.admin.call('DELETE', '/account/sign-in?revoke=true')).status).equal(204);
    await at.notSignedIn();
    await at.nodeRed.deploy(at.flow({ signedInAt: '' }), 'nodes');
    await at.nodeRed.restart();
    await at.notSignedIn();
    should(at.drive.requests.to('POST', '/revoke')).have.length(1);
    await at.nothingShown();
  });

  it('the tokens are removed with their node', async () => {
    await at.started();
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.nodeRed.deploy(FOREIGN);
    should(await at.admin.view('account')).deepEqual({ signedIn: false });
  });

  it('refreshed tokens are saved by the next deploy', async () => {
    await at.started();
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    at.drive.expireAccessTokens();
    await at.works();
    at.drive.requests.clear();
    await at.nodeRed.deploy([...at.flow(), { id: 'more', type: 'tab', label: 'more' }]);
    await at.nodeRed.restart();
    await at.works();
    should(at.drive.requests.to('POST', '/token')).be.empty();
    await at.nothingShown();
  });

  it('the tokens can belong to a client from the environment', async () => {
    await at.started({ env: { TEST_CLIENT: CLIENT.id, TEST_SECRET: CLIENT.secret } });
    const form = { clientId: '${TEST_CLIENT}', clientSecret: '${TEST_SECRET}' };
    await at.signIn(form);
    await at.nodeRed.deploy(at.flow({}, form));
    await at.works();
    should(await at.nodeRed.file('flows.json')).not.containEql(CLIENT.secret);
    should(at.admin.answers.join()).not.containEql(CLIENT.secret);
  });

  it('a sign-in works below another httpAdminRoot', async () => {
    await at.started({ settings: { httpAdminRoot: '/admin/red' } });
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.nodeRed.restart();
    await at.works();
    await at.nothingShown();
  });
});
