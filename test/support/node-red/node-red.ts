/**
 * A real Node-RED with the built package in its own user directory. Each is a child process, because Node-RED can be
 * started only once per process.
 *
 *     const nodeRed = await startNodeRed();
 *     await nodeRed.deploy([...flow, { id: 'out', type: 'test-output', z: 'tab', x: 0, y: 0, wires: [] }]);
 *     nodeRed.receive('about', { payload: 1 });
 *     const [msg] = await nodeRed.outputs('out');
 *     await nodeRed.close();
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { NodeMessage, NodeStatus } from 'node-red';
import { ROOT, ensureBuilt } from './built-package';
import type { ChildMessage } from './child-messages';
import { EventWaiter } from './event-waiter';
import { checkNodeSets, createUserDir } from './user-dir';
import { selectedPlatform } from '../run/platforms';

export interface NodeRedOptions {
  /** Node-RED's own settings, as JSON: adminAuth, httpAdminRoot, credentialSecret, … */
  settings?: Record<string, unknown>;
  /** The flow at the first start. */
  flow?: DeployedNode[];
  /** Additional environment variables. */
  env?: Record<string, string>;
  /** Another Node.js or Node-RED than those of this run. */
  node?: string;
  nodeRed?: string;
  /** Folder of the package; this project by default. */
  packageRoot?: string;
  /** File descriptor for stderr; this process's by default. */
  stderr?: number;
  /** Factor by which the package's clock runs faster. */
  clockSpeed?: number;
  /** Whether Node-RED reports audit events, which are then log lines as JSON. */
  audit?: boolean;
  /** Receives each message at a `test-output` node, which is then not recorded. */
  onOutput?: (id: string, msg: NodeMessage) => void;
}

export interface DeployedNode {
  id: string;
  type: string;
  credentials?: Record<string, string>;
  [property: string]: unknown;
}

/** No flow of the tests, examples or documents uses these core nodes. */
const UNUSED_NODES = [
  ...['10-mqtt.js', '22-websocket.js', '31-tcpin.js', '32-udp.js'],
  ...['70-HTML.js', '70-JSON.js', '70-XML.js', '70-YAML.js'],
];

/** Most flows contain only Inject, Catch, Complete, Status, Debug and Link from Node-RED itself. */
const SELDOM_USED_NODES = [
  ...['05-tls.js', '06-httpproxy.js', '10-file.js', '10-function.js', '10-switch.js', '15-change.js'],
  ...['16-range.js', '17-split.js', '18-sort.js', '19-batch.js', '21-httpin.js', '21-httprequest.js'],
  ...['23-watch.js', '70-CSV.js', '80-template.js', '89-delay.js', '89-trigger.js', '90-exec.js', 'rbe.js'],
];

/** Settings for flows with other core nodes. They double the time that Node-RED takes to start. */
export const ALL_CORE_NODES = { nodesExcludes: UNUSED_NODES };

const DEFAULT_SETTINGS = {
  telemetry: { enabled: false, updateNotification: false },
  // Monaco takes a third of the editor's start; our dialogs contain no code editor.
  editorTheme: { tours: false, palette: { catalogues: [] }, codeEditor: { lib: 'ace' } },
  nodesExcludes: [...UNUSED_NODES, ...SELDOM_USED_NODES],
  // Otherwise each start runs `npm --version`.
  externalModules: { palette: { allowInstall: false } },
  credentialSecret: 'canary-credential-secret',
  flowFile: 'flows.json',
};

/** Node-RED's log level of warnings; errors have lower ones. */
const WARN = 30;

/** Starts Node-RED in a new user directory; resolves once its flows have started. */
export async function startNodeRed(options: NodeRedOptions = {}): Promise<NodeRed> {
  const packageRoot = options.packageRoot ?? process.env['CLOUD_DRIVE_PACKAGE'] ?? ROOT;
  if (packageRoot === ROOT) ensureBuilt();
  const userDir = await createUserDir(packageRoot);
  if (options.flow)
    await writeFile(path.join(userDir, DEFAULT_SETTINGS.flowFile), JSON.stringify(options.flow));
  const nodeRed = new NodeRed(userDir, { ...(await selectedPlatform()), ...options });
  await nodeRed.start();
  return nodeRed;
}

export class NodeRed {
  /** All log lines since the first start. */
  readonly log: string[] = [];
  /** Warnings and errors in the log. */
  readonly warnings: string[] = [];
  private child: ChildProcess | undefined;
  private port = 0;
  private token: string | undefined;
  private readonly events = new EventWaiter();
  private readonly messages = new Map<string, NodeMessage[]>();
  private readonly statuses = new Map<string, NodeStatus[]>();

  /** Made by {@link startNodeRed}. */
  constructor(
    readonly userDir: string,
    private options: NodeRedOptions,
  ) {}

  /** URL of the editor, without a trailing slash. */
  get url(): string {
    const root = this.options.settings?.['httpAdminRoot'];
    return `http://127.0.0.1:${this.port}${typeof root === 'string' ? root.replace(/\/$/, '') : ''}`;
  }

  async start(): Promise<void> {
    const { settings, env, node, nodeRed = require.resolve('node-red') } = this.options;
    const nodesDir = path.join(__dirname, 'nodes');
    const childOptions = {
      nodeRed,
      settings: { ...DEFAULT_SETTINGS, nodesDir, userDir: this.userDir, ...settings },
      speed: this.options.clockSpeed,
      audit: this.options.audit ?? false,
    };
    this.child = fork(path.join(__dirname, 'node-red-child.cjs'), [JSON.stringify(childOptions)], {
      cwd: this.userDir,
      // It runs the built bundle, whose coverage isn't reported.
      env: { ...process.env, NODE_V8_COVERAGE: undefined, ...env },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', this.options.stderr ?? 'inherit', 'ipc'],
      ...(node === undefined ? {} : { execPath: node }),
    });
    this.child.on('message', (message: ChildMessage) => this.handleMessage(message));
    this.child.on('exit', (code) => this.events.fail(exitError(code)));
    const started = this.events.next('started');
    await this.events.next('listening');
    await started;
    await checkNodeSets(await this.request('/nodes', { headers: { Accept: 'application/json' } }));
  }

