/**
 * Loads flow nodes into Node-RED's test helper: with an account, with something at each output, and with Complete and
 * Catch, so that a test waits for what a message comes to and never sleeps.
 *
 *     useNodeRed();
 *     const flow = await load([{ id: 'about', type: 'cloud-drive-about' }], { url: drive.url });
 *     const { sent, error } = await flow.run('about', { payload: 1 });
 */
import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import type { Node, NodeAPI, NodeMessage, NodeStatus } from 'node-red';
import helper from 'node-red-node-test-helper';
import { CREDENTIALS, customAccount, presetAt, restorePreset } from './account';

export interface FlowNode {
  id: string;
  type: string;
  [property: string]: unknown;
}

export interface LoadOptions {
  /** Where the drive is; without it there is no account unless the flow has its own. */
  url?: string;
  /** `google` lets the preset mean that drive, so that all of the service's extras are used. Default `custom`. */
  service?: 'google' | 'custom';
  /** More properties of the account. */
  account?: Record<string, unknown>;
  /** By the node's id; the account's, if not given, are {@link CREDENTIALS}. */
  credentials?: Record<string, object>;
}

/** What a message came to. */
export interface Ending {
  /** Messages at the first and at the second output, in order. */
  sent: NodeMessage[];
  second: NodeMessage[];
  /** `msg.error` of the Catch node; undefined where the node was done without one. */
  error: CaughtError | undefined;
  /** The message that came to Complete or Catch. */
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
 * Loads a flow. Nodes of this package get the account `account` unless they name one, and their outputs end in the
 * flow's records unless they are wired.
 */
export async function load(nodes: FlowNode[], options: LoadOptions = {}): Promise<LoadedFlow> {
  const { url, service = 'custom' } = options;
  const withAccount = url !== undefined && !nodes.some(({ id }) => id === 'account');
  if (url !== undefined && service === 'google') presetAt(url);
  const flow: FlowNode[] = [{ id: 'tab', type: 'tab', label: 'test' }];
  if (withAccount) {
    const where = service === 'google' ? { service, requestsPerSecond: 1_000 } : customAccount(url);
    flow.push({ id: 'account', type: 'cloud-drive-account', ...where, ...options.account });
  }
  for (const node of nodes) flow.push(...completed(node, withAccount));
  const tested = flow.filter((node) => isFlowNode(node) && node['z'] === 'tab').map(({ id }) => id);
  flow.push(
    {
      id: 'complete',
      type: 'complete',
      z: 'tab',
      x: 0,
      y: 0,
      scope: tested,
      uncaught: false,
      wires: [['ended']],
    },
    { id: 'catch', type: 'catch', z: 'tab', x: 0, y: 0, scope: null, uncaught: false, wires: [['ended']] },
    { id: 'ended', type: 'helper', z: 'tab', x: 0, y: 0, wires: [] },
  );
  const loaded = new LoadedFlow();
  const modules = [...new Set(flow.map(({ type }) => type))].filter(isOurs).map(moduleOf);
  // Node-RED works on what it is given.
  const credentials = structuredClone({
    ...(withAccount ? { account: CREDENTIALS } : {}),
    ...options.credentials,
  });
  await helper.load([(RED) => loaded.watch(RED), ...modules], flow, credentials);
  checkLoaded(flow);
  loaded.listen(flow, credentials);
  return loaded;
}

function isOurs(type: string): boolean {
  return type.startsWith('cloud-drive-');
}

function isFlowNode({ type }: FlowNode): boolean {
  return isOurs(type) && type !== 'cloud-drive-account';
}

type Registering = (RED: NodeAPI) => void;

function moduleOf(type: string): Registering {
  const name = type.slice('cloud-drive-'.length);
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const node = require(path.join('../../../nodes', name, name)) as Registering | { default: Registering };
  // tsx gives what a file exports by `export =` in one way or the other, by how it reads the rest of the file.
  return typeof node === 'function' ? node : node.default;
}

/** A node without x and y counts as a config node. */
function completed(node: FlowNode, withAccount: boolean): FlowNode[] {
  if (!isFlowNode(node)) return [node];
  const whole: FlowNode = { z: 'tab', x: 0, y: 0, ...(withAccount ? { account: 'account' } : {}), ...node };
  if (node['wires'] !== undefined || whole['z'] !== 'tab') return [whole];
  const ends = [1, 2].map((output) => `${node.id}-out${output}`);
  return [
    { ...whole, wires: ends.map((end) => [end]) },
    ...ends.map((id) => ({ id, type: 'helper', z: 'tab', x: 0, y: 0, wires: [] })),
  ];
}

/** A flow node that could not be made is only missing: nothing else would fail in a test that expects no output. */
function checkLoaded(flow: FlowNode[]): void {
  const templates = new Set(flow.filter(({ type }) => type === 'subflow').map(({ id }) => id));
  const missing = flow.filter(
    ({ id, type, z }) =>
      !['tab', 'subflow', 'group'].includes(type) && !templates.has(z as string) && !helper.getNode(id),
  );
  if (missing.length > 0)
    throw new Error(`not loaded: ${missing.map(({ id, type }) => `${id} (${type})`).join(', ')}`);
}

export class LoadedFlow {
  private readonly events = new EventEmitter();
  private readonly arrived = new Map<string, NodeMessage[]>();
  private readonly shown = new Map<string, NodeStatus[]>();
  private sequence = 0;
  private deployed: { flow: FlowNode[]; credentials: Record<string, object> } = { flow: [], credentials: {} };

