/**
 * Polls a sign-in that is pending when the account's dialog is closed with Done, and notifies the user of its result.
 */
import { userName } from './account-view.editor';
import type { SignInStatus } from '../../shared/contract/account-api';
import { adminRequest, AdminRequestError, errorText } from '../../shared/editor/admin-request';
import { sharedText } from '../../shared/editor/shared-text';

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

/** This browser tab stores which session it is waiting for, so that a reload can continue it. */
const key = (accountId: string): string => `cloud-drive-sign-in:${accountId}`;

export function storeSessionId(accountId: string, sessionId: string): void {
  withStorage((storage) => storage.setItem(key(accountId), sessionId));
}

export function storedSessionId(accountId: string): string | undefined {
  return withStorage((storage) => storage.getItem(key(accountId))) ?? undefined;
}

export function removeSessionId(accountId: string): void {
  withStorage((storage) => storage.removeItem(key(accountId)));
}

/** If the browser forbids storage, a reload loses the session. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(window.sessionStorage);
  } catch {
    return undefined;
  }
}

/** Polls the runtime: when it publishes a change, and at an interval in case notifications don't arrive. */
export class Poller {
  private topic: string | undefined;
  private timer: number | undefined;
  private isPolling = false;
  private isStale = false;
  private isStopped = false;

  /** @param poll never rejects; it isn't called again before it has resolved */
  constructor(private readonly poll: () => Promise<void>) {}

  /**
   * @param topic of the runtime's notifications
   * @param interval milliseconds
   */
  start(topic: string | undefined, interval: number): void {
    if (this.isStopped) return;
    if (topic !== this.topic) {
      this.unsubscribe();
      this.topic = topic;
      if (topic !== undefined) RED.comms.subscribe(topic, this.onChange);
    }
    clearInterval(this.timer);
    this.timer = window.setInterval(this.onChange, interval);
  }

  /** A stopped poller can't be started again. */
  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
    this.unsubscribe();
  }

  private unsubscribe(): void {
    if (this.topic !== undefined) RED.comms.unsubscribe(this.topic, this.onChange);
    this.topic = undefined;
  }

  private readonly onChange = (): void => void this.update();

  private async update(): Promise<void> {
    this.isStale = true;
    if (this.isPolling) return;
    this.isPolling = true;
    while (this.isStale && !this.isStopped) {
      this.isStale = false;
      await this.poll();
    }
    this.isPolling = false;
  }
}
