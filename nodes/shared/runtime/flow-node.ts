/**
 * The input handler of all flow nodes. A node provides its defaults and a `run` that throws on failure; this handler
 * turns the outcome into a status and exactly one `done`.
 */
import type { NodeAPI } from 'node-red';
import { cancelled, withService } from '../../../src/index';
import { toFailure } from './error-message';
import { clientFor } from './account-node';
import { type NodeContext, type NodeDefinition, muteNode, registerNode } from './register-node';
import { type InputMessage, type RunContext, createRunContext } from './run-context';
import type { Outcome } from './status';

export interface FlowNodeDefinition<Config> extends NodeDefinition<Config> {
  /** Whether each message resolves its paths without the cache of earlier messages. True for nodes that change files. */
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
    if (msg['cancel'] === true) {
      cancelAll();
      done();
      return;
    }
    const controller = new AbortController();
    running.add(controller);
    status.start();
    run(definition, nodeContext, { msg, send, signal: controller.signal })
      .then(
        (outcome) => {
          status.succeed(outcome ?? {});
          done();
        },
        (error: unknown) => {
          const failure = toFailure(RED, error);
          status.fail(failure.code);
          done(failure);
        },
      )
      .finally(() => running.delete(controller));
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
    throw withService(context.inputs.withReceivedIds(error), client.service.baseUrl);
  }
}
