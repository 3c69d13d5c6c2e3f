/** Storage of tokens across deploys and restarts of Node-RED. docs/security.md, "What is stored where" */
import should from 'should';
import { CLIENT } from '../../support/node-red/account';
import { storedCredentials } from '../../support/node-red/stored-credentials';
import { DeployedFixture, OTHER_FLOW, FORM } from './deployed-fixture';
import { itLong } from '../../support/run/long';

describe('stored credentials in Node-RED', () => {
  const fixture = new DeployedFixture();

  it('the tokens of a new node survive Done, Deploy and a restart', async () => {
    await fixture.start();
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.expectSuccess();
    await fixture.nodeRed.restart();
    await fixture.expectSuccess();
    should(await fixture.admin.status('account')).have.properties({ signedIn: true });
    await fixture.expectNoSecrets();
  });

  itLong('the tokens of a new node survive deploys by other users', async () => {
    await fixture.start();
    await fixture.signIn();
    await fixture.nodeRed.deploy(OTHER_FLOW);
    await fixture.nodeRed.deploy([...OTHER_FLOW, { id: 'more', type: 'tab', label: 'more' }]);
    should(await fixture.admin.status('account')).have.properties({ signedIn: true });
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.nodeRed.restart();
    await fixture.expectSuccess();
    await fixture.expectNoSecrets();
  });

  itLong(
    'new tokens of a deployed node work at once, and survive a deploy by another user and a restart',
    async () => {
      await fixture.start();
      await fixture.nodeRed.deploy(fixture.flow({}, FORM));
      await fixture.expectSignInRequired();
      await fixture.signIn({ clientSecret: '__PWRD__' });
      await fixture.expectSuccess();
      await fixture.nodeRed.deploy([...fixture.flow(), { id: 'more', type: 'tab', label: 'more' }]);
      await fixture.nodeRed.restart();
      await fixture.expectSuccess();
      await fixture.expectNoSecrets();
    },
  );

  for (const type of ['nodes', 'flows', 'full'] as const) {
    it(`the tokens and the sign-in time of a deployed node survive a deploy of type "${type}"`, async () => {
      await fixture.start();
      await fixture.nodeRed.deploy(fixture.flow({}, FORM));
      await fixture.signIn({ clientSecret: '__PWRD__' });
      const form = {
        clientId: CLIENT.id,
        clientSecret: '__PWRD__',
        refreshToken: '__PWRD__',
        accessToken: '__PWRD__',
      };
      await fixture.nodeRed.deploy(fixture.flow({ signedInAt: new Date().toISOString() }, form), type);
      await fixture.expectSuccess();
      should((await storedCredentials(fixture.nodeRed))['account']).have.properties([
        'clientSecret',
        'refreshToken',
        'accessToken',
      ]);
      await fixture.expectNoSecrets();
    });
  }

  it('the tokens are replaced by those of the next sign-in', async () => {
    await fixture.start();
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.signIn({ clientSecret: '__PWRD__' });
    await fixture.nodeRed.deploy(fixture.flow({ signedInAt: 'now' }), 'nodes');
    fixture.drive.requests.clear();
    fixture.drive.expireAccessTokens();
    await fixture.expectSuccess();
    should(fixture.drive.requests.to('POST', '/token')).have.length(1);
    await fixture.expectNoSecrets();
  });

  it('the tokens are removed after a sign-out and a deploy', async () => {
    await fixture.start();
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.expectSuccess();
    should((await fixture.admin.call('DELETE', '/account/sign-in?revoke=true')).status).equal(204);
    await fixture.expectSignInRequired();
    await fixture.nodeRed.deploy(fixture.flow({ signedInAt: '' }), 'nodes');
    await fixture.nodeRed.restart();
    await fixture.expectSignInRequired();
    should(fixture.drive.requests.to('POST', '/revoke')).have.length(1);
    await fixture.expectNoSecrets();
  });

  it('the tokens are removed with their node', async () => {
    await fixture.start();
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.nodeRed.deploy(OTHER_FLOW);
    should(await fixture.admin.status('account')).deepEqual({ signedIn: false });
  });

  itLong('refreshed tokens are saved by the next deploy', async () => {
    await fixture.start();
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    fixture.drive.expireAccessTokens();
    await fixture.expectSuccess();
    fixture.drive.requests.clear();
    await fixture.nodeRed.deploy([...fixture.flow(), { id: 'more', type: 'tab', label: 'more' }]);
    await fixture.nodeRed.restart();
    await fixture.expectSuccess();
    should(fixture.drive.requests.to('POST', '/token')).be.empty();
    await fixture.expectNoSecrets();
  });

  it('the tokens can belong to a client from the environment', async () => {
    await fixture.start({ env: { TEST_CLIENT: CLIENT.id, TEST_SECRET: CLIENT.secret } });
    const form = { clientId: '${TEST_CLIENT}', clientSecret: '${TEST_SECRET}' };
    await fixture.signIn(form);
    await fixture.nodeRed.deploy(fixture.flow({}, form));
    await fixture.expectSuccess();
    should(await fixture.nodeRed.file('flows.json')).not.containEql(CLIENT.secret);
    should(fixture.admin.responses.join()).not.containEql(CLIENT.secret);
  });

  it('a sign-in works below another httpAdminRoot', async () => {
    await fixture.start({ settings: { httpAdminRoot: '/admin/red' } });
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.nodeRed.restart();
    await fixture.expectSuccess();
    await fixture.expectNoSecrets();
  });
});
