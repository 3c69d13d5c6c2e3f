/**
 * Sign-in sessions of the editor. Each has a random id, expires, and ends when the runtime stops. Tokens are passed to
 * `onSignedIn` and are never part of a session's status.
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
import {
  acceptRedirectUrl,
  type BrowserSignIn,
  fetchUser,
  startBrowser,
  startDevice,
  type StartedFlow,
} from './sign-in-flows';
import type { AccountSettings } from '../settings/settings';
import {
  type FormatError,
  type SignInSession,
  type SignInResult,
  type FormatWarning,
  cancelledSignIn,
  isPending,
  stateForError,
  statusOf,
  withClockWarning,
} from './sign-in-status';

export interface SignInSessionsOptions {
  clock: Clock;
  /** Node-RED's events, for `runtime-event`. */
  events: EventEmitter;
  formatError: FormatError;
  formatWarning: FormatWarning;
  /** Resolves when the tokens are stored. */
  onSignedIn: (accountId: string, result: SignInResult) => Promise<void>;
  /** Called when the status of a session has changed. */
  onChange: (accountId: string) => void;
}

/** Pending sessions. The oldest is cancelled to make room for a new one. */
const MAX_PENDING = 20;
/** How long the final status of a session is available, ms. */
const RETENTION = 10 * 60_000;
const MAX_SESSIONS = 100;

export class SignInSessions {
  private readonly sessions = new Map<string, SignInSession>();

  constructor(private readonly options: SignInSessionsOptions) {}

  /**
   * Starts the device flow. Cancels the account's pending session as soon as the new one has a code.
   * @throws the error response of the service, `not_configured` if the account has no device URL or scope
   */
  startDevice(accountId: string, settings: AccountSettings): Promise<StartedSignIn> {
    return this.start(accountId, settings, (session, context) =>
      startDevice(session.abort.signal, settings, context, (error) => this.setPollError(session, error)),
    );
  }

  /**
   * Starts the browser flow.
   * @throws `not_configured`, `insecure_url`, `invalid_input`
   */
  startBrowser(accountId: string, settings: AccountSettings, options: BrowserSignIn): Promise<StartedSignIn> {
    return this.start(accountId, settings, (session, context) =>
      startBrowser(session.abort.signal, settings, context, options),
    );
  }

  /** Handles an authorization response. @returns the final status of its session, undefined if no session matches */
  async handleCallback(response: URLSearchParams): Promise<SignInStatus | undefined> {
    const session = [...this.sessions.values()].find(
      (each) => isPending(each) && each.authorization?.accept(response),
    );
    await session?.done;
    return session?.status;
  }

  /**
   * Handles a redirect URL that the user pasted.
   * @throws `not_found` if the session has ended, `invalid_input`
   */
  submitRedirectUrl(id: string, redirectUrl: string): void {
    const session = this.sessions.get(id);
    if (!session?.authorization || !isPending(session))
      throw new DriveError('not_found', { text: 'not_found_sign_in' });
    if (!session.authorization.hasResponse) acceptRedirectUrl(session.authorization, redirectUrl);
  }

  status(id: string): SignInStatus | undefined {
    this.removeExpired();
    const session = this.sessions.get(id);
    return session && statusOf(session, this.options.clock.monotonic());
  }

  isPendingFor(accountId: string): boolean {
    return [...this.sessions.values()].some((each) => each.accountId === accountId && isPending(each));
  }

  /** @returns false if there is no such session */
  cancel(id: string): boolean {
    const session = this.sessions.get(id);
    if (session) this.stop(session);
    return session !== undefined;
  }

  /** Cancels the account's pending sessions. */
  cancelAll(accountId: string): void {
    for (const session of this.sessions.values()) {
      if (session.accountId === accountId) this.stop(session);
    }
  }

