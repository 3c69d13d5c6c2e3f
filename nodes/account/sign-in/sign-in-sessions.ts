/**
 * The sign-ins that people have under way in the editor. Each is known by a random id alone, lives for a while only, and
 * ends with the runtime. What a sign-in brings goes to `signedIn`; it is never part of what can be asked for here.
 */
import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import {
  type Clock,
  DriveError,
  HttpClient,
  type OAuthContext,
  type Tokens,
  isDriveError,
} from '../../../src/index';
import type { SignInStatus, StartedSignIn } from '../../shared/contract/account-api';
import { acceptRedirectUrl } from './pending-authorization';
import { fetchUser } from '../accounts/drive-user';
import { hasStopped, type RuntimeEvent } from './runtime-event';
import type { AccountSettings } from '../settings/settings';
import { type StartedFlow, startBrowser, startDevice } from './sign-in-flows';
import {
  type FormatError,
  type SignInSession,
  type SignInResult,
  type Trouble,
  type FormatWarning,
  cancelledSignIn,
  isRunning,
  stateForError,
  statusOf,
  withClockWarning,
} from './sign-in-session';

export interface SignInSessionsOptions {
  clock: Clock;
  /** Node-RED's, which tell when the runtime stops. */
  events: EventEmitter;
  formatError: FormatError;
  formatWarning: FormatWarning;
  onSignedIn: (accountId: string, result: SignInResult) => void;
  /** Told when anything has changed that can be asked for here. */
  onChange: (accountId: string) => void;
}

/** How many sign-ins may run at once. The oldest makes room. */
const MOST_RUNNING = 20;
/** How long the outcome can be asked for. */
const KEPT_FOR = 10 * 60_000;
const MOST_KEPT = 100;

export class SignInSessions {
  private readonly sessions = new Map<string, SignInSession>();

  constructor(private readonly options: SignInSessionsOptions) {}

  /**
   * Starts a sign-in with a device code; once it has begun, one that the account had under way is cancelled.
   * @throws what the service answered, `not_configured` where the account lacks an address or a scope
   */
  startDevice(accountId: string, settings: AccountSettings): Promise<StartedSignIn> {
    return this.start(accountId, settings, (session, context) =>
      startDevice(session, settings, context, (trouble) => this.troubled(session, trouble)),
    );
  }

  /**
   * Starts a sign-in on the service's page, which sends the browser to `redirectUri` in the end.
   * @throws `not_configured`, `insecure_url`, `invalid_input`
   */
  startBrowser(accountId: string, settings: AccountSettings, redirectUri: string): Promise<StartedSignIn> {
    return this.start(accountId, settings, (session, context) =>
      startBrowser(session, settings, context, redirectUri),
    );
  }

  /** Takes the answer of a browser that came back. @returns how the sign-in ended, undefined where there is none for it */
  async handleCallback(answer: URLSearchParams): Promise<SignInStatus | undefined> {
    const session = [...this.sessions.values()].find(
      (each) => isRunning(each) && each.authorization?.accept(answer),
    );
    await session?.done;
    return session?.status;
  }

  /**
   * Takes an address that was pasted for this sign-in.
   * @throws `not_found` where it is over, `invalid_input`
   */
  submitRedirectUrl(id: string, address: string): void {
    const session = this.sessions.get(id);
    if (!session?.authorization || !isRunning(session))
      throw new DriveError('not_found', { text: 'not_found_sign_in' });
    if (!session.authorization.hasResponse) acceptRedirectUrl(session.authorization, address);
  }

  status(id: string): SignInStatus | undefined {
    this.sweep();
    const session = this.sessions.get(id);
    return session && statusOf(session, this.options.clock.monotonic());
  }

  isPendingFor(accountId: string): boolean {
    return [...this.sessions.values()].some((each) => each.accountId === accountId && isRunning(each));
  }

  /** @returns false where there is no such sign-in */
  cancel(id: string): boolean {
    const session = this.sessions.get(id);
    if (session) this.stop(session);
    return session !== undefined;
  }

  /** Cancels what an account has under way. */
  cancelAll(accountId: string): void {
    for (const session of this.sessions.values()) {
      if (session.accountId === accountId) this.stop(session);
    }
  }