  /** Stops Node-RED; the user directory stays. @throws if its exit code isn't 0 */
  async stop(): Promise<void> {
    const code = await this.terminate((child) => child.send({ type: 'stop' }));
    if (code !== 0) throw exitError(code);
  }

  /** Ends the process with a signal. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.terminate((child) => child.kill(signal));
  }

  /** Id of the current process. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** Changes settings for the next start; undefined removes one. */
  changeSettings(settings: Record<string, unknown>): void {
    this.options = { ...this.options, settings: { ...this.options.settings, ...settings } };
  }

  /** Stops and starts Node-RED. */
  restart(): Promise<void> {
    return this.stop().then(() => this.start());
  }

  /** Stops Node-RED and removes its user directory. */
  async close(): Promise<void> {
    await this.stop().finally(() => rm(this.userDir, { recursive: true, force: true }));
  }

  /** Deploys a flow like the editor; resolves once the flows have started. */
  async deploy(flow: DeployedNode[], type: 'full' | 'nodes' | 'flows' = 'full'): Promise<void> {
    const started = this.events.next('started');
    const response = await this.request('/flows', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': type },
      body: JSON.stringify(flow),
    });
    if (!response.ok) throw new Error(`deploy: ${response.status} ${await response.text()}`);
    await started;
  }

  /** Stops or starts the flows, with the setting `runtimeState`. */
  async setFlowState(state: 'start' | 'stop'): Promise<void> {
    const response = await this.request('/flows/state', {
      method: 'POST',
      body: new URLSearchParams({ state }),
    });
    if (!response.ok) throw new Error(`${state}: ${response.status} ${await response.text()}`);
    // Node-RED doesn't wait until it has saved the state, with which it starts again.
    const isSaved = async (): Promise<boolean> =>
      /"runtimeFlowState": "(\w+)"/.exec(await this.file('.config.runtime.json'))?.[1] === state;
    while (!(await isSaved())) await setImmediate();
  }

  /** Sends a request to the admin API, with the token of {@link logIn} if logged in. @param path starts with a slash */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.token !== undefined) headers.set('Authorization', `Bearer ${this.token}`);
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  /** Logs in to a Node-RED with `adminAuth`. */
  async logIn(username: string, password: string): Promise<void> {
    this.token = undefined;
    const form = { client_id: 'node-red-editor', grant_type: 'password', scope: '', username, password };
    const response = await this.request('/auth/token', { method: 'POST', body: new URLSearchParams(form) });
    if (!response.ok) throw new Error(`login: ${response.status}`);
    this.token = ((await response.json()) as { access_token: string }).access_token;
  }

  /** Sends a message into a node. */
  receive(node: string, msg: NodeMessage = {}): void {
    this.child?.send({ type: 'receive', node, msg });
  }

  /** Waits until a `test-output` node has received this many messages. */
  outputs(id: string, count = 1): Promise<NodeMessage[]> {
    return this.events.waitFor(`output ${id}`, () => {
      const messages = this.messages.get(id) ?? [];
      return messages.length >= count ? [...messages] : undefined;
    });
  }

  /** Waits for a matching message at a `test-output` node; earlier ones count. */
  output(id: string, matches: (msg: NodeMessage) => boolean): Promise<NodeMessage> {
    return this.events.waitFor(`output ${id}`, () => this.messages.get(id)?.find(matches));
  }

  /** Waits for the next message at any `test-output` node. */
  nextOutput(): Promise<void> {
    return this.events.next('output');
  }

  /** Waits for a matching status of a node; earlier ones since the first start count. */
  status(id: string, matches: (status: NodeStatus) => boolean): Promise<NodeStatus> {
    return this.events.waitFor(`status ${id}`, () => this.statuses.get(id)?.find(matches));
  }

  /** All statuses of all nodes since the first start. */
  allStatuses(): NodeStatus[] {
    return [...this.statuses.values()].flat();
  }

  /** Reads a file of the user directory. */
  file(name: string): Promise<string> {
    return readFile(path.join(this.userDir, name), 'utf8');
  }

  private handleMessage(message: ChildMessage): void {
    if (message.type === 'listening') this.port = message.port;
    if (message.type === 'log') this.log.push(message.line);
    if (message.type === 'log' && message.level <= WARN) this.warnings.push(message.line);
    if (message.type === 'output') {
      const { onOutput = (id, msg) => append(this.messages, id, msg) } = this.options;
      onOutput(message.id, message.msg);
      this.events.emit('output');
    }
    if (message.type === 'status') append(this.statuses, message.id, message.status);
    if (message.type === 'failed') this.events.fail(new Error(message.error));
    else this.events.emit('id' in message ? `${message.type} ${message.id}` : message.type);
  }

  /** @returns the exit code; null after a signal */
  private async terminate(stop: (child: ChildProcess) => void): Promise<number | null> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return child?.exitCode ?? 0;
    const exit = once(child.removeAllListeners('exit'), 'exit');
    stop(child);
    return ((await exit) as [number | null])[0];
  }
}

function exitError(code: number | null): Error {
  return new Error(`Node-RED exited with code ${code ?? '-'}`);
}

function append<T>(lists: Map<string, T[]>, id: string, item: T): void {
  if (!lists.get(id)?.push(item)) lists.set(id, [item]);
}
