import { EventEmitter } from 'node:events';
import should from 'should';
import { GOOGLE } from '../../../nodes/account/presets';
import { accountSettings, type AccountSettings } from '../../../nodes/account/settings';
import {
  type SignInState,
  type SignInView,
  SignInSessions,
  type SignedIn,
  type StartedSignIn,
} from '../../../nodes/account/sign-in-sessions';
import type { DriveError } from '../../../src/index';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive/index';
import { CLIENT, customAccount } from '../../support/account';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/rejected';

/** Sign-ins against a local drive that shares their clock. */
class Fixture {
  readonly events = new EventEmitter();
  readonly signedIn: (SignedIn & { id: string })[] = [];
  readonly sessions: SignInSessions;
  private readonly ends = new EventEmitter();

  private constructor(
    readonly drive: LocalDrive,
    readonly clock: FakeClock,
  ) {
    this.sessions = new SignInSessions({
      clock,
      events: this.events,
      explain: (error) => {
        setImmediate(() => this.ends.emit('end'));
        return { code: (error as DriveError).code, message: (error as DriveError).text };
      },
      signedIn: (id, result) => {
        this.signedIn.push({ id, ...result });
        setImmediate(() => this.ends.emit('end'));
      },
    });
  }

  static async open(options: LocalDriveOptions = {}, mode: 'auto' | 'manual' = 'manual'): Promise<Fixture> {
    const clock = new FakeClock(mode);
    const clients = [{ ...CLIENT }];
    return new Fixture(await startLocalDrive({ clients, ...options, clock }), clock);
  }

  settings(properties: object = {}, clientSecret: string = CLIENT.secret): AccountSettings {
    const config = { ...customAccount(this.drive.url), ...properties };
    return accountSettings(config, { clientId: CLIENT.id, clientSecret });
  }

  start(id = 'account', properties: object = {}): Promise<StartedSignIn> {
    return this.sessions.startDevice(id, this.settings(properties));
  }

  state(session: string): SignInState | undefined {
    return this.sessions.view(session)?.state;
  }

  /** Moves the time to the next poll and waits until that has been answered. */
  async poll(ms = 5_000): Promise<void> {
    await this.clock.untilSleeping();
    await this.clock.advance(ms);
  }

  async ended(session: string): Promise<SignInView> {
    for (;;) {
      const view = this.sessions.view(session);
      if (view?.state !== 'pending') return view ?? { state: 'cancelled' };
      await new Promise((resolve) => this.ends.once('end', resolve));
    }
  }

  async close(): Promise<void> {
    this.events.emit('flows:stopping', {});
    await this.drive.close();
  }
}

