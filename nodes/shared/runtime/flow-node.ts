/**
 * The one input handler of all flow nodes. A node gives its defaults and `run`, which throws; here that becomes the
 * status and a single `done`.
 */
import type { Node, NodeAPI, NodeMessage, NodeMessageInFlow } from 'node-red';
import {
  type CallOptions,
  type DriveClient,
  DriveError,
  type OnProgress,
  cancelled,
} from '../../../src/index';
import { withDecimals } from './decimals';
import { explained, languageOf, nodeError } from './error-message';
import { Inputs } from './inputs';
import { type FlowNodeDef, accountOf, idleState, withDefaults } from './node-setup';
import { progressMessage, trackCount, trackProgress } from './progress';
import { Status } from './status';

/** One message being worked on. */
export interface Work<Config> {
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
  clone: () => NodeMessage;
  /** An id for a sequence of messages. */
  newId: () => string;
  /** An error in words, for results that list what failed. */
  words: (error: unknown) => { code: string; message: string };
  /** Shows a transfer in the status and on the second output; `file` is what is known of the file so far. */
  progress: (file: unknown) => { onProgress: OnProgress; finish: (file: unknown) => void };
  /** Shows in the status how many of a row of items are through. */
  count: (done: number, of: number) => void;
}

export interface FlowNodeDefinition<Config> {
  type: string;
  /** Every property with its default; a saved flow may lack any of them. */
  defaults: Config;
  /** It changes what is there: each message looks for its paths anew, also for what was found a moment ago. */
  looksAnew?: (config: Config) => boolean;
  /** @returns `tried` where it has only looked what it would do */
  run: (work: Work<Config>) => Promise<'tried' | void>;
}

/** Registers a flow node with Node-RED. */
export function flowNode<Config extends object>(RED: NodeAPI, definition: FlowNodeDefinition<Config>): void {
  RED.nodes.registerType(definition.type, function (this: Node, def: FlowNodeDef) {
    RED.nodes.createNode(this, def);
    start(RED, this, def, definition);
  });
}

function start<Config extends object>(
  RED: NodeAPI,
  node: Node,
  def: FlowNodeDef,
  definition: FlowNodeDefinition<Config>,
): void {
  const config = withDefaults(definition.defaults, def);
  const account = accountOf(RED, def);
  const running = new Set<AbortController>();
  const status = new Status(node, () => idleState(account));

  const run = async (msg: NodeMessageInFlow, send: Send, signal: AbortSignal): Promise<'tried' | void> => {
    if (!account) throw new DriveError('not_configured', { text: 'not_configured_no_account' });
    const client = account.drive();
    const call = { signal, onWait: (ms: number) => status.waiting(ms) };
    let hasSent = false;
    const live = (messages: (NodeMessage | null)[]): void => {
      if (signal.aborted) throw cancelled();
      hasSent = true;
      send(messages);
    };
    const since = definition.looksAnew?.(config) ? { since: client.paths.moment() } : {};
    const atPath = async (path: string, kind: 'file' | 'folder', create: boolean): Promise<string> =>
      kind === 'folder'
        ? client.paths.folder({ path, create, ...since }, call)
        : (await client.paths.file(path, call, since)).id;
    const work: Work<Config> = {
      client,
      config,
      inputs: new Inputs(RED, node, config, msg, client.service.kind, atPath),
      msg,
      call,
      send: (message) => live([message]),
      clone: () => RED.util.cloneMessage({ ...msg, payload: undefined }),
      newId: () => RED.util.generateId(),
      words: (error) => explained(RED, error),
      count: trackCount(Date.now, (text) => status.progress(text)),
      progress: (file) =>
        trackProgress({
          now: Date.now,
          file,
          show: (text) => status.progress(withDecimals(text, languageOf(RED))),
          emit: hasSecondOutput(config)
            ? (progress, of) => live([null, progressMessage(msg, progress, of)])
            : undefined,
        }),
    };
    // Where a folder was remembered by its path, it may be another one by now.
    return client.paths.sure(
      () => definition.run(work),
      () => !hasSent,
    );
  };

  node.on('input', (msg, send, done) => {
    if (msg['cancel'] === true) {
      for (const controller of running) controller.abort();
      done();
      return;
    }
    const controller = new AbortController();
    running.add(controller);
    status.start();
    run(msg, send, controller.signal)
      .then(
        (how) => {
          status.succeed(how ?? 'done');
          done();
        },
        (error: unknown) => {
          const told = nodeError(RED, error);
          status.fail(told.code);
          done(told);
        },
      )
      .finally(() => running.delete(controller));
  });

  const stopListening = account?.onSignInChange(() => status.idle());
  node.on('close', (_removed: boolean, done: () => void) => {
    // What is ended now has no one left to tell: its error must not reach the flow that starts next.
    node.error = () => undefined;
    node.status = () => undefined;
    status.close();
    stopListening?.();
    for (const controller of running) controller.abort();
    done();
  });
  status.idle();
}

type Send = (msg: (NodeMessage | null)[]) => void;

function hasSecondOutput(config: object): boolean {
  return 'progress' in config && config.progress === true;
}
