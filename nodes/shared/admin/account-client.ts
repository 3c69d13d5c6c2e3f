/** Requests of dialogs that use an account, deployed or only signed in. */
import type { Request, Response } from 'express';
import type { NodeAPI } from 'node-red';
import { type CallOptions, type DriveClient, DriveError, isDriveError } from '../../../src/index';
import type { Endpoint } from './admin-guard';
import { pathParameter } from './routes';

/** The clients of accounts. */
export interface AccountClients {
  /**
   * Calls a function with the client of an account.
   * @throws `not_configured` if it is neither deployed nor signed in
   */
  use<Result>(id: string, operation: (client: DriveClient) => Promise<Result>): Promise<Result>;
}

export interface RequestTimeout {
  ms: number;
  text: 'timeout_look' | 'timeout_plan';
}

/** ms; a user is waiting and can retry with a button. */
const RETRY_FOR = 5_000;
const TIMEOUT: RequestTimeout = { ms: 30_000, text: 'timeout_look' };

/** By the event emitter that all node sets of a Node-RED share. */
const clientsByEmitter = new WeakMap<object, AccountClients>();

/** For {@link accountEndpoint}: called by the account node, because nodes don't import each other. */
export function offerAccountClients(RED: NodeAPI, clients: AccountClients): void {
  clientsByEmitter.set(RED.events, clients);
}

/**
 * An endpoint whose path has the id of the account as `:id`. Aborts the operation when the editor closes the
 * connection, or after a timeout.
 */
export function accountEndpoint(
  RED: NodeAPI,
  operation: (client: DriveClient, request: Request, call: CallOptions) => Promise<object>,
  timeout = TIMEOUT,
): Endpoint {
  return async (request) => {
    const controller = new AbortController();
    const { res: response } = request as { res?: Response };
    const abort = (): void => controller.abort();
    let isTimeout = false;
    const retries = new Retries(abort);
    const timer = setTimeout(() => {
      isTimeout = true;
      abort();
    }, timeout.ms);
    response?.once('close', abort);
    try {
      const call = { signal: controller.signal, retryFor: RETRY_FOR, ...retries.options };
      return await useAccount(RED, pathParameter(request, 'id'), (client) =>
        operation(client, request, call),
      );
    } catch (error) {
      if (!isDriveError(error, 'cancelled')) throw error;
      if (retries.failure) throw retries.failure;
      throw isTimeout
        ? new DriveError('timeout', { text: timeout.text, params: { seconds: timeout.ms / 1_000 } })
        : new DriveError('cancelled', { text: 'cancelled_look' });
    } finally {
      clearTimeout(timer);
      response?.off('close', abort);
    }
  };
}

/**
 * Stops an operation that waits too long for a new token: the account retries that for all nodes, much longer than a
 * dialog should wait.
 */
class Retries {
  /** The error of the last attempt, if it was stopped. */
  failure: DriveError | undefined;
  /** ms since 1970; since then, no request to the drive was sent. */
  private failingSince: number | undefined;
  readonly options: Pick<CallOptions, 'onRequest' | 'onWait'>;

  constructor(stop: () => void) {
    this.options = {
      onRequest: () => (this.failingSince = undefined),
      onWait: (ms, error) => {
        if (!error) return;
        this.failingSince ??= Date.now();
        if (Date.now() + ms - this.failingSince <= RETRY_FOR) return;
        this.failure ??= error;
        stop();
      },
    };
  }
}

/** Calls a function with the client of an account. @throws `not_configured` */
export async function useAccount<Result>(
  RED: NodeAPI,
  id: string,
  operation: (client: DriveClient) => Promise<Result>,
): Promise<Result> {
  const clients = clientsByEmitter.get(RED.events);
  if (!clients) throw new DriveError('not_configured', { text: 'not_configured_not_deployed' });
  return clients.use(id, operation);
}
