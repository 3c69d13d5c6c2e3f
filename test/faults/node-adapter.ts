/** Runs operations with the flow nodes of a real Node-RED in this process, with a fake clock. */
import { writeFile } from 'node:fs/promises';
import RED from 'node-red';
import helper from 'node-red-node-test-helper';
import { restorePreset } from '../support/node-red/account';
import { type FakeClock, replaceSystemClock, restoreSystemClock } from '../support/clock';
import { type LoadedFlow, load } from '../support/node-red/load';
import { messageFor, campaignNodes } from './node-flow';
import { USER_PROPERTY, outcomeOf } from './node-outcome';
import type { Adapter, Interruption, Operation, Outcome, AdapterOptions } from './operations';

const RETRY_FOR = 60;
const LABEL = 'campaign';

/** Requires the test helper's `startServer`. */
export function nodeAdapter(target: AdapterOptions, clock: FakeClock): Adapter {
  return new NodeAdapter(target, clock);
}

/** The state of a message according to Node-RED's hooks. */
interface MessageState {
  /** The node that received it. */
  node: string;
  /** Number of `done` calls of the node. */
  dones: number;
  /** Whether the flow was stopped. */
  isStopped: boolean;
  /** Number of messages sent after the stop. */
  late: number;
  onDone: () => void;
}

/** The used part of Node-RED's hooks, with labeled names. */
interface Hooks {
  add(name: `onComplete.${string}`, hook: (event: { msg: Message; node: { id: string } }) => void): void;
  add(name: `onSend.${string}`, hook: (events: { msg: Message }[]) => void): void;
}

interface Message {
  _msgid: string;
}

class NodeAdapter implements Adapter {
  private flow: LoadedFlow | undefined;
  private readonly messages = new Map<string, MessageState>();
  private readonly violations: string[] = [];
  /** The node with the current message, and the callback for a redeploy. */
  private running: { node: string; redeployed: (stopped: Promise<void>) => void } | undefined;
  private readonly random = Math.random;

  constructor(
    private readonly target: AdapterOptions,
    private readonly clock: FakeClock,
  ) {
    replaceSystemClock(clock);
    // Nodes use it for the jitter of retry waits, which must be repeatable.
    Math.random = target.random;
    helper.settings({ userDir: target.userDir, credentialSecret: 'campaign' });
    // https://nodered.org/docs/api/hooks/messaging
    const { hooks } = RED as unknown as { hooks: Hooks };
    hooks.add(`onComplete.${LABEL}`, ({ msg, node }) => this.done(msg._msgid, node.id));
    hooks.add(`onSend.${LABEL}`, (events) => {
      for (const { msg } of events) this.sent(msg._msgid);
    });
  }

  async run(operation: Operation): Promise<Outcome> {
    const flow = (this.flow ??= await this.load());
    const { to, msg } = messageFor(operation);
    if (operation.kind === 'upload' && operation.path !== undefined)
      await writeFile(operation.path, operation.content);
    const shownBefore = flow.statuses(to).length;
    const loggedBefore = flow.logged().length;
    const _msgid = `message-${this.messages.size}`;
    const done = this.expect(_msgid, to);
    const redeploy = new Promise<Promise<void>>((redeployed) => (this.running = { node: to, redeployed }));
    const ending = await Promise.race([
      flow.run(to, { ...USER_PROPERTY, ...msg, _msgid }),
      redeploy.then((stopped) => this.stopped(stopped, _msgid, done)),
    ]);
    this.running = undefined;
    const shown = [flow.statuses(to).slice(shownBefore), flow.logged().slice(loggedBefore)];
    if (ending) return outcomeOf(operation, ending, shown);
    return { ok: false, code: 'redeployed', text: 'redeployed', visibleText: JSON.stringify(shown) };
  }

  interrupt(how: Interruption): void {
    if (!this.running || !this.flow) return;
    const { node, redeployed } = this.running;
    if (how === 'cancel') {
      const _msgid = `message-${this.messages.size}`;
      void this.expect(_msgid, node);
      this.flow.send(node, { _msgid, cancel: true });
    } else {
      this.running = undefined;
      redeployed(this.unload());
    }
  }

  async close(): Promise<string[]> {
    await this.unload();
    RED.hooks.remove(`*.${LABEL}`);
    restoreSystemClock();
    // Otherwise the next test would use the same state file.
    helper.settings({});
    Math.random = this.random;
    for (const [_msgid, { dones, late }] of this.messages) {
      if (dones !== 1) this.violations.push(`done called ${dones} times for ${_msgid}`);
      if (late > 0) this.violations.push(`sent ${late} messages for ${_msgid} after a redeploy`);
    }
    return this.violations;
  }

  private load(): Promise<LoadedFlow> {
    const { url, timeout, client, refreshToken } = this.target;
    // The prune node uses the clock of the service, which is the campaign's.
    return load(campaignNodes(this.clock.now()), {
      url,
      service: 'google',
      account: { timeout: timeout / 1_000, retryFor: RETRY_FOR },
      credentials: { account: { clientId: client.id, clientSecret: client.secret, refreshToken } },
    });
  }

  /** Stops the flow. Each finished message must have reached Complete or Catch exactly once. */
  private async unload(): Promise<void> {
    const { flow } = this;
    if (!flow) return;
    this.flow = undefined;
    await helper.unload();
    restorePreset();
    for (const [_msgid, seen] of this.messages) {
      if (seen.isStopped) continue;
      seen.isStopped = true;
      const ended = flow.messages('ended').filter((msg) => msg._msgid === _msgid).length;
      if (ended > 1) this.violations.push(`${_msgid} ended ${ended} times`);
    }
  }

  /** Waits for `done` after a redeploy, when Complete and Catch no longer exist. */
  private async stopped(stopped: Promise<void>, _msgid: string, done: Promise<void>): Promise<undefined> {
    await stopped;
    await done;
    return undefined;
  }

  /** @returns a promise that resolves when the node calls `done` for the message */
  private expect(_msgid: string, node: string): Promise<void> {
    return new Promise((resolve) => {
      this.messages.set(_msgid, { node, dones: 0, isStopped: false, late: 0, onDone: resolve });
    });
  }

  private done(_msgid: string, node: string): void {
    const seen = this.messages.get(_msgid);
    if (seen?.node !== node) return;
    seen.dones += 1;
    seen.onDone();
  }

  private sent(_msgid: string): void {
    const seen = this.messages.get(_msgid);
    if (seen?.isStopped) seen.late += 1;
  }
}
