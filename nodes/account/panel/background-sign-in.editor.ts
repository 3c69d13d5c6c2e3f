/** A sign-in that still waits when the account's dialog is closed with Done: it goes on, and its end is told. */
import { RequestFailed, reasonOf } from '../../shared/editor/admin-request';
import { sharedText } from '../../shared/editor/texts';
import { Poller } from './poller.editor';
import type { SignInStatus } from '../../shared/contract/account-api';
import { cancelSignIn, signInState } from './sign-in-requests.editor';
import { forgetSession, keptSession } from './sign-in-store.editor';
import { nameOf } from './signed-in-view.editor';

/** ms */
const ASK_EVERY = 2_000;

const followed = new Map<string, Poller>();

export function goOn(accountId: string, session: string, topic: string | undefined): void {
  takeOver(accountId);
  const live = new Poller(async () => {
    const state = await endOf(session);
    if (state && followed.get(accountId) === live) ended(accountId, state);
  });
  followed.set(accountId, live);
  live.follow(topic, ASK_EVERY);
}

/** The dialog is open again, and follows it itself. */
export function takeOver(accountId: string): void {
  followed.get(accountId)?.stop();
  followed.delete(accountId);
}

/** The account is deleted here: whoever went on to approve would sign in to nothing. */
export function giveUp(accountId: string): void {
  takeOver(accountId);
  const session = keptSession(accountId);
  if (session === undefined) return;
  forgetSession(accountId);
  void cancelSignIn(session).catch(() => undefined);
}

async function endOf(session: string): Promise<SignInStatus | undefined> {
  try {
    const state = await signInState(session);
    return state.state === 'pending' ? undefined : state;
  } catch (error) {
    const isOver = error instanceof RequestFailed && error.isFinal;
    return isOver ? { state: 'failed', error: { code: '', message: reasonOf(error) } } : undefined;
  }
}

function ended(accountId: string, { state, error, account }: SignInStatus): void {
  takeOver(accountId);
  forgetSession(accountId);
  if (state === 'authorized') {
    markSignedIn(accountId);
    tell(sharedText('panel.told_signed_in', { who: nameOf(account) }), 'success');
  } else if (state !== 'cancelled') {
    tell(sharedText('panel.told_failed', { reason: error?.message ?? '' }), 'error');
  }
}

/** Lets Deploy light up. What was pasted before must not go out over what the sign-in brought. */
function markSignedIn(accountId: string): void {
  const node = RED.nodes.node(accountId);
  if (!node) return;
  delete node.credentials?.['refreshToken'];
  delete node.credentials?.['accessToken'];
  Object.assign(node, { signedInAt: new Date().toISOString(), changed: true, dirty: true });
  RED.nodes.dirty(true);
  RED.events.emit('nodes:change', node);
}

/** As an element: a text would be taken for HTML. */
function tell(text: string, type: 'success' | 'error'): void {
  RED.notify($('<p>').text(text), { type, timeout: 15_000 });
}
