/**
 * A real Node-RED with the built package installed in a user directory of its own. Several can run at once; each is a
 * process, since Node-RED can be started only once in one.
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
import type { NodeMessage, NodeStatus } from 'node-red';
import { ROOT, ensureBuilt } from './built-package';
import type { ChildMessage } from './child-messages';
import { EventWaiter } from './event-waiter';
import { checkNodeSets, createUserDir } from './user-dir';
import { selectedPlatform } from '../run/platforms';

export interface NodeRedOptions {
  /** Node-RED's own settings, as JSON: adminAuth, httpAdminRoot, credentialSecret, … */
  settings?: Record<string, unknown>;
  /** What is deployed when it starts for the first time. */
  flow?: DeployedNode[];
  /** More environment variables. */
  env?: Record<string, string>;
  /** Another Node.js or Node-RED than those of this run. */
  node?: string;
  nodeRed?: string;
  /** Where the package is that is installed; this project by default. */
  packageRoot?: string;
  /** File descriptor for what it writes to stderr; this process's own by default. */
  stderr?: number;
  /** How many times as fast the package's clock goes, so that nobody waits for its pauses. */
  clockSpeed?: number;
  /** Told of each message at a `test-output` node, which is not kept then. */
  onOutput?: (id: string, msg: NodeMessage) => void;
}

export interface DeployedNode {
  id: string;
  type: string;
  credentials?: Record<string, string>;
  [property: string]: unknown;
}

const DEFAULT_SETTINGS = {
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, palette: { catalogues: [] } },
  credentialSecret: 'canary-credential-secret',
  flowFile: 'flows.json',
};

/** Node-RED's level of warnings; errors are below. */
const WARN = 30;

