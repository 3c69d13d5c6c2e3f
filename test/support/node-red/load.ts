/**
 * Loads flow nodes into Node-RED's test helper, with an account, a helper node at each output, and Complete and Catch
 * nodes, so that a test waits for the result of a message and never sleeps.
 *
 *     useNodeRed();
 *     const flow = await load([{ id: 'about', type: 'cloud-drive-about' }], { url: drive.url });
 *     const { sent, error } = await flow.run('about', { payload: 1 });
 */
import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import type { Node, NodeAPI, NodeMessage, NodeStatus } from 'node-red';
import helper from 'node-red-node-test-helper';
import { CREDENTIALS, customAccount, redirectGooglePreset, restorePreset } from './account';

export interface FlowNode {
  id: string;
  type: string;
  [property: string]: unknown;
}

/** @param type without `cloud-drive-`. @returns the node `n` of a flow */
export function node(type: string, settings: object = {}): FlowNode {
  return { id: 'n', type: `cloud-drive-${type}`, ...settings };
}

export interface LoadOptions {
  /** URL of the local drive. Without it there is no account unless the flow contains one. */
  url?: string;
  /** `google` points the Google preset at that drive. Default `custom`. */
  service?: 'google' | 'custom';
  /** More properties of the account. */
  account?: Record<string, unknown>;
  /** By node id. The account's are {@link CREDENTIALS} by default. */
  credentials?: Record<string, object>;
}

/** The result of a message. */
export interface Ending {
  /** Messages at the first and at the second output, in order. */
  sent: NodeMessage[];
  second: NodeMessage[];
  /** `msg.error` of the Catch node; undefined if the node completed without an error. */
  error: CaughtError | undefined;
  /** The message that Complete or Catch received. */
  msg: NodeMessage;
}

export interface CaughtError {
  message: string;
  source: { id: string; type: string; count: number };
  code?: string;
  cause?: { code: string; status?: number; reason?: string; retryable: boolean };
}

/** Starts and stops the helper around the tests of a describe block, and unloads the flow after each. */
export function useNodeRed(): void {
  before(() => helper.startServer());
  afterEach(async () => {
    await helper.unload();
    restorePreset();
  });
  after(() => helper.stopServer());
}

/**
 * Loads a flow. Nodes of this package get the account `account` unless they name one, and helper nodes at their outputs
 * unless they are wired.
 */
export async function load(nodes: FlowNode[], options: LoadOptions = {}): Promise<LoadedFlow> {
  const { url, service = 'custom' } = options;
  const withAccount = url !== undefined && !nodes.some(({ id }) => id === 'account');
  if (url !== undefined && service === 'google') redirectGooglePreset(url);
  const flow: FlowNode[] = [{ id: 'tab', type: 'tab', label: 'test' }];
  if (withAccount) {
    const serviceSettings = service === 'google' ? { service, requestsPerSecond: 1_000 } : customAccount(url);
    flow.push({ id: 'account', type: 'cloud-drive-account', ...serviceSettings, ...options.account });
  }
  for (const node of nodes) flow.push(...withOutputs(node, withAccount));
  const flowNodes = flow.filter((node) => isFlowNode(node) && node['z'] === 'tab').map(({ id }) => id);
  flow.push(
    {
      id: 'complete',
      type: 'complete',
      z: 'tab',
      x: 0,
      y: 0,
      scope: flowNodes,
      uncaught: false,
      wires: [['ended']],
    },
    { id: 'catch', type: 'catch', z: 'tab', x: 0, y: 0, scope: null, uncaught: false, wires: [['ended']] },
    { id: 'ended', type: 'helper', z: 'tab', x: 0, y: 0, wires: [] },
  );
  const loaded = new LoadedFlow();
  const types = [...new Set(flow.map(({ type }) => type))];
  const modules = [...types.filter(isPackageNode).map(moduleOf), ...coreModules(types)];
  // Node-RED changes the objects.
  const credentials = structuredClone({
    ...(withAccount ? { account: CREDENTIALS } : {}),
    ...options.credentials,
  });
  await helper.load([(RED) => loaded.watch(RED), ...modules], flow, credentials);
  checkLoaded(flow);
  loaded.listen(flow, credentials);
  return loaded;
}

