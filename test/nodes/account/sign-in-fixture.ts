import { EventEmitter } from 'node:events';
import type { AccountSettings } from '../../../nodes/account/settings/settings';
import type { SignInState, SignInStatus, StartedSignIn } from '../../../nodes/shared/contract/account-api';
import type { SignInResult } from '../../../nodes/account/sign-in/sign-in-status';
import { SignInSessions } from '../../../nodes/account/sign-in/sign-in-sessions';
import type { DriveError } from '../../../src/index';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive/index';
import { CLIENT, accountSettings, customAccount } from '../../support/node-red/account';
import { FakeClock } from '../../support/clock';

/** Sign-in sessions with a local drive that uses the same clock. */
export class SignInFixture {
  readonly events = new EventEmitter();
  readonly signedIn: (SignInResult & { id: string })[] = [];
  /** Ids of the accounts that onChange was called for. */
  readonly changes: string[] = [];
  readonly sessions: SignInSessions;
  private readonly ends = new EventEmitter();

  private constructor(
    readonly drive: LocalDrive,
    readonly clock: FakeClock,
  ) {
    this.sessions = new SignInSessions({
      clock,
      events: this.events,
      formatError: (error) => {
        setImmediate(() => this.ends.emit('end'));
        return { code: (error as DriveError).code, message: (error as DriveError).text };
      },
      formatWarning: (text, { minutes }) => `${text} ${minutes}`,
      onChange: (id) => this.changes.push(id),
      onSignedIn: (id, result) => {
        this.signedIn.push({ id, ...result });
        setImmediate(() => this.ends.emit('end'));
        return Promise.resolve();
      },
    });
  }

  static async open(
    options: LocalDriveOptions = {},
    mode: 'auto' | 'manual' = 'manual',
  ): Promise<SignInFixture> {
    const clock = new FakeClock(mode);
    const clients = [{ ...CLIENT }];
    return new SignInFixture(await startLocalDrive({ clients, ...options, clock }), clock);
  }

  settings(properties: object = {}, clientSecret: string = CLIENT.secret): AccountSettings {
    const config = { ...customAccount(this.drive.url), ...properties };
    return accountSettings(config, { clientId: CLIENT.id, clientSecret });
  }

  async start(id = 'account', properties: object = {}): Promise<StartedSignIn & { userCode: string }> {
    const started = await this.sessions.startDevice(id, this.settings(properties));
    return { ...started, userCode: started.userCode ?? '' };
  }

  /** Starts a sign-in with the browser. */
  startBrowser(
    redirectUri = 'https://red.example/cloud-drive-account/callback',
    properties: object = {},
    chooseFiles = false,
  ): Promise<StartedSignIn> {
    return this.sessions.startBrowser('account', this.settings(properties), { redirectUri, chooseFiles });
  }

  state(session: string): SignInState | undefined {
    return this.sessions.status(session)?.state;
  }

  /** Advances the clock to the next poll and waits for its response. */
  async poll(ms = 5_000): Promise<void> {
    await this.clock.untilSleeping();
    await this.clock.advance(ms);
  }

  async waitForEnd(session: string): Promise<SignInStatus> {
    for (;;) {
      const status = this.sessions.status(session);
      if (status?.state !== 'pending') return status ?? { state: 'cancelled' };
      await new Promise((resolve) => this.ends.once('end', resolve));
    }
  }

  /** Emits the event of Node-RED for started or stopped flows. */
  runtimeState(payload: object): void {
    this.events.emit('runtime-event', { id: 'runtime-state', payload, retain: true });
  }

  async close(): Promise<void> {
    this.runtimeState({ state: 'stop' });
    await this.drive.close();
  }
}
