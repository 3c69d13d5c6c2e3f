/** A watch node in a real Node-RED that is killed repeatedly while files change and requests fail. */
import type { NodeMessage } from 'node-red';
import { Random } from '../../support/random';
import { type Fault, type LocalDrive, startLocalDrive } from '../../local-drive';
import {
  ACCESS_TOKEN,
  CLIENT,
  CREDENTIALS,
  REFRESH_TOKEN,
  customAccount,
} from '../../support/node-red/account';
import { type DeployedNode, type NodeRed, startNodeRed } from '../../support/node-red/node-red';
import { ChangingDrive } from './changing-drive';

export interface WatchRunOptions {
  changes: number;
  kills: number;
  seed: number;
}

export interface WatchReport {
  /** Changes that were never emitted. */
  lost: string[];
  /** Emitted changes that were never made. */
  invented: string[];
  /** Changes emitted several times other than in consecutive runs. */
  repeated: string[];
  /** Number of changes emitted before a kill and again after it. */
  inFlight: number;
  emitted: number;
  changes: number;
  /** Number of errors by code. */
  errors: Record<string, number>;
  faults: number;
}

/** Maximum number of changes not yet emitted. */
const MAX_PENDING = 40;
/** Shortens the polling interval and the backoff. */
const SPEED = 10;
const FEED = { path: /\/changes/ };

export class KilledWatch {
  private readonly emitted = new Map<string, number[]>();
  private readonly errors: Record<string, number> = {};
  private run = 0;
  private faults = 0;
  private killOnNextOutput = false;
  private killing: Promise<void> | undefined;

  private constructor(
    private readonly drive: LocalDrive,
    private readonly files: ChangingDrive,
    private readonly random: Random,
    private nodeRed: NodeRed | undefined,
  ) {}

  static async open(seed: number): Promise<KilledWatch> {
    const random = new Random(seed);
    const drive = await startLocalDrive({
      clients: [{ ...CLIENT }],
      token: ACCESS_TOKEN,
      refreshToken: REFRESH_TOKEN,
    });
    const top = await drive.files.addFolder('watched');
    const inner = await drive.files.addFolder('inner', top);
    const deep = await drive.files.addFolder('deep', inner);
    const unwatched = await drive.files.addFolder('unwatched');
    const files = new ChangingDrive(drive, [top, inner, deep], unwatched, random);
    const watch = new KilledWatch(drive, files, random, undefined);
    watch.nodeRed = await startNodeRed({
      clockSpeed: SPEED,
      onOutput: (id, msg) => watch.handleOutput(id, msg),
    });
    await watch.nodeRed.deploy(flow(drive.url));
    await drive.traffic.until(() => drive.requests.all.some(({ path }) => path.endsWith('/changes')));
    return watch;
  }

  async runChanges({ changes, kills }: WatchRunOptions): Promise<WatchReport> {
    const part = Math.floor(changes / (kills + 1));
    for (let count = 1; count <= changes; count++) {
      await this.files.change();
      if (this.files.pendingEmits.size >= MAX_PENDING) await this.waitForEmits(MAX_PENDING / 2);
      if (count % 25 === 0) this.addFault();
      if (count % part === 0 && this.run < kills) await this.kill();
    }
    this.drive.faults.clear();
    await this.waitForEmits(0);
    return this.report();
  }

  async close(): Promise<void> {
    await this.nodeRed?.close();
    await this.drive.close();
  }

  private handleOutput(id: string, msg: NodeMessage): void {
    if (id === 'errors') {
      const { code } = (msg['error'] as { cause: { code: string } }).cause;
      this.errors[code] = (this.errors[code] ?? 0) + 1;
      return;
    }
    const { id: file } = msg.payload as { id: string };
    const change = `${String(msg['event'])} ${String(msg.topic)}`;
    this.emitted.set(change, [...(this.emitted.get(change) ?? []), this.run]);
    this.files.markEmitted(file, change);
    if (!this.killOnNextOutput) return;
    this.killOnNextOutput = false;
    this.killing = this.activeNodeRed.kill();
  }