/** Starts Node-RED in a new user directory; resolves when it answers and its flows have started. */
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
  /** Everything that was logged, at any level, since the first start. */
  readonly log: string[] = [];
  /** Of those the warnings and errors. */
  readonly warnings: string[] = [];
  private child: ChildProcess | undefined;
  private port = 0;
  private token: string | undefined;
  private readonly events = new EventWaiter();
  private readonly arrived = new Map<string, NodeMessage[]>();
  private readonly shown = new Map<string, NodeStatus[]>();

  /** Made by {@link startNodeRed}. */
  constructor(
    readonly userDir: string,
    private readonly options: NodeRedOptions,
  ) {}

  /** Where the editor is, without a slash at the end. */
  get url(): string {
    const root = this.options.settings?.['httpAdminRoot'];
    return `http://127.0.0.1:${this.port}${typeof root === 'string' ? root.replace(/\/$/, '') : ''}`;
  }

  async start(): Promise<void> {
    const { settings, env, node, nodeRed = require.resolve('node-red') } = this.options;
    const nodesDir = path.join(__dirname, 'nodes');
    const given = {
      nodeRed,
      settings: { ...DEFAULT_SETTINGS, nodesDir, userDir: this.userDir, ...settings },
      speed: this.options.clockSpeed,
    };
    this.child = fork(path.join(__dirname, 'node-red-child.cjs'), [JSON.stringify(given)], {
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

  /** Ends it; the user directory stays. @throws if it did not end as it should */
  async stop(): Promise<void> {
    const code = await this.terminate((child) => child.send({ type: 'stop' }));
    if (code !== 0) throw exitError(code);
  }

  /** Ends it in the middle of whatever it does: it is told nothing and can write nothing. */
  async kill(): Promise<void> {
    await this.terminate((child) => child.kill('SIGKILL'));
  }

  /** Of the process that runs now. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** Stops and starts it: what is only in memory is lost. */
  restart(): Promise<void> {
    return this.stop().then(() => this.start());
  }

  /** Stops it and removes its user directory. */
  async close(): Promise<void> {
    await this.stop().finally(() => rm(this.userDir, { recursive: true, force: true }));
  }

  /** Deploys as the editor does; resolves when the flows have started. */
  async deploy(flow: DeployedNode[], type: 'full' | 'nodes' | 'flows' = 'full'): Promise<void> {
    const started = this.events.next('started');
    const answer = await this.request('/flows', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': type },
      body: JSON.stringify(flow),
    });
    if (!answer.ok) throw new Error(`deploy: ${answer.status} ${await answer.text()}`);
    await started;
  }

  /** A request to the admin API, with the token of {@link logIn} if there was one. @param where begins with a slash */
  request(where: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.token !== undefined) headers.set('Authorization', `Bearer ${this.token}`);
    return fetch(`${this.url}${where}`, { ...init, headers });
  }

  /** Logs in where `adminAuth` is on. */
  async logIn(username: string, password: string): Promise<void> {
    this.token = undefined;
    const form = { client_id: 'node-red-editor', grant_type: 'password', scope: '', username, password };
    const answer = await this.request('/auth/token', { method: 'POST', body: new URLSearchParams(form) });
    if (!answer.ok) throw new Error(`login: ${answer.status}`);
    this.token = ((await answer.json()) as { access_token: string }).access_token;
  }

  logOut(): void {
    this.token = undefined;
  }

  /** Sends a message into a node. */
  receive(node: string, msg: NodeMessage = {}): void {
    this.child?.send({ type: 'receive', node, msg });
  }

  /** Waits until that many messages have come to a `test-output` node. */
  outputs(id: string, count = 1): Promise<NodeMessage[]> {
    return this.events.waitFor(`output ${id}`, () => {
      const messages = this.arrived.get(id) ?? [];
      return messages.length >= count ? [...messages] : undefined;
    });
  }

  /** Waits for a message that fits at a `test-output` node; those that came before count. */
  output(id: string, fits: (msg: NodeMessage) => boolean): Promise<NodeMessage> {
    return this.events.waitFor(`output ${id}`, () => this.arrived.get(id)?.find(fits));
  }

  /** Waits for the next message that comes to any `test-output` node. */
  nextOutput(): Promise<void> {
    return this.events.next('output');
  }

  /** Waits until a node has shown a state that fits; states since the first start count. */
  status(id: string, fits: (status: NodeStatus) => boolean): Promise<NodeStatus> {
    return this.events.waitFor(`status ${id}`, () => this.shown.get(id)?.find(fits));
  }

  /** Every state that any node has shown since the first start. */
  allStatuses(): NodeStatus[] {
    return [...this.shown.values()].flat();
  }

  /** A file of the user directory as text. */
  file(name: string): Promise<string> {
    return readFile(path.join(this.userDir, name), 'utf8');
  }

  private handleMessage(message: ChildMessage): void {
    if (message.type === 'listening') this.port = message.port;
    if (message.type === 'log') this.log.push(message.line);
    if (message.type === 'log' && message.level <= WARN) this.warnings.push(message.line);
    if (message.type === 'output') {
      const { onOutput = (id, msg) => append(this.arrived, id, msg) } = this.options;
      onOutput(message.id, message.msg);
      this.events.emit('output');
    }
    if (message.type === 'status') append(this.shown, message.id, message.status);
    if (message.type === 'failed') this.events.fail(new Error(message.error));
    else this.events.emit('id' in message ? `${message.type} ${message.id}` : message.type);
  }

  /** @returns the exit code; null after a signal */
  private async terminate(how: (child: ChildProcess) => void): Promise<number | null> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return child?.exitCode ?? 0;
    const exit = once(child.removeAllListeners('exit'), 'exit');
    how(child);
    return ((await exit) as [number | null])[0];
  }
}

function exitError(code: number | null): Error {
  return new Error(`Node-RED ended with code ${code ?? '-'}`);
}

function append<T>(lists: Map<string, T[]>, id: string, item: T): void {
  if (!lists.get(id)?.push(item)) lists.set(id, [item]);
}