describe('sign-in sessions', () => {
  let fixture: Fixture;
  afterEach(() => fixture.close());

  it('show what a person needs, and none of the secrets', async () => {
    fixture = await Fixture.open();
    const started = await fixture.start();
    should(Object.keys(started).sort()).deepEqual(
      ['expiresIn', 'interval', 'session', 'userCode', 'verificationUrl'].sort(),
    );
    should(started.session).match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    should(started.verificationUrl).equal(`${fixture.drive.url}/device`);
    should([started.expiresIn, started.interval]).deepEqual([1800, 5]);
    should(fixture.sessions.view(started.session)).deepEqual({ state: 'pending' });
  });

  it('pass on the address with the code in it where the service gives one', async () => {
    fixture = await Fixture.open({ deviceStyle: 'rfc' });
    const { verificationUrlComplete, userCode } = await fixture.start();
    should(verificationUrlComplete).containEql(userCode);
  });

  it('wait while the person has not decided, then are authorized with tokens, person and scope', async () => {
    fixture = await Fixture.open();
    const { session, userCode } = await fixture.start();
    await fixture.poll();
    await fixture.clock.untilSleeping();
    should(fixture.state(session)).equal('pending');
    should(fixture.drive.approve(userCode)).equal(true);
    await fixture.poll();
    const view = await fixture.ended(session);
    should(view.state).equal('authorized');
    should(view.scope).equal('https://www.googleapis.com/auth/drive.file');
    should(Object.keys(view.account ?? {}).sort()).deepEqual(['displayName', 'emailAddress']);
    const [result] = fixture.signedIn;
    should(result?.id).equal('account');
    should(result?.tokens.refreshToken).match(/^1\/\/./);
    should(result?.since).equal(new Date(fixture.clock.now()).toISOString());
    should(JSON.stringify(view)).not.containEql(result?.tokens.accessToken ?? '');
  });

  it('tell the scope that was granted, not the one that was asked for', async () => {
    fixture = await Fixture.open({}, 'auto');
    const { session, userCode } = await fixture.start('account', {
      scope: `${GOOGLE.scope} email`,
    });
    fixture.drive.approve(userCode, GOOGLE.scope);
    should((await fixture.ended(session)).scope).equal(GOOGLE.scope);
  });

  it('are authorized without a person where the service does not say', async () => {
    fixture = await Fixture.open({}, 'auto');
    fixture.drive.faults.add({ kind: 'answer', status: 501, match: { path: /about/ } });
    const { session, userCode } = await fixture.start();
    fixture.drive.approve(userCode);
    const view = await fixture.ended(session);
    should(view.state).equal('authorized');
    should(view.account).equal(undefined);
  });

  it('are denied when the person refuses', async () => {
    fixture = await Fixture.open({}, 'auto');
    const { session, userCode } = await fixture.start();
    fixture.drive.deny(userCode);
    should(await fixture.ended(session)).deepEqual({
      state: 'denied',
      error: { code: 'sign_in_required', message: 'sign_in_refused_access_denied' },
    });
    should(fixture.signedIn).be.empty();
  });

  it('are expired when the code has run out', async () => {
    fixture = await Fixture.open({ deviceLifetime: 20 }, 'auto');
    const { session } = await fixture.start();
    const view = await fixture.ended(session);
    should(view.state).equal('expired');
    should(view.error?.message).equal('sign_in_refused_expired_token');
  });

  it('poll more slowly for good after slow_down', async () => {
    fixture = await Fixture.open({ deviceLifetime: 60 }, 'auto');
    fixture.drive.faults.add({ kind: 'oauthError', error: 'slow_down', match: { path: /token/ } });
    const { session } = await fixture.start();
    await fixture.ended(session);
    should(fixture.clock.sleeps.slice(0, 3)).deepEqual([5_000, 10_000, 10_000]);
  });

  it('fail with the word of the service when the client is refused', async () => {
    fixture = await Fixture.open({}, 'auto');
    const { session, userCode } = await fixture.sessions.startDevice(
      'account',
      fixture.settings({}, 'wrong'),
    );
    fixture.drive.approve(userCode);
    const view = await fixture.ended(session);
    should(view.state).equal('failed');
    should(view.error?.message).equal('sign_in_refused_invalid_client');
  });

  it('need an address and a scope', async () => {
    fixture = await Fixture.open();
    for (const property of ['deviceUrl', 'scope']) {
      const error = await rejected(fixture.start('account', { [property]: '' }), 'not_configured');
      should(error.params).deepEqual({ property });
    }
    should(fixture.drive.requests.all).be.empty();
  });

  it('leave nothing behind when they can not be started', async () => {
    fixture = await Fixture.open();
    const settings = fixture.settings();
    const unknown = { ...settings, client: { ...settings.client, clientId: 'nobody' } };
    const started = fixture.sessions.startDevice('account', unknown);
    await rejected(started, 'sign_in_required', 'sign_in_refused_invalid_client');
    should(fixture.events.listenerCount('flows:stopping')).equal(0);
  });

  it('can be cancelled, and poll no more then', async () => {
    fixture = await Fixture.open();
    const { session } = await fixture.start();
    await fixture.clock.untilSleeping();
    should(fixture.sessions.cancel(session)).equal(true);
    should(fixture.sessions.view(session)).deepEqual({
      state: 'cancelled',
      error: { code: 'cancelled', message: 'cancelled' },
    });
    should(fixture.clock.sleeping).equal(0);
    should(fixture.drive.requests.to('POST', /token/)).be.empty();
  });

  it('stay as they ended when they are cancelled later', async () => {
    fixture = await Fixture.open({}, 'auto');
    const { session, userCode } = await fixture.start();
    fixture.drive.deny(userCode);
    await fixture.ended(session);
    should(fixture.sessions.cancel(session)).equal(true);
    should(fixture.state(session)).equal('denied');
  });

  it('know no other session', async () => {
    fixture = await Fixture.open();
    should(fixture.sessions.view('nobody')).equal(undefined);
    should(fixture.sessions.cancel('nobody')).equal(false);
  });

  it('are one for an account: a new one cancels the old', async () => {
    fixture = await Fixture.open();
    const first = await fixture.start('a');
    const other = await fixture.start('b');
    const second = await fixture.start('a');
    should([first, other, second].map(({ session }) => fixture.state(session))).deepEqual([
      'cancelled',
      'pending',
      'pending',
    ]);
  });

  it('are at most twenty at once: the oldest makes room', async () => {
    fixture = await Fixture.open();
    const started: StartedSignIn[] = [];
    for (let index = 0; index < 22; index++) started.push(await fixture.start(`account-${index}`));
    const states = started.map(({ session }) => fixture.state(session));
    should(states.slice(0, 3)).deepEqual(['cancelled', 'cancelled', 'pending']);
    should(states.filter((state) => state === 'pending')).have.length(20);
  });

  it('are forgotten a while after their end', async () => {
    fixture = await Fixture.open();
    const { session } = await fixture.start();
    fixture.sessions.cancel(session);
    fixture.clock.pass(9 * 60_000);
    should(fixture.state(session)).equal('cancelled');
    fixture.clock.pass(60_000);
    should(fixture.state(session)).equal(undefined);
  });

  it('end with the runtime, but go on over a deploy', async () => {
    fixture = await Fixture.open();
    const { session } = await fixture.start();
    fixture.events.emit('flows:stopping', { type: 'full', diff: { added: [] } });
    should(fixture.state(session)).equal('pending');
    fixture.events.emit('flows:stopping', { type: 'full' });
    should(fixture.state(session)).equal('cancelled');
    should(fixture.events.listenerCount('flows:stopping')).equal(0);
  });
});