  /** Kills Node-RED, alternately while it emits and at any time; twice after the sign-in was revoked. */
  private async kill(): Promise<void> {
    const { drive } = this;
    // Otherwise a second kill before the next emit would repeat changes three times.
    await this.waitForEmits(0);
    await this.waitForSavedState();
    this.files.startKill();
    const revokesSignIn = this.run % 4 === 2;
    this.killOnNextOutput = this.run % 2 === 0 && !revokesSignIn;
    for (let index = 0; index < 10; index++) await this.files.change();
    if (revokesSignIn) {
      drive.faults.clear();
      drive.faults.add({ kind: 'oauthError', error: 'invalid_grant', match: { path: /token$/ } });
      drive.expireAccessTokens();
      const before = this.errors['sign_in_required'] ?? 0;
      while ((this.errors['sign_in_required'] ?? 0) === before) await this.activeNodeRed.nextOutput();
    } else if (this.run % 2 === 0) {
      while (!this.killing) await this.activeNodeRed.nextOutput();
      return this.restart();
    }
    this.killing = this.activeNodeRed.kill();
    await this.restart();
  }

  private async restart(): Promise<void> {
    await this.killing;
    this.killing = undefined;
    this.run += 1;
    this.files.endKill();
    // Changes while Node-RED is stopped must be emitted too.
    for (let index = 0; index < 5; index++) await this.files.change();
    await this.activeNodeRed.start();
  }

  private addFault(): void {
    const faults: Fault[] = [
      { kind: 'error', reason: 'backendError', match: FEED, times: 3 },
      { kind: 'error', reason: 'rateLimitExceeded', status: 429, match: FEED, times: 3 },
      { kind: 'reset', match: FEED, times: 2 },
      { kind: 'truncate', bytes: 10, match: FEED },
      { kind: 'response', body: '<html>', match: FEED },
      { kind: 'lostResponse', match: FEED },
      { kind: 'shortPage', items: 3, match: FEED, times: 5 },
      { kind: 'error', reason: 'invalid', status: 400, match: { path: /\/changes$/ } },
    ];
    this.drive.faults.add(this.random.pick(faults));
    this.faults += 1;
  }

  private async waitForEmits(maxPending: number): Promise<void> {
    while (this.files.pendingEmits.size > maxPending) await this.activeNodeRed.nextOutput();
  }

  /** Waits for the next poll, which follows after the state was saved. */
  private async waitForSavedState(): Promise<void> {
    const pollCount = (): number => this.drive.requests.to('GET', /\/changes$/).length;
    const before = pollCount();
    await this.drive.traffic.until(() => pollCount() > before);
  }

  private get activeNodeRed(): NodeRed {
    if (!this.nodeRed) throw new Error('not started');
    return this.nodeRed;
  }

  private report(): WatchReport {
    const { changes } = this.files;
    const repeated = [...this.emitted].filter(([, runs]) => runs.length > 1);
    // The next run may be killed in the middle of the same page.
    const isInFlight = (runs: number[]): boolean =>
      runs.every((run, index) => index === 0 || run === (runs[index - 1] ?? 0) + 1);
    return {
      lost: [...changes].filter((change) => !this.emitted.has(change)),
      invented: [...this.emitted.keys()].filter((change) => !changes.has(change)),
      repeated: repeated
        .filter(([, runs]) => !isInFlight(runs))
        .map(([change, runs]) => `${change} in ${runs.join()}`),
      inFlight: repeated.filter(([, runs]) => isInFlight(runs)).length,
      emitted: this.emitted.size,
      changes: changes.size,
      errors: this.errors,
      faults: this.faults,
    };
  }
}

function flow(url: string): DeployedNode[] {
  const position = { z: 'tab', x: 0, y: 0 };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    {
      ...{ id: 'account', type: 'cloud-drive-account', ...customAccount(url), retryFor: 2 },
      credentials: { ...CREDENTIALS },
    },
    {
      ...{ id: 'watch', type: 'cloud-drive-watch', ...position, account: 'account', interval: 1 },
      ...{ folder: '/watched', folderType: 'str', recursive: true, wires: [['out']] },
    },
    { id: 'out', type: 'test-output', ...position, wires: [] },
    { id: 'catch', type: 'catch', ...position, scope: null, uncaught: false, wires: [['errors']] },
    { id: 'errors', type: 'test-output', ...position, wires: [] },
  ];
}