/** Loads a node, sends it a message, and unloads it when the message is completed. */
export async function runNode(node: FlowNode, msg: NodeMessage, options: LoadOptions): Promise<Ending> {
  const flow = await load([node], options);
  const ending = await flow.run(node.id, msg);
  await helper.unload();
  return ending;
}

/** Runs a node with what a function node returns: the values are of another realm, with other classes. */
export async function runAfterFunction(node: FlowNode, code: string, options: LoadOptions): Promise<Ending> {
  const wires = [[node.id]];
  const before = { id: 'function', type: 'function', z: 'tab', x: 0, y: 0, func: code, libs: [], outputs: 1 };
  const flow = await load([{ ...before, wires }, node], options);
  const ending = await flow.run(before.id, {}, node.id);
  await helper.unload();
  return ending;
}

function isPackageNode(type: string): boolean {
  return type.startsWith('cloud-drive-');
}

function isFlowNode({ type }: FlowNode): boolean {
  return isPackageNode(type) && type !== 'cloud-drive-account';
}

type NodeModule = (RED: NodeAPI) => void;

function moduleOf(type: string): NodeModule {
  const name = type.slice('cloud-drive-'.length);
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const node = require(path.join('../../../nodes', name, name)) as NodeModule | { default: NodeModule };
  // tsx loads a file with `export =` either way, depending on the rest of the file.
  return typeof node === 'function' ? node : node.default;
}

/** Core nodes that the helper doesn't load by itself. */
const CORE_NODES: Readonly<Record<string, string>> = {
  function: 'function/10-function',
  join: 'sequence/17-split',
  split: 'sequence/17-split',
};

function coreModules(types: readonly string[]): NodeModule[] {
  const files = new Set(types.flatMap((type) => CORE_NODES[type] ?? []));
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return [...files].map((file) => require(`@node-red/nodes/core/${file}.js`) as NodeModule);
}

/** Adds x and y, because Node-RED takes a node without them as a config node, and a helper node at each output. */
function withOutputs(node: FlowNode, withAccount: boolean): FlowNode[] {
  if (!isFlowNode(node)) return [node];
  const complete: FlowNode = {
    z: 'tab',
    x: 0,
    y: 0,
    ...(withAccount ? { account: 'account' } : {}),
    ...node,
  };
  if (node['wires'] !== undefined || complete['z'] !== 'tab') return [complete];
  const ends = [1, 2].map((output) => `${node.id}-out${output}`);
  return [
    { ...complete, wires: ends.map((end) => [end]) },
    ...ends.map((id) => ({ id, type: 'helper', z: 'tab', x: 0, y: 0, wires: [] })),
  ];
}

/** Node-RED only omits a node that throws when it is created, which a test that expects no output wouldn't notice. */
function checkLoaded(flow: FlowNode[]): void {
  const templates = new Set(flow.filter(({ type }) => type === 'subflow').map(({ id }) => id));
  const missing = flow.filter(
    ({ id, type, z }) =>
      !['tab', 'subflow', 'group'].includes(type) && !templates.has(z as string) && !helper.getNode(id),
  );
  if (missing.length > 0)
    throw new Error(`not loaded: ${missing.map(({ id, type }) => `${id} (${type})`).join(', ')}`);
}

/** Unlike the helper's own function, it also waits on a busy machine until the flow has started. */
export async function deployFlow(
  flow: object[],
  type: 'full' | 'nodes' = 'full',
  credentials: Record<string, object> = {},
): Promise<void> {
  const started = once(helper._events, 'flows:started');
  await helper._redNodes.setFlows(structuredClone(flow), structuredClone(credentials), type);
  await started;
}

