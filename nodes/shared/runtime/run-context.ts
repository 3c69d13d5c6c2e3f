/** What a flow node works with while it works on a message. */
import type { NodeMessage, NodeMessageInFlow } from 'node-red';
import { type CallOptions, type DriveClient, type OnProgress, cancelled } from '../../../src/index';
import { localizeNumbers } from './localize-numbers';
import { errorSummary, catalogueLanguage } from './error-message';
import { Inputs } from './inputs';
import type { NodeContext } from './register-node';
import { progressMessage, trackCount, trackProgress } from './progress';

/** One message being worked on. */
export interface RunContext<Config> {
  client: DriveClient;
  config: Config;
  /** Reads and checks the properties of the node for this message. */
  inputs: Inputs;
  msg: NodeMessageInFlow;
  /** Signal and waiting, for each call of the client. */
  call: CallOptions;
  /** Sends to output 1; throws `cancelled` once the message was cancelled or the node closed. */
  send: (msg: NodeMessage) => void;
  /** A copy of the message without its payload, for nodes that send more than one. */
  cloneMessage: () => NodeMessage;
  /** An id for a sequence of messages. */
  newId: () => string;
  /** An error in words, for results that list what failed. */
  errorSummary: (error: unknown) => { code: string; message: string };
  /** Shows a transfer in the status and on the second output; `file` is what is known of the file so far. */
  trackProgress: (file: unknown) => { onProgress: OnProgress; finish: (file: unknown) => void };
  /** Shows in the status how many of a row of items are through. */
  showCount: (done: number, of: number) => void;
}

/** A message that came in. */
export interface InputMessage {
  msg: NodeMessageInFlow;
  /** To the outputs, in their order. */
  send: (messages: (NodeMessage | null)[]) => void;
  /** Aborted when the message is cancelled or the node closes. */
  signal: AbortSignal;
}

/** Where the messages go that come of one: nowhere any more once it is cancelled. */
export class Sender {
  /** Whether anything has gone out. */
  hasSent = false;

  constructor(private readonly incoming: InputMessage) {}

  /** @throws `cancelled` */
  send(messages: (NodeMessage | null)[]): void {
    const { send, signal } = this.incoming;
    if (signal.aborted) throw cancelled();
    this.hasSent = true;
    send(messages);
  }
}

export interface Means {
  client: DriveClient;
  outlet: Sender;
  /** As of {@link Inputs}. */
  cacheEpoch: number | undefined;
}

export function createRunContext<Config extends object>(
  { RED, node, config, status }: NodeContext<Config>,
  { msg, signal }: InputMessage,
  { client, outlet, cacheEpoch }: Means,
): RunContext<Config> {
  const call = { signal, onWait: (ms: number) => status.waiting(ms) };
  return {
    client,
    config,
    inputs: new Inputs({ RED, node, config, msg, client, call, cacheEpoch }),
    msg,
    call,
    send: (message) => outlet.send([message]),
    cloneMessage: () => RED.util.cloneMessage({ ...msg, payload: undefined }),
    newId: () => RED.util.generateId(),
    errorSummary: (error) => errorSummary(RED, error),
    showCount: trackCount(
      () => performance.now(),
      (text) => status.progress(text),
    ),
    trackProgress: (file) =>
      trackProgress({
        now: () => performance.now(),
        file,
        show: (text) => status.progress(localizeNumbers(text, catalogueLanguage(RED))),
        emit: hasSecondOutput(config)
          ? (progress, of) => outlet.send([null, progressMessage(msg, progress, of)])
          : undefined,
      }),
  };
}

function hasSecondOutput(config: object): boolean {
  return 'progress' in config && config.progress === true;
}