  private async start(
    accountId: string,
    settings: AccountSettings,
    begin: (session: SignInSession, context: OAuthContext) => Promise<StartedFlow> | StartedFlow,
  ): Promise<StartedSignIn> {
    const [id, session] = this.add(accountId);
    const { clock } = this.options;
    const http = new HttpClient({ timeout: settings.timeout });
    const onServerTime = (time: number): void => {
      session.status = withClockWarning(session.status, clock.now() - time, this.options.formatWarning);
    };
    const context = { http, clock, onServerTime };
    try {
      const { instructions, tokens } = await begin(session, context);
      this.cancelBefore(session);
      session.instructions = instructions;
      session.expiresAt = clock.monotonic() + instructions.expiresIn * 1_000;
      session.done = this.finish(session, tokens, settings, context);
      this.options.onChange(accountId);
      return { session: id, ...instructions };
    } catch (error) {
      this.sessions.delete(id);
      this.end(session, { state: 'failed' });
      http.close();
      throw isDriveError(error, 'cancelled') ? cancelledSignIn() : error;
    }
  }

  /** One that could not be begun, for a wrong address say, leaves the one before it as it is. */
  private cancelBefore(begun: SignInSession): void {
    for (const session of this.sessions.values()) {
      if (session === begun) return;
      if (session.accountId === begun.accountId) this.stop(session);
    }
  }

  private async finish(
    session: SignInSession,
    tokens: Promise<Tokens>,
    settings: AccountSettings,
    context: OAuthContext,
  ): Promise<void> {
    const { clock, onSignedIn } = this.options;
    const { signal } = session.abort;
    try {
      const got = await tokens;
      const account = await fetchUser(got, settings, context, signal);
      if (signal.aborted) throw cancelledSignIn();
      const known = account === undefined ? {} : { account };
      onSignedIn(session.accountId, {
        tokens: got,
        settings,
        since: new Date(clock.now()).toISOString(),
        ...known,
      });
      const scope = got.scope === undefined ? {} : { scope: got.scope };
      this.end(session, { state: 'authorized', ...known, ...scope });
    } catch (error) {
      this.end(session, { state: stateForError(error), error: this.options.formatError(error) });
    } finally {
      context.http.close();
    }
  }

  private troubled(session: SignInSession, trouble: Trouble): void {
    const { pollError: before, ...rest } = session.status;
    if (!isRunning(session) || (!before && !trouble)) return;
    session.status = trouble ? { ...rest, pollError: this.options.formatError(trouble) } : rest;
    this.options.onChange(session.accountId);
  }

  private add(accountId: string): [string, SignInSession] {
    this.sweep();
    const running = [...this.sessions.values()].filter(isRunning);
    for (const old of running.slice(0, Math.max(0, running.length - MOST_RUNNING + 1))) this.stop(old);
    const id = randomUUID();
    const abort = new AbortController();
    const session: SignInSession = {
      accountId,
      abort,
      status: { state: 'pending' },
      done: Promise.resolve(),
    };
    this.sessions.set(id, session);
    this.listen();
    return [id, session];
  }

  private stop(session: SignInSession): void {
    if (!isRunning(session)) return;
    this.end(session, { state: 'cancelled', error: this.options.formatError(cancelledSignIn()) });
    session.abort.abort();
  }

  private end(session: SignInSession, view: SignInStatus): void {
    if (!isRunning(session)) return;
    const { warning } = session.status;
    session.status = { ...view, ...(warning === undefined ? {} : { warning }) };
    session.endedAt = this.options.clock.monotonic();
    this.listen();
    this.options.onChange(session.accountId);
  }

  private sweep(): void {
    const oldest = this.options.clock.monotonic() - KEPT_FOR;
    for (const [id, { endedAt }] of this.sessions) {
      const surplus = endedAt !== undefined && this.sessions.size > MOST_KEPT;
      if (surplus || (endedAt ?? Infinity) <= oldest) this.sessions.delete(id);
    }
  }

  /** Listens only while something runs: the module may be loaded more than once into one Node-RED. */
  private listen(): void {
    const { events } = this.options;
    events.removeListener('runtime-event', this.onRuntimeEvent);
    if ([...this.sessions.values()].some(isRunning)) events.on('runtime-event', this.onRuntimeEvent);
  }

  private readonly onRuntimeEvent = (event: RuntimeEvent): void => {
    if (!hasStopped(event)) return;
    for (const session of this.sessions.values()) this.stop(session);
  };
}