  private async start(
    accountId: string,
    settings: AccountSettings,
    startFlow: (session: SignInSession, context: OAuthContext) => Promise<StartedFlow> | StartedFlow,
  ): Promise<StartedSignIn> {
    const [id, session] = this.add(accountId);
    const { clock } = this.options;
    const http = new HttpClient({ timeout: settings.timeout });
    const onServerTime = (time: number): void => {
      session.status = withClockWarning(session.status, clock.now() - time, this.options.formatWarning);
    };
    const context = { http, clock, onServerTime };
    try {
      const { instructions, tokens, authorization } = await startFlow(session, context);
      if (authorization) session.authorization = authorization;
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

  /** Called only after a successful start: a failed one leaves the earlier session pending. */
  private cancelBefore(started: SignInSession): void {
    for (const session of this.sessions.values()) {
      if (session === started) return;
      if (session.accountId === started.accountId) this.stop(session);
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
      const received = await tokens;
      const account = await fetchUser(received, settings, context, signal);
      if (signal.aborted) throw cancelledSignIn();
      const user = account === undefined ? {} : { account };
      await onSignedIn(session.accountId, {
        tokens: received,
        settings,
        since: new Date(clock.now()).toISOString(),
        ...user,
      });
      const scope = received.scope === undefined ? {} : { scope: received.scope };
      const { chosenFiles = 0 } = session.authorization ?? {};
      const chosen = chosenFiles > 0 ? { chosenFiles } : {};
      this.end(session, { state: 'authorized', ...user, ...scope, ...chosen });
    } catch (error) {
      this.end(session, { state: stateForError(error), error: this.options.formatError(error) });
    } finally {
      context.http.close();
    }
  }

  /** @param error undefined if the last poll succeeded */
  private setPollError(session: SignInSession, error: DriveError | undefined): void {
    const { pollError: before, ...rest } = session.status;
    if (!isPending(session) || (!before && !error)) return;
    session.status = error ? { ...rest, pollError: this.options.formatError(error) } : rest;
    this.options.onChange(session.accountId);
  }

  private add(accountId: string): [string, SignInSession] {
    this.removeExpired();
    const pending = [...this.sessions.values()].filter(isPending);
    for (const old of pending.slice(0, Math.max(0, pending.length - MAX_PENDING + 1))) this.stop(old);
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
    if (!isPending(session)) return;
    this.end(session, { state: 'cancelled', error: this.options.formatError(cancelledSignIn()) });
    session.abort.abort();
  }

  private end(session: SignInSession, view: SignInStatus): void {
    if (!isPending(session)) return;
    const { warning } = session.status;
    session.status = { ...view, ...(warning === undefined ? {} : { warning }) };
    session.endedAt = this.options.clock.monotonic();
    this.listen();
    this.options.onChange(session.accountId);
  }

  private removeExpired(): void {
    const oldest = this.options.clock.monotonic() - RETENTION;
    for (const [id, { endedAt }] of this.sessions) {
      const surplus = endedAt !== undefined && this.sessions.size > MAX_SESSIONS;
      if (surplus || (endedAt ?? Infinity) <= oldest) this.sessions.delete(id);
    }
  }

  /** Listens only while a session is pending: Node-RED may load the module more than once. */
  private listen(): void {
    const { events } = this.options;
    events.removeListener('runtime-event', this.onRuntimeEvent);
    if ([...this.sessions.values()].some(isPending)) events.on('runtime-event', this.onRuntimeEvent);
  }

  private readonly onRuntimeEvent = (event: RuntimeEvent): void => {
    if (!hasRuntimeStopped(event)) return;
    for (const session of this.sessions.values()) this.stop(session);
  };
}

/** Payload of Node-RED's `runtime-event`. */
interface RuntimeEvent {
  id?: string;
  payload?: { state?: string; deploy?: boolean; error?: string };
}

/** Deploys and failed starts stop the flows too, but not pending sign-ins. */
function hasRuntimeStopped({ id, payload }: RuntimeEvent): boolean {
  return (
    id === 'runtime-state' && payload?.state === 'stop' && !payload.deploy && payload.error === undefined
  );
}
