/** What the sign-in panel asks of Node-RED: the account's admin endpoints. Relative, so that a proxy's prefix stays. */
import { adminRequest } from '../shared/editor/admin-request';

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
  /** Whether that is because nobody has signed in yet. */
  isNew?: boolean;
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

export const accountState = (id: string): Promise<AccountState> =>
  adminRequest({ method: 'GET', path: account(id) });

export const connectionOf = (id: string): Promise<Connection> =>
  adminRequest({ method: 'GET', path: `${account(id)}/connection` });

/** @returns the id of the session */
export async function startSignIn(id: string, form: SignInForm): Promise<string> {
  const path = `${account(id)}/sign-in`;
  const { session } = await adminRequest<{ session: string }>({ method: 'POST', path, body: form });
  return session;
}

export const signInState = (session: string): Promise<SignInState> =>
  adminRequest({ method: 'GET', path: signIn(session) });

/** The address at which a browser ended. */
export const sendRedirected = (session: string, redirected: string): Promise<SignInState> =>
  adminRequest({ method: 'POST', path: signIn(session), body: { redirected } });

export const cancelSignIn = (session: string): Promise<void> =>
  adminRequest({ method: 'DELETE', path: signIn(session) });

export const signOut = (id: string, revoke: boolean): Promise<void> =>
  adminRequest({ method: 'DELETE', path: `${account(id)}/sign-in${revoke ? '?revoke=true' : ''}` });

const account = (id: string): string => encodeURIComponent(id);
const signIn = (session: string): string => `sign-in/${encodeURIComponent(session)}`;
