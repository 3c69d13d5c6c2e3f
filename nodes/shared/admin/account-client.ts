/** Requests of dialogs that use an account, deployed or only signed in. */
import type { Request, Response } from 'express';
import type { NodeAPI } from 'node-red';
import {
  type CallOptions,
  type DriveClient,
  DriveError,
  isDriveError,
  systemClock,
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
  text: 'timeout' | 'timeout_look' | 'timeout_plan';
}

/** ms; a user is waiting and can retry with a button. */
const RETRY_FOR = 5_000;
const TIMEOUT: RequestTimeout = { ms: 30_000, text: 'timeout_look' };
/** ms without a response, after which the drive counts as unreachable, whatever the timeout of the account. */
const SILENCE = 20_000;

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
    const call = new DialogCall(RETRY_FOR, timeout);
    const cancel = (): void => call.stop();
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
  /** The latest since the last response of the drive, of a request or of an attempt to get a token. */
  private failure: DriveError | undefined;
  /** ms, monotonic */
  private failingSince = 0;
  /** Ends when the drive responds. Work on this machine, such as unpacking, may then take any time. */
  private silence: AbortController | undefined;

  /** @param timeout of the whole call, none for work that shows its progress */
  constructor(
    private readonly retryFor: number,
    private readonly timeout?: RequestTimeout,
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
    const { retryFor, controller, timeout } = this;
    const ended = new AbortController();
    if (timeout) this.stopAfter(timeout, ended.signal);
    try {
      return await operation({
        ...{ signal: controller.signal, retryFor, timeout: SILENCE },
        onRequest: () => this.onRequest(),
        onResponse: () => this.onResponse(),
        onWait: (ms, error) => error && this.onFailure(ms, error),
      });
    } catch (error) {
      throw this.reason && isDriveError(error, 'cancelled')
        ? withService(this.reason, service.baseUrl)
        : error;
    } finally {
      ended.abort();
      this.silence?.abort();
    }
  }

  private stopAfter({ ms, text }: RequestTimeout, signal: AbortSignal): void {
    systemClock.sleep(ms, signal).then(
      () => this.stop(new DriveError('timeout', { text, params: { seconds: ms / 1_000 } })),
      () => undefined,
    );
  }

  /** A retry isn't an answer, so it doesn't restart the limit. */
  private onRequest(): void {
    if (this.silence) return;
    this.silence = new AbortController();
    this.stopAfter({ ms: SILENCE, text: 'timeout' }, this.silence.signal);
  }

  private onResponse(): void {
    this.failure = undefined;
    this.silence?.abort();
    this.silence = undefined;
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
