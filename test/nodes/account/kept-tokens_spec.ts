/** Tokens that came after the last deploy are kept beside the flows: docs/security.md, "What is stored where". */
import should from 'should';
import { CLIENT, REFRESH_TOKEN } from '../../support/node-red/account';
import { DeployedFixture, FORM } from './deployed-fixture';

/** A service that gives a new refresh token with each refresh, and a Node-RED that is restarted without a deploy. */
describe('tokens that came after the last deploy', () => {
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

  it('outlive a restart', async () => {
    await rotating();
    await renew();
    await at.nodeRed.restart();
    await renew();
    await at.nothingShown();
  });

  it('outlive several restarts, each after several renewals', async () => {
    await rotating();
    for (let restart = 0; restart < 2; restart++) {
      await renew();
      await renew();
      await at.nodeRed.restart();
    }
    await renew();
  });

  it('outlive a deploy that saves them, and the restart after it', async () => {
    await rotating();
    await renew();
    await at.nodeRed.deploy([...at.flow(), { id: 'more', type: 'tab', label: 'more' }], 'nodes');
    await at.nodeRed.restart();
    await renew();
    await at.nodeRed.restart();
    await renew();
  });

  it('of a sign-in that nobody deployed outlive a restart', async () => {
    await at.started();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.signIn({ clientSecret: '__PWRD__' });
    await at.works();
    await at.nodeRed.restart();
    await at.works();
    should(await at.admin.view('account')).have.properties({ signedIn: true });
    await at.nothingShown();
  });

  it('do not come back after a sign-out', async () => {
    await rotating();
    await renew();
    await at.signOut();
    await at.nodeRed.restart();
    await at.notSignedIn();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.nodeRed.restart();
    await at.notSignedIn();
  });

  it('of a sign-in after a sign-out are the ones that count', async () => {
    await rotating();
    await at.signOut();
    await at.signIn({ clientSecret: '__PWRD__' });
    await renew();
    await at.nodeRed.restart();
    await renew();
  });

  it('give way to a token that somebody has put into the form', async () => {
    await rotating();
    await renew();
    await at.nodeRed.deploy(at.flow({}, { ...FORM, refreshToken: 'another', accessToken: '' }));
    await at.nodeRed.restart();
    await at.notSignedIn();
  });

  it('of another client do not replace those of the account before they are deployed', async () => {
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

  describe('where the environment holds the token of the deployed account', () => {
    const env = { TEST_REFRESH_TOKEN: REFRESH_TOKEN };
    const credentials = { ...FORM, refreshToken: '${TEST_REFRESH_TOKEN}' };

    it('do not come back after a sign-out', async () => {
      await at.started({ env }, false, { refreshToken: REFRESH_TOKEN });
      await at.nodeRed.deploy(at.flow({}, credentials));
      await at.works();
      await at.signOut();
      await at.notSignedIn();
      await at.nodeRed.restart();
      await at.notSignedIn();
    });

    it('are those of the sign-in that replaced a dead one', async () => {
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
