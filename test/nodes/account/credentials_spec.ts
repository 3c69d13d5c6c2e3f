/** Storage of tokens across deploys. docs/security.md, "What is stored where" */
import should from 'should';
import { CLIENT } from '../../support/node-red/account';
import { storedCredentials } from '../../support/node-red/stored-credentials';
import { DeployedFixture, FORM, OTHER_FLOW, SAVED_FORM } from './deployed-fixture';

describe('stored credentials in Node-RED', () => {
  const fixture = new DeployedFixture();

  for (const type of ['nodes', 'flows', 'full'] as const) {
    it(`the tokens and the sign-in time of a deployed node survive a deploy of type "${type}"`, async () => {
      await fixture.start();
      await fixture.nodeRed.deploy(fixture.flow({}, FORM));
      await fixture.signIn(SAVED_FORM);
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
    await fixture.signIn(SAVED_FORM);
    await fixture.nodeRed.deploy(fixture.flow({ signedInAt: 'now' }), 'nodes');
    fixture.drive.requests.clear();
    fixture.drive.expireAccessTokens();
    await fixture.expectSuccess();
    should(fixture.drive.requests.to('POST', '/token')).have.length(1);
    await fixture.expectNoSecrets();
  });

  it('the tokens are removed with their node', async () => {
    await fixture.start();
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.nodeRed.deploy(OTHER_FLOW);
    should(await fixture.admin.status('account')).deepEqual({ signedIn: false });
  });
});
