/**
 * The one input handler of all flow nodes. A node gives its defaults and `run`, which throws; here that becomes the
 * status and a single `done`.
 */
import type { NodeAPI } from 'node-red';
import { nodeError } from './error-message';
import { type NodeContext, type NodeDefinition, clientFor, registerNode, muteNode } from './register-node';
import { type InputMessage, Sender, type RunContext, createRunContext } from './run-context';

export interface FlowNodeDefinition<Config> extends NodeDefinition<Config> {
  /** True for nodes that change files: each message resolves its paths without folders cached earlier. */
  bypassCache?: (config: Config) => boolean;
  /** @returns `tried` where it has only looked what it would do */
  run: (work: RunContext<Config>) => Promise<'tried' | void>;
}

/** Registers a flow node with Node-RED. */
export function flowNode<Config extends object>(RED: NodeAPI, definition: FlowNodeDefinition<Config>): void {
  registerNode(RED, definition, (deployed) => start(definition, deployed));
}

function start<Config extends object>(
  definition: FlowNodeDefinition<Config>,
  deployed: NodeContext<Config>,
): void {
  const { RED, node, account, status } = deployed;
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
    run(definition, deployed, { msg, send, signal: controller.signal })
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
  deployed: NodeContext<Config>,
  incoming: InputMessage,
): Promise<'tried' | void> {
  const client = clientFor(deployed);
  const cacheEpoch = definition.bypassCache?.(deployed.config) ? client.paths.cacheEpoch() : undefined;
  const outlet = new Sender(incoming);
  const work = createRunContext(deployed, incoming, { client, outlet, cacheEpoch });
  // Where a folder was remembered by its path, it may be another one by now.
  return client.paths.retryWithoutCache(
    () => definition.run(work),
    () => !outlet.hasSent,
  );
}
