/**
 * The soak: thousands of messages through a real Node-RED with the built package, in a process of its own, against a
 * local drive whose tokens last for seconds. Nothing is faked, and nothing goes wrong: what is looked for is what grows.
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
  /** s that an access token is good for. */
  tokenLifetime: number;
  /** Goes on, with more messages, until there were so many refreshes after the first. */
  minRefreshes?: number;
  onSample?: (messages: number, memory: Memory) => void;
}

/** Looks at the memory in all. */
const SAMPLES = 40;

/** What is known of a message that was sent. */
interface Sent {
  outputs: NodeMessage[];
  /** How often it came to Complete or Catch. */
  ends: number;
  error: string | undefined;
  ended: () => void;
}

/** @throws when Node-RED ends: an unhandled rejection ends it */
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
  private readonly wrong: string[] = [];
  private readonly memory: Memory[] = [];
  private mostConnections = 0;
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
      onOutput: (id, msg) => this.take(id, msg),
    });
    this.nodeRed = nodeRed;
    await nodeRed.deploy(soakFlow(drive.url));
    // What the deploy logs has come before this answer.
    await this.measure(nodeRed);
    const started = Date.now();
    const loggedBefore = nodeRed.log.length;
    // Never comes; what it tells is the end of Node-RED.
    const crash = nodeRed.outputs('none');
    const workers = Array.from({ length: inFlight }, (_, at) => this.work(nodeRed, `${at}`, folder));
    await Promise.race([Promise.all(workers), crash]);
    const duration = Date.now() - started;
    await this.measure(nodeRed);
    return {
      ...{ messages: this.sent.size, inFlight, tokenLifetime, duration },
      ...{ memory: this.memory, wrongOutputs: this.wrong, mostConnections: this.mostConnections },
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

  /** One of those in flight: the next message goes out as soon as the last has ended. */
  private async work(nodeRed: NodeRed, who: string, folder: string): Promise<void> {
    const { messages, minRefreshes = 0, onSample } = this.options;
    const every = Math.ceil(messages / SAMPLES);
    for (const step of messageSteps(who, folder)) {
      const number = this.sent.size;
      if (number >= messages && this.refreshes().length > minRefreshes) return;
      await this.send(nodeRed, step);
      this.mostConnections = Math.max(this.mostConnections, this.drive.traffic.connections);
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
    if (!error && !(outputs.length === 1 && output && check(output))) this.wrong.push(`${node} ${_msgid}`);
    // Contents need not be kept.
    outputs.length = 0;
  }

  /** When there was one, ms since 1970. */
  private refreshes(): number[] {
    return this.drive.requests.to('POST', /\/token$/).map(({ receivedAt }) => receivedAt);
  }

  private async measure(nodeRed: NodeRed): Promise<Memory> {
    const memory = new Promise<Memory>((resolve) => (this.measured = resolve));
    nodeRed.receive('memory');
    this.memory.push(await memory);
    return memory;
  }

  private take(id: string, msg: NodeMessage): void {
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

function count(sent: ReadonlyMap<string, Sent>, holds: (sent: Sent) => boolean): number {
  return [...sent.values()].filter(holds).length;
}
