/** Requests of dialogs that use an account, deployed or only signed in. */
import type { Request, Response } from 'express';
import type { NodeAPI } from 'node-red';
import {
  type CallOptions,
  type DriveClient,
  DriveError,
  isDriveError,
  withService,
} from '../../../src/index';
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
  /** ms from the last request to the drive, after which the drive counts as unreachable; the operation itself is quick. */
  silence?: number;
}

/** ms; a user is waiting and can retry with a button. */
const RETRY_FOR = 5_000;
/** With the silence that also ends a test of the connection. */
const TIMEOUT: RequestTimeout = { ms: 30_000, text: 'timeout_look', silence: 20_000 };

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
    const { res: response } = request as { res?: Response };
    const call = new DialogCall(RETRY_FOR, timeout.silence);
    const cancel = (): void => call.stop();
    const timer = setTimeout(() => {
      call.stop(new DriveError('timeout', { text: timeout.text, params: { seconds: timeout.ms / 1_000 } }));
    }, timeout.ms);
    response?.once('close', cancel);
    try {
      return await useAccount(RED, pathParameter(request, 'id'), (client) =>
        call.run(client, (options) => operation(client, request, options)),
      );
    } catch (error) {
      throw isDriveError(error, 'cancelled')
        ? new DriveError('cancelled', { text: 'cancelled_look' })
        : error;
    } finally {
      clearTimeout(timer);
      response?.off('close', cancel);
    }
  };
}

/**
 * A call that ends with the reason when the drive doesn't answer, or when no new token can be had: the account retries
 * that for all nodes, much longer than a dialog should wait.
 */
export class DialogCall {
  private readonly controller = new AbortController();
  private reason: DriveError | undefined;
  /** Of the last attempt to get a token, since the last request to the drive. */
  private failure: DriveError | undefined;
  /** ms, monotonic */
  private failingSince = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly retryFor: number,
    private readonly silence?: number,
  ) {}

  /** @param reason by default, the user has closed the dialog */
  stop(reason?: DriveError): void {
    this.reason ??= reason && (this.failure ?? reason);
    this.controller.abort();
  }

  /** @throws the reason of {@link stop} instead of `cancelled` */
  async run<Result>(
    { service }: DriveClient,
    operation: (call: CallOptions) => Promise<Result>,
  ): Promise<Result> {
    const { retryFor, controller } = this;
    try {
      return await operation({
        ...{ signal: controller.signal, retryFor },
        onRequest: () => this.onRequest(),
        onWait: (ms, error) => error && this.onFailure(ms, error),
      });
    } catch (error) {
      throw this.reason && isDriveError(error, 'cancelled')
        ? withService(this.reason, service.baseUrl)
        : error;
    } finally {
      clearTimeout(this.timer);
    }
  }

  private onRequest(): void {
    this.failure = undefined;
    if (this.silence === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.stop(new DriveError('timeout')), this.silence);
  }

  private onFailure(ms: number, error: DriveError): void {
    if (!this.failure) this.failingSince = performance.now();
    this.failure = error;
    if (performance.now() + ms - this.failingSince > this.retryFor) this.stop(error);
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
