/**
 * The input handler of all flow nodes. A node provides its defaults and a `run` that throws on failure; this handler
 * turns the outcome into a status and exactly one `done`.
 */
import { types } from 'node:util';
import type { Node, NodeAPI, NodeMessageInFlow } from 'node-red';
import { DriveError, type TextKey, cancelled, withService } from '../../../src/index';
import { type Failure, toFailure } from './error-message';
import { type AccountNode, clientFor } from './account-node';
import { warningText } from './catalogue';
import { type NodeContext, type NodeDefinition, muteNode, registerNode } from './register-node';
import { type InputMessage, type RunContext, createRunContext } from './run-context';
import type { Outcome } from './status';

export interface FlowNodeDefinition<Config> extends NodeDefinition<Config> {
  /**
   * Whether each message resolves its paths without the cache of earlier messages. True for nodes that change files.
   */
  bypassCache?: (config: Config) => boolean;
  /** @returns what the status shows; by default that the node is done */
  run: (context: RunContext<Config>) => Promise<Outcome | void>;
}

/** Registers a flow node with an input. */
export function flowNode<Config extends object>(RED: NodeAPI, definition: FlowNodeDefinition<Config>): void {
  registerNode(RED, definition, (nodeContext) => start(definition, nodeContext));
}

function start<Config extends object>(
  definition: FlowNodeDefinition<Config>,
  nodeContext: NodeContext<Config>,
): void {
  const { RED, node, account, status } = nodeContext;
  const running = new Set<AbortController>();
  const cancelAll = (): void => {
    for (const controller of running) controller.abort();
  };

  node.on('input', (msg, send, done) => {
    const end = (failure?: Failure): void => endMessage({ RED, node, done }, failure);
    if (isCancel(msg)) {
      cancelAll();
      end();
      return;
    }
    const controller = new AbortController();
    running.add(controller);
    const message = { msg, send, signal: controller.signal };
    void runToEnd(definition, nodeContext, { message, end }).finally(() => running.delete(controller));
  });

  const stopListening = account?.onSignInChange(() => status.showIdle());
  node.on('close', (_removed: boolean, done: () => void) => {
    muteNode(node);
    status.close();
    stopListening?.();
    cancelAll();
    done();
  });
  status.showIdle();
}

/** A message can have a property whose getter throws. */
function isCancel(msg: NodeMessageInFlow): boolean {
  try {
    return msg['cancel'] === true;
  } catch {
    return false;
  }
}

interface Ending {
  RED: NodeAPI;
  node: Node;
  done: (error?: Error) => void;
}

/**
 * Node-RED clones the message for Catch and Complete nodes, which throws for some messages. In a promise, that would be
 * an unhandled rejection, which ends Node-RED.
 */
function endMessage({ RED, node, done }: Ending, failure?: Failure): void {
  try {
    done(failure);
  } catch (error) {
    if (failure) node.error(failure);
    const reason = types.isNativeError(error) ? error.name : typeof error;
    node.warn(warningText(RED, 'message_not_copied', { reason }));
  }
}

/** Shows the outcome in the status. @param end called once */
async function runToEnd<Config extends object>(
  definition: FlowNodeDefinition<Config>,
  nodeContext: NodeContext<Config>,
  { message, end }: { message: InputMessage; end: (failure?: Failure) => void },
): Promise<void> {
  const { RED, node, config, account, status } = nodeContext;
  status.start();
  try {
    const outcome = await run(definition, nodeContext, message);
    status.succeed(outcome ?? {});
  } catch (error) {
    const failure = toFailure(RED, error, { type: node.type, config, account });
    status.fail(failure.code);
    return end(failure);
  }
  end();
}

async function run<Config extends object>(
  definition: FlowNodeDefinition<Config>,
  nodeContext: NodeContext<Config>,
  message: InputMessage,
): Promise<Outcome | void> {
  const client = clientFor(nodeContext.account);
  const cacheEpoch = definition.bypassCache?.(nodeContext.config) ? client.paths.cacheEpoch() : undefined;
  let hasSent = false;
  const send: InputMessage['send'] = (messages) => {
    if (message.signal.aborted) throw cancelled();
    hasSent = true;
    message.send(messages);
  };
  const context = createRunContext(nodeContext, { ...message, send }, { client, cacheEpoch });
  try {
    // A second run after a message was sent would send it again.
    return await client.paths.cache.retryWithoutCache(
      () => definition.run(context),
      () => !hasSent,
    );
  } catch (error) {
    noteOtherProject(error, nodeContext.account);
    throw withService(context.inputs.explain(error), client.service.baseUrl);
  }
}

/** Errors whose texts don't say that files of other projects can't be seen. */
const NOTHING_FOUND = new Set<TextKey>([
  'not_found_archive',
  'not_found_archive_number',
  'not_found_archive_date',
  'outdated_none',
]);

function noteOtherProject(error: unknown, account: AccountNode | undefined): void {
  if (error instanceof DriveError && NOTHING_FOUND.has(error.text))
    error.mayBeOtherProject = account?.isNewToProject() ?? false;
}