  /** Called by {@link load} before the flow starts. */
  watch(RED: NodeAPI): void {
    this.events.setMaxListeners(0);
    const onStatus = ({ id, status }: { id: string; status: NodeStatus }): void => {
      this.shown.set(id, [...this.statuses(id), status]);
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
        this.arrived.set(id, [...this.messages(id), msg]);
        this.events.emit(`message ${id}`);
      });
    }
  }

  /** Deploys one node changed; the others go on. */
  async redeploy(id: string, changes: Record<string, unknown>): Promise<void> {
    const { flow, credentials } = this.deployed;
    const changed = flow.map((node) => (node.id === id ? { ...node, ...changes } : node));
    this.deployed = { flow: changed, credentials };
    await helper.setFlows(structuredClone(changed), 'nodes', structuredClone(credentials));
  }

  node(id: string): Node {
    const node = helper.getNode(id);
    if (!node) throw new Error(`no node ${id}`);
    return node;
  }

  /** Sends a message into a node and waits until the node is done with it. */
  async run(id: string, msg: NodeMessage = {}): Promise<Ending> {
    const _msgid = this.send(id, msg);
    const own = (message: NodeMessage): boolean => message._msgid === _msgid;
    const ended = await this.until(`message ended`, () => this.messages('ended').find(own));
    return {
      sent: this.messages(`${id}-out1`).filter(own),
      second: this.messages(`${id}-out2`).filter(own),
      error: ended['error'] as CaughtError | undefined,
      msg: ended,
    };
  }

  /** Sends a message into a node; @returns its `_msgid` */
  send(id: string, msg: NodeMessage = {}): string {
    const _msgid = msg._msgid ?? `message-${++this.sequence}`;
    this.node(id).receive({ ...msg, _msgid });
    return _msgid;
  }

  /** What has come to a helper node so far: `<id>-out1` and `-out2`, `ended`, or one of the flow's own. */
  messages(id: string): NodeMessage[] {
    return this.arrived.get(id) ?? [];
  }

  /** Waits until that many messages have come to a helper node. */
  async received(id: string, count = 1): Promise<NodeMessage[]> {
    return this.until(`message ${id}`, () =>
      this.messages(id).length >= count ? this.messages(id) : undefined,
    );
  }

  /** What a node has shown since the flow was loaded, the state at its start included. */
  statuses(id: string): NodeStatus[] {
    return this.shown.get(id) ?? [];
  }

  /** Waits until a node has shown a state that fits. */
  async status(id: string, fits: (status: NodeStatus) => boolean): Promise<NodeStatus> {
    return this.until(`status ${id}`, () => this.statuses(id).find(fits));
  }

  /** Everything that was logged since the flow was loaded. */
  logged(): string[] {
    const entries = (helper.log()?.args ?? []).map(([entry]) => entry);
    // Without a message it is a metric.
    return entries.flatMap(({ type = '', msg }) =>
      msg === undefined ? [] : [`${type} ${String(msg as string)}`],
    );
  }

  private async until<T>(event: string, look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await once(this.events, event);
    }
  }
}
