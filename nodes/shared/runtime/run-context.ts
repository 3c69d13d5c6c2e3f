/** What the `run` of a flow node gets for each message. */
import type { Node, NodeMessage, NodeMessageInFlow } from 'node-red';
import {
  type CallOptions,
  type DriveClient,
  LocalTime,
  type LockHolder,
  systemClock,
} from '../../../src/index';
import { type WarningKey, type WarningParams, catalogueLanguage, warningText } from './catalogue';
import { errorSummary, retryWarning } from './error-message';
import { Inputs } from './inputs';
import {
  type Description,
  type TransferProgress,
  progressMessage,
  throttleTexts,
  trackCount,
  trackProgress,
} from './progress';
import type { NodeContext } from './register-node';
import { StatusTexts } from './status-texts';

export interface RunContext<Config> {
  client: DriveClient;
  config: Config;
  /** Reads and validates the node's properties for this message. */
  inputs: Inputs;
  msg: NodeMessageInFlow;
  /** For every call of the client: aborts it with the message, and shows its waits in the status. */
  call: CallOptions;
  /** Sends to output 1. @throws `cancelled` after the message was cancelled or the node closed */
  send: (msg: NodeMessage) => void;
  /** @returns a copy of the message without its payload, for nodes that send several messages */
  cloneMessage: () => NodeMessage;
  /** @returns an id for `msg.parts` */
  newId: () => string;
  /** Logs a warning of the account's catalogue, and shows it in the debug sidebar. */
  warn: <Text extends WarningKey>(text: Text, params: WarningParams<Text>) => void;
  /**
   * For a node that finds nothing: the first time, warns that files of other projects can't be seen.
   * @returns whether the files may belong to another Google Cloud project
   */
  mayBeOtherProject: () => boolean;
  /** @returns an error as results list it */
  errorSummary: (error: unknown) => { code: string; message: string };
  /**
   * Shows a transfer in the status and on the second output.
   * @param file what is known of the file so far
   */
  trackProgress: (file: unknown, description?: Description) => TransferProgress;
  /** Texts for the status of a message that is done. */
  results: StatusTexts;
  /** Shows in the status how many of several items are done. */
  showCount: (done: number, total: number) => void;
  /** Shows in the status that another client has locked a repository, and logs which one. */
  showLocked: (holder: LockHolder) => void;
  /** Shows in the status how much of an archive was read: `12,345 items · 1.2 GB`. */
  showEntries: (progress: { entries: number; bytes: number }) => void;
}

/** A message as it arrives at the input. */
export interface InputMessage {
  msg: NodeMessageInFlow;
  /** One message per output; null sends none. */
  send: (messages: (NodeMessage | null)[]) => void;
  /** Aborted when the message is cancelled or the node closes. */
  signal: AbortSignal;
}

/** The client of the account, and the cache epoch of {@link Inputs}. */
interface ClientOptions {
  client: DriveClient;
  cacheEpoch: number | undefined;
}

/** Nodes that have warned that files of other projects can't be seen. */
const warnedOfProject = new WeakSet<Node>();

/** @throws `invalid_input` if it is unclear whether the node has a second output */
export function createRunContext<Config extends object>(
  nodeContext: NodeContext<Config>,
  message: InputMessage,
  { client, cacheEpoch }: ClientOptions,
): RunContext<Config> {
  const { RED, node, config, account } = nodeContext;
  const { msg, send } = message;
  const call = createCall(nodeContext, message, client);
  const inputs = new Inputs({ RED, node, config, msg, client, call, cacheEpoch });
  const hasProgressOutput = 'progress' in config && inputs.flag('progress');
  return {
    client,
    config,
    inputs,
    msg,
    call,
    send: (message) => send([message]),
    cloneMessage: () => RED.util.cloneMessage({ ...msg, payload: undefined }),
    newId: () => RED.util.generateId(),
    warn: (text, params) => node.warn(warningText(RED, text, params)),
    mayBeOtherProject: () => {
      if (!account?.isNewToProject()) return false;
      if (!warnedOfProject.has(node)) node.warn(warningText(RED, 'nothing_found', {}));
      warnedOfProject.add(node);
      return true;
    },
    errorSummary: (error) => errorSummary(RED, error, { type: node.type, config, account }),
    ...createReports(nodeContext, message, hasProgressOutput),
  };
}

function createCall<Config>(
  { RED, node, status }: NodeContext<Config>,
  { signal }: InputMessage,
  { service }: DriveClient,
): CallOptions {
  return {
    signal,
    onWait: (ms, error) => {
      if (status.showWait(ms, error?.code)) node.warn(retryWarning(RED, error, service.baseUrl));
    },
    onQueue: (isQueued) => status.setQueued(isQueued),
  };
}

type Reports = 'results' | 'showCount' | 'showLocked' | 'showEntries' | 'trackProgress';

/** What a run shows in the status while it works, and sends to the output for progress. */
function createReports<Config extends object>(
  { RED, node, status }: NodeContext<Config>,
  { msg, send }: InputMessage,
  hasProgressOutput: boolean,
): Pick<RunContext<Config>, Reports> {
  const now = (): number => systemClock.monotonic();
  const results = new StatusTexts(RED);
  const showText = throttleTexts(now, (text) => status.showProgress(text));
  return {
    results,
    showCount: trackCount(now, (text) => status.showProgress(text)),
    showLocked: ({ host, time }) => {
      status.showLocked();
      const since = new LocalTime(time);
      const warning =
        host === undefined
          ? warningText(RED, 'repository_lock_unreadable', { time: since })
          : warningText(RED, 'repository_locked', { host, time: since });
      node.warn(warning);
    },
    showEntries: ({ entries, bytes }) => showText(() => results.archive(entries, bytes)),
    trackProgress: (file, description) =>
      trackProgress({
        ...description,
        now,
        language: catalogueLanguage(RED),
        file,
        show: (text) => status.showProgress(text),
        emit: hasProgressOutput
          ? (progress, latest) => send([null, progressMessage(msg, progress, latest)])
          : undefined,
      }),
  };
}

/**
 * Waits, so that many machines with the same flow don't send requests in the same second.
 * @param maxSeconds 0 for none
 * @param random from 0 to 1
 * @throws `cancelled`
 */
export async function randomDelay(
  maxSeconds: number,
  { signal, onWait }: CallOptions,
  random: () => number = Math.random,
): Promise<void> {
  const ms = random() * maxSeconds * 1_000;
  if (ms === 0) return;
  onWait?.(ms);
  await systemClock.sleep(ms, signal);
}
