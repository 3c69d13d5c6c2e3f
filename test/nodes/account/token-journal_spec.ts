/** Tokens received after the last deploy are stored next to the flows: docs/security.md, "What is stored where". */
import should from 'should';
import { CLIENT, REFRESH_TOKEN } from '../../support/node-red/account';
import { DeployedFixture, FORM } from './deployed-fixture';

/** Token rotation and sign-ins between the last deploy and a restart of Node-RED. */
describe('token journal in Node-RED', () => {
  const fixture = new DeployedFixture();

  const startRotating = async (): Promise<void> => {
    await fixture.start({}, false, { rotateRefreshTokens: true });
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
  };
  const refresh = async (): Promise<void> => {
    fixture.drive.expireAccessTokens();
    await fixture.expectSuccess();
  };

  it('undeployed tokens survive several restarts with several refreshes each', async () => {
    await startRotating();
    for (let restart = 0; restart < 2; restart++) {
      await refresh();
      await refresh();
      await fixture.nodeRed.restart();
    }
    await refresh();
    await fixture.expectNoSecrets();
  });

  it('undeployed tokens survive the deploy that saves them, and a restart after it', async () => {
    await startRotating();
    await refresh();
    await fixture.nodeRed.deploy([...fixture.flow(), { id: 'more', type: 'tab', label: 'more' }], 'nodes');
    await fixture.nodeRed.restart();
    await refresh();
    await fixture.nodeRed.restart();
    await refresh();
  });

  it('the tokens of an undeployed sign-in survive a restart', async () => {
    await fixture.start();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.signIn({ clientSecret: '__PWRD__' });
    await fixture.expectSuccess();
    await fixture.nodeRed.restart();
    await fixture.expectSuccess();
    should(await fixture.admin.status('account')).have.properties({ signedIn: true });
    await fixture.expectNoSecrets();
  });

  it('undeployed tokens do not return after a sign-out', async () => {
    await startRotating();
    await refresh();
    await fixture.signOut();
    await fixture.nodeRed.restart();
    await fixture.expectSignInRequired();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.nodeRed.restart();
    await fixture.expectSignInRequired();
  });

  it('the tokens of a sign-in after a sign-out are used', async () => {
    await startRotating();
    await fixture.signOut();
    await fixture.signIn({ clientSecret: '__PWRD__' });
    await refresh();
    await fixture.nodeRed.restart();
    await refresh();
  });

  it('a token that is pasted into the form replaces undeployed tokens', async () => {
    await startRotating();
    await refresh();
    await fixture.nodeRed.deploy(fixture.flow({}, { ...FORM, refreshToken: 'another', accessToken: '' }));
    await fixture.nodeRed.restart();
    await fixture.expectSignInRequired();
  });

  it('undeployed tokens of another client do not replace the deployed ones', async () => {
    const other = { id: 'other.apps.example', secret: 'AH-1Ng-other' };
    await fixture.start({}, false, {
      rotateRefreshTokens: true,
      clients: [{ ...CLIENT }, { ...CLIENT, ...other }],
    });
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    const form = { clientId: other.id, clientSecret: other.secret };
    await fixture.signIn(form);
    await refresh();
    await fixture.nodeRed.deploy([...fixture.flow(), { id: 'more', type: 'tab', label: 'more' }]);
    await fixture.nodeRed.restart();
    await refresh();
    await fixture.signIn(form);
    await fixture.nodeRed.deploy(fixture.flow({ signedInAt: 'now' }, form));
    await refresh();
    should(fixture.drive.requests.to('POST', '/token').at(-1)?.form.get('client_id')).equal(other.id);
    await fixture.nodeRed.restart();
    await refresh();
    await fixture.signOut();
    await fixture.nodeRed.restart();
    await fixture.expectSignInRequired();
  });

  describe('refresh token from the environment', () => {
    const env = { TEST_REFRESH_TOKEN: REFRESH_TOKEN };
    const credentials = { ...FORM, refreshToken: '${TEST_REFRESH_TOKEN}' };

    it('tokens from the environment do not return after a sign-out', async () => {
      await fixture.start({ env }, false, { refreshToken: REFRESH_TOKEN });
      await fixture.nodeRed.deploy(fixture.flow({}, credentials));
      await fixture.expectSuccess();
      await fixture.signOut();
      await fixture.expectSignInRequired();
      await fixture.nodeRed.restart();
      await fixture.expectSignInRequired();
    });

    it('the tokens of a new sign-in replace a revoked one of the environment', async () => {
      await fixture.start({ env });
      await fixture.nodeRed.deploy(fixture.flow({}, credentials));
      await fixture.expectSignInRequired();
      await fixture.signIn({ clientSecret: '__PWRD__' });
      await fixture.expectSuccess();
      await fixture.nodeRed.restart();
      await fixture.expectSuccess();
    });
  });
});
