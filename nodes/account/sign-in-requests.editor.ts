/** What the sign-in panel asks of Node-RED: the account's admin endpoints. Relative, so that a proxy's prefix stays. */
import { sharedText } from '../shared/editor/texts';

/** The form's values that a sign-in needs, before anything is deployed. */
export type SignInForm = Readonly<Record<string, string>>;

export interface DeviceSession {
  session: string;
  userCode: string;
  verificationUrl: string;
  verificationUrlComplete?: string;
  /** Seconds. */
  expiresIn: number;
  /** Seconds. */
  interval: number;
}

export interface SignInState {
  state: 'pending' | 'authorized' | 'denied' | 'expired' | 'failed' | 'cancelled';
  error?: { code: string; message: string };
}

export interface AccountState {
  signedIn: boolean;
  account?: Person | string;
  scope?: string;
  missingScopes?: string[];
  since?: string | number;
  needsSignIn?: { code: string; message: string };
}

export interface Person {
  displayName?: string;
  emailAddress?: string;
}

/** Why a request failed, in words for the person at the editor. */
export class RequestFailed extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const accountState = (id: string): Promise<AccountState> => request('GET', account(id));

export const startSignIn = (id: string, form: SignInForm): Promise<DeviceSession> =>
  request('POST', `${account(id)}/sign-in`, { flow: 'device', ...form });

export const signInState = (session: string): Promise<SignInState> => request('GET', signIn(session));

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
