/** What the sign-in panel asks of Node-RED: the account's admin endpoints. Relative, so that a proxy's prefix stays. */
import { adminRequest } from '../../shared/editor/admin-request';
import type { AccountStatus, ConnectionStatus, SignInStatus } from '../../shared/contract/account-api';

/** The form's values that a sign-in needs, before anything is deployed. */
export type SignInForm = Readonly<Record<string, string>>;

export const accountState = (id: string): Promise<AccountStatus> =>
  adminRequest({ method: 'GET', path: account(id) });

export const connectionOf = (id: string): Promise<ConnectionStatus> =>
  adminRequest({ method: 'GET', path: `${account(id)}/connection` });

/** @returns the id of the session */
export async function startSignIn(id: string, form: SignInForm): Promise<string> {
  const path = `${account(id)}/sign-in`;
  const { session } = await adminRequest<{ session: string }>({ method: 'POST', path, body: form });
  return session;
}

export const signInState = (session: string): Promise<SignInStatus> =>
  adminRequest({ method: 'GET', path: signIn(session) });

/** The address at which a browser ended. */
export const sendRedirected = (session: string, redirected: string): Promise<SignInStatus> =>
  adminRequest({ method: 'POST', path: signIn(session), body: { redirected } });

export const cancelSignIn = (session: string): Promise<void> =>
  adminRequest({ method: 'DELETE', path: signIn(session) });

export const signOut = (id: string, revoke: boolean): Promise<void> =>
  adminRequest({ method: 'DELETE', path: `${account(id)}/sign-in${revoke ? '?revoke=true' : ''}` });

const account = (id: string): string => encodeURIComponent(id);
const signIn = (session: string): string => `sign-in/${encodeURIComponent(session)}`;
