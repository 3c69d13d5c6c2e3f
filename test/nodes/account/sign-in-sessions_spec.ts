/** Sign-in sessions with the device flow. RFC 8628 section 3.5 */
import should from 'should';
import { GOOGLE_PRESET } from '../../../nodes/account/settings/urls';
import type { StartedSignIn } from '../../../nodes/shared/contract/account-api';
import { rejected } from '../../support/client/rejected';
import { SignInFixture } from './sign-in-fixture';

describe('SignInSessions', () => {
  let fixture: SignInFixture;
  afterEach(() => fixture.close());

  it('a sign-in session contains the code and the page for the user, but no secrets', async () => {
    fixture = await SignInFixture.open();
    const started = await fixture.start();
    should(Object.keys(started).sort()).deepEqual(
      ['expiresIn', 'flow', 'interval', 'session', 'userCode', 'verificationUrl'].sort(),
    );
    should(started.session).match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    should(started.verificationUrl).equal(`${fixture.drive.url}/device`);
    should([started.expiresIn, started.interval]).deepEqual([1800, 5]);
    const { session, ...steps } = started;
    should(fixture.sessions.status(session)).deepEqual({ state: 'pending', ...steps });
  });

  it('a sign-in session contains the verification URL with the code if the service returns one', async () => {
    fixture = await SignInFixture.open({ deviceStyle: 'rfc' });
    const { verificationUrlComplete, userCode } = await fixture.start();
    should(verificationUrlComplete).containEql(userCode);
  });

  it('a sign-in session is pending until the user decides, then authorized with tokens, user and scope', async () => {
    fixture = await SignInFixture.open();
    const { session, userCode } = await fixture.start();
    await fixture.poll();
    await fixture.clock.untilSleeping();
    should(fixture.state(session)).equal('pending');
    should(fixture.drive.approve(userCode)).equal(true);
    await fixture.poll();
    const status = await fixture.waitForEnd(session);
    should(status.state).equal('authorized');
    should(status.scope).equal('https://www.googleapis.com/auth/drive.file');
    should(Object.keys(status.account ?? {}).sort()).deepEqual(['displayName', 'emailAddress']);
    const [result] = fixture.signedIn;
    should(result?.id).equal('account');
    should(result?.tokens.refreshToken).match(/^1\/\/./);
    should(result?.since).equal(new Date(fixture.clock.now()).toISOString());
    should(JSON.stringify(status)).not.containEql(result?.tokens.accessToken ?? '');
  });

  it('a sign-in session contains the granted scope, not the requested one', async () => {
    fixture = await SignInFixture.open({}, 'auto');
    const { session, userCode } = await fixture.start('account', {
      scope: `${GOOGLE_PRESET.scope} email`,
    });
    fixture.drive.approve(userCode, GOOGLE_PRESET.scope);
    should((await fixture.waitForEnd(session)).scope).equal(GOOGLE_PRESET.scope);
  });

  it('a sign-in session is authorized without a user if the service does not return one', async () => {
    fixture = await SignInFixture.open({}, 'auto');
    fixture.drive.faults.add({ kind: 'response', status: 501, match: { path: /about/ } });
    const { session, userCode } = await fixture.start();
    fixture.drive.approve(userCode);
    const status = await fixture.waitForEnd(session);
    should(status.state).equal('authorized');
    should(status.account).equal(undefined);
  });

  it('a sign-in session is denied if the user denies it', async () => {
    fixture = await SignInFixture.open({}, 'auto');
    const { session, userCode } = await fixture.start();
    fixture.drive.deny(userCode);
    should(await fixture.waitForEnd(session)).deepEqual({
      state: 'denied',
      error: { code: 'sign_in_required', message: 'sign_in_refused_access_denied' },
    });
    should(fixture.signedIn).be.empty();
  });

  it('a sign-in session expires with its code', async () => {
    fixture = await SignInFixture.open({ deviceLifetime: 20 }, 'auto');
    const { session } = await fixture.start();
    const status = await fixture.waitForEnd(session);
    should(status.state).equal('expired');
    should(status.error?.message).equal('sign_in_refused_expired_token');
  });

  it('a sign-in session increases its polling interval permanently after slow_down', async () => {
    fixture = await SignInFixture.open({ deviceLifetime: 60 }, 'auto');
    fixture.drive.faults.add({ kind: 'oauthError', error: 'slow_down', match: { path: /token/ } });
    const { session } = await fixture.start();
    await fixture.waitForEnd(session);
    should(fixture.clock.sleeps.slice(0, 3)).deepEqual([5_000, 10_000, 10_000]);
  });

  it('a sign-in session fails with the reason of the service if the client is rejected', async () => {
    fixture = await SignInFixture.open({}, 'auto');
    const { session, userCode = '' } = await fixture.sessions.startDevice(
      'account',
      fixture.settings({}, 'wrong'),
    );
    fixture.drive.approve(userCode);
    const status = await fixture.waitForEnd(session);
    should(status.state).equal('failed');
    should(status.error?.message).equal('sign_in_refused_invalid_client');
  });

  it('a sign-in session needs a device URL and a scope', async () => {
    fixture = await SignInFixture.open();
    for (const property of ['deviceUrl', 'scope']) {
      const error = await rejected(fixture.start('account', { [property]: '' }), 'not_configured');
      should(error.params).deepEqual({ property });
    }
    should(fixture.drive.requests.all).be.empty();
  });

  it('a sign-in session that can’t be started leaves nothing behind', async () => {
    fixture = await SignInFixture.open();
    const settings = fixture.settings();
    const unknown = { ...settings, client: { ...settings.client, clientId: 'nobody' } };
    const started = fixture.sessions.startDevice('account', unknown);
    await rejected(started, 'sign_in_required', 'sign_in_refused_invalid_client');
    should(fixture.events.listenerCount('runtime-event')).equal(0);
  });

  it('a cancelled sign-in session stops polling', async () => {
    fixture = await SignInFixture.open();
    const { session } = await fixture.start();
    await fixture.clock.untilSleeping();
    should(fixture.sessions.cancel(session)).equal(true);
    should(fixture.sessions.status(session)).deepEqual({
      state: 'cancelled',
      error: { code: 'cancelled', message: 'cancelled_sign_in' },
    });
    should(fixture.clock.sleeping).equal(0);
    should(fixture.drive.requests.to('POST', /token/)).be.empty();
  });

  it('a sign-in session can be cancelled before it has a code', async () => {
    fixture = await SignInFixture.open();
    fixture.drive.faults.add({
      kind: 'delay',
      until: () => Promise.resolve(fixture.sessions.cancelAll('account')),
      match: { path: /device.code/ },
    });
    await rejected(fixture.start(), 'cancelled', 'cancelled_sign_in');
  });

  it('a finished sign-in session keeps its status when it is cancelled', async () => {
    fixture = await SignInFixture.open({}, 'auto');
    const { session, userCode } = await fixture.start();
    fixture.drive.deny(userCode);
    await fixture.waitForEnd(session);
    should(fixture.sessions.cancel(session)).equal(true);
    should(fixture.state(session)).equal('denied');
  });

  it('an unknown sign-in session is not found', async () => {
    fixture = await SignInFixture.open();
    should(fixture.sessions.status('nobody')).equal(undefined);
    should(fixture.sessions.cancel('nobody')).equal(false);
  });

  it('a new sign-in session cancels the previous one of the account', async () => {
    fixture = await SignInFixture.open();
    const first = await fixture.start('a');
    const other = await fixture.start('b');
    const second = await fixture.start('a');
    should([first, other, second].map(({ session }) => fixture.state(session))).deepEqual([
      'cancelled',
      'pending',
      'pending',
    ]);
  });

  it('a sign-in session continues if another one for the account can’t be started', async () => {
    fixture = await SignInFixture.open({}, 'auto');
    const { session, userCode } = await fixture.start();
    const nowhere = `${fixture.drive.url}/nowhere`;
    await rejected(fixture.start('account', { deviceUrl: '' }), 'not_configured');
    await rejected(fixture.start('account', { deviceUrl: nowhere }), 'bad_response');
    await rejected(fixture.startBrowser(undefined, { authUrl: '' }), 'not_configured');
    await rejected(fixture.startBrowser('not a URL'), 'invalid_input');
    should(fixture.state(session)).equal('pending');
    should(fixture.sessions.isPendingFor('account')).equal(true);
    fixture.drive.approve(userCode);
    should((await fixture.waitForEnd(session)).state).equal('authorized');
  });

  it('a sign-in session is cancelled only by later ones, not by ones requested earlier', async () => {
    fixture = await SignInFixture.open();
    let later: Promise<StartedSignIn> | undefined;
    fixture.drive.faults.add({
      kind: 'delay',
      until: async () => {
        later = fixture.start();
        await later;
      },
      match: { path: /device.code/ },
      times: 1,
    });
    await rejected(fixture.start(), 'cancelled', 'cancelled_sign_in');
    should(fixture.state((await later)?.session ?? '')).equal('pending');
  });

  it('at most twenty sign-in sessions run; the oldest one is cancelled', async () => {
    fixture = await SignInFixture.open();
    const started: StartedSignIn[] = [];
    for (let index = 0; index < 22; index++) started.push(await fixture.start(`account-${index}`));
    const states = started.map(({ session }) => fixture.state(session));
    should(states.slice(0, 3)).deepEqual(['cancelled', 'cancelled', 'pending']);
    should(states.filter((state) => state === 'pending')).have.length(20);
  });

  it('a finished sign-in session is removed after a while', async () => {
    fixture = await SignInFixture.open();
    const { session } = await fixture.start();
    fixture.sessions.cancel(session);
    fixture.clock.elapse(9 * 60_000);
    should(fixture.state(session)).equal('cancelled');
    fixture.clock.elapse(60_000);
    should(fixture.state(session)).equal(undefined);
  });

  it('sign-in sessions end with the runtime, but continue during a deploy', async () => {
    fixture = await SignInFixture.open();
    const { session } = await fixture.start();
    fixture.events.emit('runtime-event', { id: 'runtime-deploy', payload: { revision: '1' } });
    fixture.runtimeState({ state: 'stop', deploy: true });
    fixture.runtimeState({ state: 'start', deploy: true });
    fixture.runtimeState({ state: 'stop', error: 'missing-types' });
    const other = await fixture.start('other');
    const both = [session, other.session];
    should(both.map((each) => fixture.state(each))).deepEqual(['pending', 'pending']);
    fixture.runtimeState({ state: 'stop' });
    should(both.map((each) => fixture.state(each))).deepEqual(['cancelled', 'cancelled']);
    should(fixture.clock.sleeping).equal(0);
    should(fixture.events.listenerCount('runtime-event')).equal(0);
  });
});
