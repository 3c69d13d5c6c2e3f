/** Tokens received after the last deploy are stored next to the flows: docs/security.md, "What is stored where". */
import { mkdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { CLIENT, REFRESH_TOKEN } from '../../support/node-red/account';
import { DeployedFixture, FORM } from './deployed-fixture';

/** What the random sequences of sign-in-sequences_spec.ts don't contain. */
describe('token journal in Node-RED', () => {
  const fixture = new DeployedFixture();

  it('the deploy saves the tokens of a sign-in whose account was deployed without a client', async () => {
    await fixture.start({ settings: { credentialSecret: false } });
    await fixture.nodeRed.deploy(fixture.flow());
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    (await fixture.nodeRed.file('flows_cred.json')).should.containEql('refreshToken');
    await fixture.expectSuccess();
    await fixture.nodeRed.restart();
    await fixture.expectSuccess();
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

  it('a sign-out that can not be saved is reported, and final once it is saved', async () => {
    await fixture.startRotating();
    await fixture.nodeRed.deploy(fixture.flow({ name: 'signed in' }));
    // A folder in place of the temporary file makes every write fail, also for root.
    const blocked = path.join(fixture.nodeRed.userDir, '.cloud-drive-state.flows.json.new');
    await mkdir(blocked);
    const { status, body } = await fixture.admin.call('DELETE', '/account/sign-in');
    should(status).equal(400);
    should(body)
      .have.property('error')
      .match({ code: 'local_file', message: /can't be saved/ });
    await fixture.expectSignedOut();
    await rmdir(blocked);
    await fixture.signOut();
    await fixture.nodeRed.kill();
    await fixture.nodeRed.start();
    await fixture.expectSignedOut();
  });

  it('a token that is pasted into the form replaces undeployed tokens', async () => {
    await fixture.startRotating();
    await fixture.refresh();
    await fixture.nodeRed.deploy(fixture.flow({}, { ...FORM, refreshToken: 'another', accessToken: '' }));
    await fixture.nodeRed.restart();
    await fixture.expectSignInRequired();
  });

  it('a sign-in survives 51 rotations without a deploy', async () => {
    await fixture.startRotating();
    for (let rotation = 0; rotation < 51; rotation++) await fixture.refresh();
    await fixture.nodeRed.restart();
    await fixture.refresh();
  });

  it('tokens that arrive after a deploy that no longer waits for them are used, and survive a restart', async () => {
    await fixture.startRotating({ clockSpeed: 20 });
    await fixture.refresh();
    await fixture.deployDuringRefresh('renamed', true);
    await fixture.refresh();
    await fixture.nodeRed.restart();
    await fixture.refresh();
  });

  it('a token that is pasted again after a sign-out signs in', async () => {
    await fixture.start({}, false, { refreshToken: REFRESH_TOKEN });
    const credentials = { ...FORM, refreshToken: REFRESH_TOKEN };
    await fixture.nodeRed.deploy(fixture.flow({}, credentials));
    await fixture.signOut();
    await fixture.nodeRed.deploy(fixture.flow({ name: 'signed out' }));
    await fixture.expectSignedOut();
    await fixture.nodeRed.deploy(fixture.flow({}, credentials));
    await fixture.expectSuccess();
    await fixture.nodeRed.restart();
    await fixture.expectSuccess();
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
    await fixture.refresh();
    await fixture.nodeRed.deploy([...fixture.flow(), { id: 'more', type: 'tab', label: 'more' }]);
    await fixture.nodeRed.restart();
    await fixture.refresh();
    await fixture.signIn(form);
    await fixture.nodeRed.deploy(fixture.flow({ signedInAt: 'now' }, form));
    await fixture.refresh();
    should(fixture.drive.requests.to('POST', '/token').at(-1)?.form.get('client_id')).equal(other.id);
    await fixture.nodeRed.restart();
    await fixture.refresh();
    await fixture.signOut();
    await fixture.nodeRed.restart();
    await fixture.expectSignedOut();
  });

  describe('refresh token from the environment', () => {
    const env = { TEST_REFRESH_TOKEN: REFRESH_TOKEN };
    const credentials = { ...FORM, refreshToken: '${TEST_REFRESH_TOKEN}' };

    it('tokens from the environment do not return after a sign-out', async () => {
      await fixture.start({ env }, false, { refreshToken: REFRESH_TOKEN });
      await fixture.nodeRed.deploy(fixture.flow({}, credentials));
      await fixture.expectSuccess();
      await fixture.signOut();
      await fixture.expectSignedOut();
      await fixture.nodeRed.restart();
      await fixture.expectSignedOut();
    });

    it('a rotated token survives a restart, although a line break follows the first one', async () => {
      const rotated = { refreshToken: REFRESH_TOKEN, rotateRefreshTokens: true };
      await fixture.start({ env: { TEST_REFRESH_TOKEN: `${REFRESH_TOKEN}\n` } }, false, rotated);
      await fixture.nodeRed.deploy(fixture.flow({}, credentials));
      await fixture.expectSuccess();
      await fixture.nodeRed.restart();
      await fixture.refresh();
    });

    for (const variable of ['rotated tokens', 'a sign-out'] as const) {
      it(`${variable} of CLOUD_DRIVE_ACCOUNT survive restarts and deploys`, async () => {
        const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
        const account = { CLOUD_DRIVE_ACCOUNT: JSON.stringify({ ...client, refreshToken: REFRESH_TOKEN }) };
        const rotated = { refreshToken: REFRESH_TOKEN, rotateRefreshTokens: true };
        await fixture.start({ env: account }, true, rotated);
        await fixture.refresh();
        const isSignedOut = variable === 'a sign-out';
        if (isSignedOut) await fixture.signOut();
        for (const name of ['one', 'two']) {
          await fixture.nodeRed.restart();
          await (isSignedOut ? fixture.expectSignedOut() : fixture.refresh());
          await fixture.nodeRed.deploy(fixture.flow({ name }));
          await (isSignedOut ? fixture.expectSignedOut() : fixture.refresh());
        }
      });
    }

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
