/**
 * Polls a sign-in that is pending when the account's dialog is closed with Done, and notifies the user of its result.
 */
import { AdminRequestError, adminRequest, errorText } from '../../shared/editor/admin-request';
import { sharedText } from '../../shared/editor/shared-text';
import { Poller } from './poller.editor';
import type { SignInStatus } from '../../shared/contract/account-api';
import { removeSessionId, storedSessionId } from './session-storage.editor';
import { userName } from './account-view.editor';

/** Milliseconds. */
const POLL_INTERVAL = 2_000;

/** By account id. */
const pollers = new Map<string, Poller>();

export function pollInBackground(accountId: string, sessionId: string, topic: string | undefined): void {
  stopBackgroundPolling(accountId);
  const poller = new Poller(async () => {
    const result = await fetchResult(sessionId);
    if (result && pollers.get(accountId) === poller) complete(accountId, result);
  });
  pollers.set(accountId, poller);
  poller.start(topic, POLL_INTERVAL);
}

/** For an account whose dialog is open, which polls the sign-in itself. */
export function stopBackgroundPolling(accountId: string): void {
  pollers.get(accountId)?.stop();
  pollers.delete(accountId);
}

/** For a deleted account: an approved sign-in would have no account to store its tokens. */
export function cancelStoredSignIn(accountId: string): void {
  stopBackgroundPolling(accountId);
  const sessionId = storedSessionId(accountId);
  if (sessionId === undefined) return;
  removeSessionId(accountId);
  void cancelSignIn(sessionId);
}

/** Resolves also if the request fails: the session then expires by itself. */
export async function cancelSignIn(sessionId: string): Promise<void> {
  await adminRequest('DELETE', ['sign-in', sessionId]).catch(() => undefined);
}

/** @returns undefined while the sign-in is pending */
async function fetchResult(sessionId: string): Promise<SignInStatus | undefined> {
  const view = await fetchSignIn(sessionId);
  return view.state === 'pending' ? undefined : view;
}

/** Never rejects: an error of the request becomes the reason of a failed or pending sign-in. */
export async function fetchSignIn(sessionId: string): Promise<SignInStatus> {
  try {
    return await adminRequest<SignInStatus>('GET', ['sign-in', sessionId]);
  } catch (error) {
    const reason = { code: '', message: errorText(error) };
    const isFinal = error instanceof AdminRequestError && error.isFinal;
    // Other errors are temporary; Node-RED may be restarting.
    return isFinal ? { state: 'failed', error: reason } : { state: 'pending', pollError: reason };
  }
}

function complete(accountId: string, { state, error, account }: SignInStatus): void {
  stopBackgroundPolling(accountId);
  removeSessionId(accountId);
  if (state === 'authorized') {
    markSignedIn(accountId);
    notify(sharedText('panel.told_signed_in', { who: userName(account) }), 'success');
  } else if (state !== 'cancelled') {
    notify(sharedText('panel.told_failed', { reason: error?.message ?? '' }), 'error');
  }
}

/** Enables Deploy, and drops pasted tokens so that they don't replace the new ones. */
function markSignedIn(accountId: string): void {
  const node = RED.nodes.node(accountId);
  if (!node) return;
  delete node.credentials?.['refreshToken'];
  delete node.credentials?.['accessToken'];
  Object.assign(node, { signedInAt: new Date().toISOString(), changed: true, dirty: true });
  RED.nodes.dirty(true);
  RED.events.emit('nodes:change', node);
}

/** Passes an element because Node-RED renders a string as HTML. */
function notify(text: string, type: 'success' | 'error'): void {
  RED.notify($('<p>').text(text), { type, timeout: 15_000 });
}
