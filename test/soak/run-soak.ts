/**
 * The soak test sends thousands of messages to a real Node-RED with the built package and a local drive with
 * short-lived tokens. Without faults or fakes, it looks for leaks.
 */
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, REFRESH_TOKEN } from '../support/node-red/account';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { soakFlow } from './flow';
import { type Step, messageSteps } from './messages';
import { type Memory, type SoakResult } from './report';

export interface SoakOptions {
  messages: number;
  inFlight: number;
  /** Lifetime of access tokens in seconds. */
  tokenLifetime: number;
  /** Continues with more messages until there were this many refreshes after the first. */
  minRefreshes?: number;
  onSample?: (messages: number, memory: Memory) => void;
}

/** Number of memory samples. */
const SAMPLES = 40;

/** The state of a sent message. */
interface Sent {
  outputs: NodeMessage[];
  /** How often it reached Complete or Catch. */
  ends: number;
  error: string | undefined;
  ended: () => void;
}

/** @throws if Node-RED exits, for example because of an unhandled rejection */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const { tokenLifetime } = options;
  const drive = await startLocalDrive({
    clients: [{ ...CLIENT }],
    refreshToken: REFRESH_TOKEN,
    tokenLifetime,
    maxRecordedRequests: Infinity,
  });
  const runner = new SoakRunner(drive, options);
  try {
    return await runner.run();
  } finally {
    await runner.close();
    await drive.close();
  }
}

class SoakRunner {
  private nodeRed: NodeRed | undefined;
  private readonly sent = new Map<string, Sent>();
  private readonly wrongOutputs: string[] = [];
  private readonly memory: Memory[] = [];
  private maxConnections = 0;
  private measured: (memory: Memory) => void = () => undefined;

  constructor(
    private readonly drive: LocalDrive,
    private readonly options: SoakOptions,
  ) {}

  async run(): Promise<SoakResult> {
    const { drive } = this;
    const { inFlight, tokenLifetime } = this.options;
    const folder = await drive.files.addFolder('soak');
    await drive.files.addFolder('inside', folder);
    const nodeRed = await startNodeRed({
      settings: {
        nodesDir: [path.join(__dirname, '../support/node-red/nodes'), path.join(__dirname, 'nodes')],
      },
      onOutput: (id, msg) => this.handleOutput(id, msg),
    });
    this.nodeRed = nodeRed;
    await nodeRed.deploy(soakFlow(drive.url));
    // All log lines of the deploy precede this response.
    await this.measure(nodeRed);
    const started = Date.now();
    const loggedBefore = nodeRed.log.length;
    // Never resolves; rejects if Node-RED exits.
    const crash = nodeRed.outputs('none');
    const workers = Array.from({ length: inFlight }, (_, at) => this.work(nodeRed, `${at}`, folder));
    await Promise.race([Promise.all(workers), crash]);
    const duration = Date.now() - started;
    await this.measure(nodeRed);
    return {
      ...{ messages: this.sent.size, inFlight, tokenLifetime, duration },
      ...{ memory: this.memory, wrongOutputs: this.wrongOutputs, maxConnections: this.maxConnections },
      unfinished: count(this.sent, ({ ends }) => ends === 0),
      finishedTwice: count(this.sent, ({ ends }) => ends > 1),
      errors: [...this.sent.values()].flatMap(({ error }) => error ?? []),
      logged: nodeRed.log.slice(loggedBefore),
      refreshes: this.refreshes(),
      calls: drive.requests.to('', /\/drive\/v3\//).map(({ receivedAt }) => receivedAt),
      unauthorized: drive.requests.all.filter(({ status }) => status === 401).length,
    };
  }

  async close(): Promise<void> {
    await this.nodeRed?.close();
  }

  /** Sends the next message as soon as the previous one has finished. */
  private async work(nodeRed: NodeRed, prefix: string, folder: string): Promise<void> {
    const { messages, minRefreshes = 0, onSample } = this.options;
    const every = Math.ceil(messages / SAMPLES);
    for (const step of messageSteps(prefix, folder)) {
      const number = this.sent.size;
      if (number >= messages && this.refreshes().length > minRefreshes) return;
      await this.send(nodeRed, step);
      this.maxConnections = Math.max(this.maxConnections, this.drive.traffic.connections);
      if (number % every !== every - 1) continue;
      onSample?.(number + 1, await this.measure(nodeRed));
    }
  }

  private async send(nodeRed: NodeRed, { node, msg, check }: Step): Promise<void> {
    const _msgid = `soak-${this.sent.size}`;
    const ended = new Promise<void>((resolve) => {
      this.sent.set(_msgid, { outputs: [], ends: 0, error: undefined, ended: resolve });
    });
    nodeRed.receive(node, { ...msg, _msgid });
    await ended;
    const { outputs = [], error } = this.sent.get(_msgid) ?? {};
    const [output] = outputs;
    if (!error && !(outputs.length === 1 && output && check(output)))
      this.wrongOutputs.push(`${node} ${_msgid}`);
    // Releases the contents.
    outputs.length = 0;
  }

  /** Times of all refreshes in milliseconds since 1970. */
  private refreshes(): number[] {
    return this.drive.requests.to('POST', /\/token$/).map(({ receivedAt }) => receivedAt);
  }

  private async measure(nodeRed: NodeRed): Promise<Memory> {
    const memory = new Promise<Memory>((resolve) => (this.measured = resolve));
    nodeRed.receive('memory');
    this.memory.push(await memory);
    return memory;
  }

  private handleOutput(id: string, msg: NodeMessage): void {
    if (id === 'measured') return this.measured(msg.payload as Memory);
    const sent = this.sent.get(msg._msgid ?? '');
    if (!sent) return;
    if (id === 'out') {
      sent.outputs.push(msg);
      return;
    }
    sent.ends += 1;
    if (id === 'caught') sent.error = (msg['error'] as { message: string }).message;
    sent.ended();
  }
}

function count(sent: ReadonlyMap<string, Sent>, condition: (sent: Sent) => boolean): number {
  return [...sent.values()].filter(condition).length;
}
