/** Tokens received after the last deploy are stored next to the flows: docs/security.md, "What is stored where". */
import should from 'should';
import { CLIENT, REFRESH_TOKEN } from '../../support/node-red/account';
import { DeployedFixture, FORM } from './deployed-fixture';

/** A service that gives a new refresh token with each refresh, and a Node-RED that is restarted without a deploy. */
describe('tokens received after the last deploy', () => {
  const at = new DeployedFixture();
  afterEach(() => at.stopped());

  const rotating = async (): Promise<void> => {
    await at.started({}, false, { rotateRefreshTokens: true });
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
  };
  const renew = async (): Promise<void> => {
    at.drive.expireAccessTokens();
    await at.works();
  };

  it('undeployed tokens survive a restart', async () => {
    await rotating();
    await renew();
    await at.nodeRed.restart();
    await renew();
    await at.nothingShown();
  });

  it('undeployed tokens survive several restarts with several refreshes each', async () => {
    await rotating();
    for (let restart = 0; restart < 2; restart++) {
      await renew();
      await renew();
      await at.nodeRed.restart();
    }
    await renew();
  });

  it('undeployed tokens survive the deploy that saves them, and a restart after it', async () => {
    await rotating();
    await renew();
    await at.nodeRed.deploy([...at.flow(), { id: 'more', type: 'tab', label: 'more' }], 'nodes');
    await at.nodeRed.restart();
    await renew();
    await at.nodeRed.restart();
    await renew();
  });

  it('the tokens of an undeployed sign-in survive a restart', async () => {
    await at.started();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.signIn({ clientSecret: '__PWRD__' });
    await at.works();
    await at.nodeRed.restart();
    await at.works();
    should(await at.admin.view('account')).have.properties({ signedIn: true });
    await at.nothingShown();
  });

  it('undeployed tokens do not return after a sign-out', async () => {
    await rotating();
    await renew();
    await at.signOut();
    await at.nodeRed.restart();
    await at.notSignedIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.nodeRed.restart();
    await at.notSignedIn();
  });

  it('the tokens of a sign-in after a sign-out are used', async () => {
    await rotating();
    await at.signOut();
    await at.signIn({ clientSecret: '__PWRD__' });
    await renew();
    await at.nodeRed.restart();
    await renew();
  });

  it('a token that is pasted into the form replaces undeployed tokens', async () => {
    await rotating();
    await renew();
    await at.nodeRed.deploy(at.flow({}, { ...FORM, refreshToken: 'another', accessToken: '' }));
    await at.nodeRed.restart();
    await at.notSignedIn();
  });

  it('undeployed tokens of another client do not replace the deployed ones', async () => {
    const other = { id: 'other.apps.example', secret: 'AH-1Ng-other' };
    await at.started({}, false, {
      rotateRefreshTokens: true,
      clients: [{ ...CLIENT }, { ...CLIENT, ...other }],
    });
    await at.signIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    const form = { clientId: other.id, clientSecret: other.secret };
    await at.signIn(form);
    await renew();
    await at.nodeRed.deploy([...at.flow(), { id: 'more', type: 'tab', label: 'more' }]);
    await at.nodeRed.restart();
    await renew();
    await at.signIn(form);
    await at.nodeRed.deploy(at.flow({ signedInAt: 'now' }, form));
    await renew();
    should(at.drive.requests.to('POST', '/token').at(-1)?.form.get('client_id')).equal(other.id);
    await at.nodeRed.restart();
    await renew();
    await at.signOut();
    await at.nodeRed.restart();
    await at.notSignedIn();
  });

  describe('with the token of the account in the environment', () => {
    const env = { TEST_REFRESH_TOKEN: REFRESH_TOKEN };
    const credentials = { ...FORM, refreshToken: '${TEST_REFRESH_TOKEN}' };

    it('undeployed tokens do not return after a sign-out', async () => {
      await at.started({ env }, false, { refreshToken: REFRESH_TOKEN });
      await at.nodeRed.deploy(at.flow({}, credentials));
      await at.works();
      await at.signOut();
      await at.notSignedIn();
      await at.nodeRed.restart();
      await at.notSignedIn();
    });

    it('the tokens of a new sign-in replace a revoked one of the environment', async () => {
      await at.started({ env });
      await at.nodeRed.deploy(at.flow({}, credentials));
      await at.notSignedIn();
      await at.signIn({ clientSecret: '__PWRD__' });
      await at.works();
      await at.nodeRed.restart();
      await at.works();
    });
  });
});