export class LoadedFlow {
  private readonly events = new EventEmitter();
  private readonly receivedMessages = new Map<string, NodeMessage[]>();
  private readonly statusesById = new Map<string, NodeStatus[]>();
  private sequence = 0;
  private deployed: { flow: FlowNode[]; credentials: Record<string, object> } = { flow: [], credentials: {} };

  /** Called by {@link load} before the flow starts. */
  watch(RED: NodeAPI): void {
    this.events.setMaxListeners(0);
    const onStatus = ({ id, status }: { id: string; status: NodeStatus }): void => {
      this.statusesById.set(id, [...this.statuses(id), status]);
      this.events.emit(`status ${id}`);
    };
    RED.events.on('node-status', onStatus);
    RED.events.once('flows:stopped', () => RED.events.removeListener('node-status', onStatus));
  }

  /** Called by {@link load}. */
  listen(flow: FlowNode[], credentials: Record<string, object>): void {
    this.deployed = { flow, credentials };
    for (const { id, type } of flow) {
      if (type !== 'helper') continue;
      helper.getNode(id)?.on('input', (msg: NodeMessage) => {
        this.receivedMessages.set(id, [...this.messages(id), msg]);
        this.events.emit(`message ${id}`);
      });
    }
  }

  /** Deploys changes of one node; the others aren't restarted. */
  async redeploy(id: string, changes: Record<string, unknown>): Promise<void> {
    const { flow, credentials } = this.deployed;
    const changed = flow.map((node) => (node.id === id ? { ...node, ...changes } : node));
    this.deployed = { flow: changed, credentials };
    await deployFlow(changed, 'nodes', credentials);
  }

  node(id: string): Node {
    const node = helper.getNode(id);
    if (!node) throw new Error(`no node ${id}`);
    return node;
  }

  /** Sends a message to a node and waits until it is completed. @param last the node that completes it */
  async run(id: string, msg: NodeMessage = {}, last = id): Promise<Ending> {
    const _msgid = this.send(id, msg);
    const isOwn = (message: NodeMessage): boolean => message._msgid === _msgid;
    const ended = await this.until(`message ended`, () => this.messages('ended').find(isOwn));
    return {
      sent: this.messages(`${last}-out1`).filter(isOwn),
      second: this.messages(`${last}-out2`).filter(isOwn),
      error: ended['error'] as CaughtError | undefined,
      msg: ended,
    };
  }

  /** Sends a message to a node. @returns its `_msgid` */
  send(id: string, msg: NodeMessage = {}): string {
    const _msgid = msg._msgid ?? `message-${++this.sequence}`;
    this.node(id).receive({ ...msg, _msgid });
    return _msgid;
  }

  /** The messages that a helper node has received: `<id>-out1`, `<id>-out2`, `ended`, or one of the flow's own. */
  messages(id: string): NodeMessage[] {
    return this.receivedMessages.get(id) ?? [];
  }

  /** Waits until a helper node has received that many messages. */
  async received(id: string, count = 1): Promise<NodeMessage[]> {
    return this.until(`message ${id}`, () =>
      this.messages(id).length >= count ? this.messages(id) : undefined,
    );
  }

  /** All statuses of a node since the flow was loaded. */
  statuses(id: string): NodeStatus[] {
    return this.statusesById.get(id) ?? [];
  }

  /** Waits until a node has had a status that matches. */
  async status(id: string, matches: (status: NodeStatus) => boolean): Promise<NodeStatus> {
    return this.until(`status ${id}`, () => this.statuses(id).find(matches));
  }

  /** All log entries since the flow was loaded. */
  logged(): string[] {
    const entries = (helper.log()?.args ?? []).map(([entry]) => entry);
    // Entries without a message are metrics.
    return entries.flatMap(({ type = '', msg }) =>
      msg === undefined ? [] : [`${type} ${String(msg as string)}`],
    );
  }

  private async until<T>(event: string, find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await once(this.events, event);
    }
  }
}
