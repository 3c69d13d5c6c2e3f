/**
 * The sign-ins that people have under way in the editor. Each is known by a random id alone, lives for a while only, and
 * ends with the runtime. What a sign-in brings goes to `signedIn`; it is never part of what can be asked for here.
 */
import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import {
  type Clock,
  HttpClient,
  type OAuthContext,
  type Tokens,
  cancelled,
  isDriveError,
  pollForTokens,
  startDeviceFlow,
} from '../../src/index';
import { missing } from './addresses';
import { type Person, personOf } from './person';
import type { AccountSettings } from './settings';

export type SignInState = 'pending' | 'authorized' | 'denied' | 'expired' | 'failed' | 'cancelled';

/** What may be known of a sign-in. */
export interface SignInView {
  state: SignInState;
  error?: { code: string; message: string };
  account?: Person;
  scope?: string;
}

/** What a person needs to go on: service.md 2.3. */
export interface StartedSignIn {
  session: string;
  /** Seconds. */
  expiresIn: number;
  userCode: string;
  verificationUrl: string;
  verificationUrlComplete?: string;
  /** Seconds between two looks at the state. */
  interval: number;
}

export interface SignedIn {
  tokens: Tokens;
  account?: Person;
  /** ISO time. */
  since: string;
  settings: AccountSettings;
}

export interface SignInOptions {
  clock: Clock;
  /** Node-RED's, which tell when the runtime stops. */
  events: EventEmitter;
  explain: (error: unknown) => { code: string; message: string };
  signedIn: (accountId: string, result: SignedIn) => void;
}

interface Session {
  accountId: string;
  abort: AbortController;
  view: SignInView;
  /** When it ended, in ms since 1970. */
  endedAt?: number;
}

/** How many sign-ins may run at once. The oldest makes room. */
const MOST_RUNNING = 20;
/** How long the outcome can be asked for. */
const KEPT_FOR = 10 * 60_000;
const MOST_KEPT = 100;

export class SignInSessions {
  private readonly sessions = new Map<string, Session>();

  constructor(private readonly options: SignInOptions) {}

  /**
   * Starts a sign-in with a device code; one that the account has under way is cancelled.
   * @throws what the service answered, `not_configured` where the account lacks an address or a scope
   */
  async startDevice(accountId: string, settings: AccountSettings): Promise<StartedSignIn> {
    const { deviceUrl } = settings.addresses;
    if (deviceUrl === '') throw missing('deviceUrl');
    if (settings.scope === '') throw missing('scope');
    this.cancelOf(accountId);
    const [id, session] = this.add(accountId);
    const http = new HttpClient({ timeout: settings.timeout });
    const context = { http, clock: this.options.clock };
    const request = { deviceUrl, clientId: settings.client.clientId, scope: settings.scope };
    try {
      const code = await startDeviceFlow(context, request, session.abort.signal);
      const tokens = pollForTokens(context, settings.client, code, { signal: session.abort.signal });
      void this.finish(session, tokens, settings, context);
      const { deviceCode: _secret, ...shown } = code;
      return { session: id, ...shown };
    } catch (error) {
      this.sessions.delete(id);
      this.end(session, { state: 'failed' });
      http.close();
      throw error;
    }
  }

  view(id: string): SignInView | undefined {
    this.sweep();
    return this.sessions.get(id)?.view;
  }

  /** @returns false where there is no such sign-in */
  cancel(id: string): boolean {
    const session = this.sessions.get(id);
    if (session) this.stop(session);
    return session !== undefined;
  }

  /** Cancels what an account has under way. */
  cancelOf(accountId: string): void {
    for (const session of this.sessions.values()) {
      if (session.accountId === accountId) this.stop(session);
    }
  }

  private async finish(
    session: Session,
    tokens: Promise<Tokens>,
    settings: AccountSettings,
    context: OAuthContext,
  ): Promise<void> {
    const { clock, signedIn } = this.options;
    const { signal } = session.abort;
    try {
      const got = await tokens;
      const account = await personOf(got, settings, context, signal);
      if (signal.aborted) throw cancelled();
      const known = account === undefined ? {} : { account };
      signedIn(session.accountId, {
        tokens: got,
        settings,
        since: new Date(clock.now()).toISOString(),
        ...known,
      });
      const scope = got.scope === undefined ? {} : { scope: got.scope };
      this.end(session, { state: 'authorized', ...known, ...scope });
    } catch (error) {
      this.end(session, { state: stateAfter(error), error: this.options.explain(error) });
    } finally {
      context.http.close();
    }
  }

  private add(accountId: string): [string, Session] {
    this.sweep();
    const running = [...this.sessions.values()].filter(isRunning);
    for (const old of running.slice(0, Math.max(0, running.length - MOST_RUNNING + 1))) this.stop(old);
    const id = randomUUID();
    const session: Session = { accountId, abort: new AbortController(), view: { state: 'pending' } };
    this.sessions.set(id, session);
    this.listen();
    return [id, session];
  }

  private stop(session: Session): void {
    if (!isRunning(session)) return;
    this.end(session, { state: 'cancelled', error: this.options.explain(cancelled()) });
    session.abort.abort();
  }

  private end(session: Session, view: SignInView): void {
    if (!isRunning(session)) return;
    session.view = view;
    session.endedAt = this.options.clock.now();
    this.listen();
  }

  private sweep(): void {
    const oldest = this.options.clock.now() - KEPT_FOR;
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

/** What Node-RED tells of its state. */
interface RuntimeEvent {
  id?: string;
  payload?: { state?: string; deploy?: boolean; error?: string };
}

/** A deploy and a start that fails stop the flows too, and say so; a sign-in goes on over both. */
function hasStopped({ id, payload }: RuntimeEvent): boolean {
  return (
    id === 'runtime-state' && payload?.state === 'stop' && !payload.deploy && payload.error === undefined
  );
}

function isRunning({ view }: Session): boolean {
  return view.state === 'pending';
}

function stateAfter(error: unknown): SignInState {
  if (isDriveError(error, 'cancelled')) return 'cancelled';
  if (isDriveError(error) && error.text === 'sign_in_refused_access_denied') return 'denied';
  if (isDriveError(error) && error.text === 'sign_in_refused_expired_token') return 'expired';
  return 'failed';
}
