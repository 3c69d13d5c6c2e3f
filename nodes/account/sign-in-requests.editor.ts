/** What the sign-in panel asks of Node-RED: the account's admin endpoints. Relative, so that a proxy's prefix stays. */
import { sharedText } from '../shared/editor/texts';

/** The form's values that a sign-in needs, before anything is deployed. */
export type SignInForm = Readonly<Record<string, string>>;

export interface Explained {
  code: string;
  message: string;
}

/** How far a sign-in is; while it is pending also what the person has to do. */
export interface SignInState {
  state: 'pending' | 'authorized' | 'denied' | 'expired' | 'failed' | 'cancelled';
  error?: Explained;
  trouble?: Explained;
  warning?: string;
  account?: Person;
  flow?: 'device' | 'browser';
  /** Seconds from now. */
  expiresIn?: number;
  userCode?: string;
  verificationUrl?: string;
  verificationUrlComplete?: string;
  authorizationUrl?: string;
  redirectUri?: string;
}

export interface AccountState {
  signedIn: boolean;
  account?: Person;
  scope?: string;
  missingScopes?: string[];
  since?: string;
  needsSignIn?: Explained;
  signingIn?: boolean;
  /** Under which changes are told. */
  topic?: string;
}

export interface Person {
  displayName?: string;
  emailAddress?: string;
}

export interface Connection {
  account?: Person;
  /** Bytes. */
  storage?: { usage: number; limit?: number; inTrash?: number };
}

/** Why a request failed, in words for the person at the editor. */
export class RequestFailed extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }

  /** Node-RED doesn't know it any more, or doesn't permit it; what else there is may pass. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500;
  }
}

/** @returns what is wrong, as text */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : sharedText('panel.unknown');
}

export const accountState = (id: string): Promise<AccountState> => request('GET', account(id));

export const connectionOf = (id: string): Promise<Connection> => request('GET', `${account(id)}/connection`);

/** @returns the id of the session */
export async function startSignIn(id: string, form: SignInForm): Promise<string> {
  const { session } = await request<{ session: string }>('POST', `${account(id)}/sign-in`, form);
  return session;
}

export const signInState = (session: string): Promise<SignInState> => request('GET', signIn(session));

/** The address at which a browser ended. */
export const sendRedirected = (session: string, redirected: string): Promise<SignInState> =>
  request('POST', signIn(session), { redirected });

export const cancelSignIn = (session: string): Promise<void> => request('DELETE', signIn(session));

export const signOut = (id: string, revoke: boolean): Promise<void> =>
  request('DELETE', `${account(id)}/sign-in${revoke ? '?revoke=true' : ''}`);

const account = (id: string): string => `cloud-drive-account/${encodeURIComponent(id)}`;
const signIn = (session: string): string => `cloud-drive-account/sign-in/${encodeURIComponent(session)}`;

/** By jQuery: the editor puts its own access token on what goes through it. */
function request<Answer>(method: string, url: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    $.ajax({
      method,
      url,
      cache: false,
      ...(body ? { contentType: 'application/json', data: JSON.stringify(body) } : {}),
    }).then(
      (answer: Answer) => resolve(answer),
      (answer: JQuery.jqXHR) => reject(failure(answer)),
    );
  });
}

function failure({ status, responseJSON }: JQuery.jqXHR): RequestFailed {
  const { message } = (responseJSON as { error?: { message?: unknown } } | undefined)?.error ?? {};
  if (typeof message === 'string' && message !== '') return new RequestFailed(status, message);
  if (status === 0) return new RequestFailed(status, sharedText('panel.no_answer'));
  if (status === 401) return new RequestFailed(status, sharedText('panel.no_permission'));
  return new RequestFailed(status, sharedText('panel.error', { status }));
}
