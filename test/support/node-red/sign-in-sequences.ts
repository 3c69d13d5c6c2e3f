/**
 * Random sequences of all that can happen to stored sign-ins, with many accounts in one real Node-RED. Each account has
 * steps of its own; deploys, restarts and changed files affect all of them. The service decides whether a refresh token
 * is the last one it issued, so the model knows only which users have signed out.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../../local-drive/index';
import { Random } from '../random';
import { CLIENT, customAccount } from './account';
import { AdminCalls } from './account-admin';
import { type DeployedNode, type NodeRed, startNodeRed } from './node-red';

/** More sign-ins at once would cancel the first ones. */
const MAX_PENDING = 20;
const CREDENTIALS_FILE = 'flows_cred.json';
const OWN_SECRET = 'canary-own-secret';

interface Account {
  id: number;
  isSignedIn: boolean;
  /** A deploy of the type `nodes` restarts only nodes whose properties have changed. */
  name: string;
  history: string[];
}

export interface Sequences {
  seed: number;
  /** Each has a sequence of its own. */
  accounts: number;
  /** Number of times that everything happens once, in random order. */
  rounds: number;
}

export async function testSignInSequences({ seed, accounts, rounds }: Sequences): Promise<void> {
  const drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 0.05, tokenLifetime: 1e6 });
  const settings = { credentialSecret: undefined, runtimeState: { enabled: true } };
  const nodeRed = await startNodeRed({ settings, flow: [], env: { REPORT_STATUS: 'no' } });
  try {
    await new SignInSequences(drive, nodeRed, new Random(seed), accounts).run(rounds);
  } catch (error) {
    throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
  } finally {
    await nodeRed.close();
    await drive.close();
  }
}

class SignInSequences {
  private readonly accounts: Account[];
  private readonly admin: AdminCalls;
  /** Accounts for which the service rotates the refresh token. */
  private rotating = new Set<number>();
  private runs = 0;
  private deploys = 0;
  /** The credentials files of all deploys that the current secret decrypts. */
  private copies: Buffer[] = [];
  /** `migrating`: from the generated secret to an own one, which ends with the next deploy. */
  private secret: 'generated' | 'migrating' | 'own' = 'generated';

  constructor(
    private readonly drive: LocalDrive,
    private readonly nodeRed: NodeRed,
    private readonly random: Random,
    accounts: number,
  ) {
    this.accounts = Array.from({ length: accounts }, (_, id) => {
      return { id, isSignedIn: false, name: '', history: [] };
    });
    this.admin = new AdminCalls((where, init) => nodeRed.request(where, init));
    const when = ({ query }: { query: string }): boolean => this.rotating.has(accountIn(query));
    drive.faults.add({ kind: 'rotateRefreshToken', times: Infinity, match: { path: '/token', when } });
  }

  /** For all accounts at once. */
  private readonly commonSteps: Record<string, () => Promise<void>> = {
    'kill -9': () => this.kill(),
    restart: () => this.nodeRed.restart(),
    'deploy full': () => this.deploy('full'),
    'deploy flows': () => this.deploy('flows'),
    'deploy nodes': () => this.deploy('nodes'),
    'deploy during a refresh': () => this.deployDuringRefresh(),
    'flows stopped and started': () => this.stopAndStartFlows(),
    'an earlier credentials file': () => this.restoreCredentials(),
    'secret changed': () => this.changeSecret(),
    'secret set and removed': () => this.setAndRemoveSecret(),
  };

  async run(rounds: number): Promise<void> {
    await this.deploy('full', true);
    const steps = Array.from({ length: rounds }, () =>
      this.shuffled(Object.entries(this.commonSteps)),
    ).flat();
    for (const [step, perform] of steps) {
      await this.ownSteps();
      await perform();
      for (const { history } of this.accounts) history.push(step);
      await this.check(this.accounts);
    }
  }

  /** What each user does, or what happens with the account alone. */
  private async ownSteps(): Promise<void> {
    const [refreshing, users]: [Account[], { account: Account; step: string }[]] = [[], []];
    for (const account of this.accounts) {
      const step = account.isSignedIn
        ? this.random.pick(['refresh', 'rotate', 'rotate', 'sign in', 'sign out', 'nothing'])
        : this.random.pick(['sign in', 'sign in', 'sign out', 'nothing']);
      if (step === 'nothing') continue;
      account.history.push(step);
      if (step === 'rotate') this.rotating.add(account.id);
      if (step === 'sign in' || step === 'sign out') users.push({ account, step });
      else refreshing.push(account);
    }
    await this.check(refreshing);
    this.rotating.clear();
    for (let next = 0; next < users.length; next += MAX_PENDING) {
      const batch = users.slice(next, next + MAX_PENDING);
      await Promise.all(
        batch.map(({ account, step }) => (step === 'sign in' ? this.signIn(account) : this.signOut(account))),
      );
    }
    await this.check(users.map(({ account }) => account));
  }

  /**
   * The access tokens have expired, so that each account needs its refresh token. Without one, it asks for none: a token
   * that was replaced would also require a sign-in.
   */
  private async check(accounts: Account[]): Promise<void> {
    this.drive.expireAccessTokens();
    this.drive.requests.clear();
    const results = await Promise.all(accounts.map((account) => this.request(account)));
    const refreshed = new Set(this.drive.requests.to('POST', '/token').map(({ query }) => accountIn(query)));
    for (const [index, { id, isSignedIn, history }] of accounts.entries()) {
      const result = `${results[index]}${refreshed.has(id) ? ' with a token' : ''}`;
      const expected = isSignedIn ? 'success with a token' : 'sign_in_required';
      should(result).equal(expected, `account ${id}: ${result} after ${history.join(', ')}`);
    }
  }

  /** Sends a request with an account. @returns `success` or the error code */
  private request({ id }: Account): Promise<string> {
    const run = ++this.runs;
    const isOwn = (msg: NodeMessage): boolean => 'run' in msg && msg.run === run;
    this.nodeRed.receive(`about${id}`, { run });
    return Promise.race([
      this.nodeRed.output('out', isOwn).then(() => 'success'),
      this.nodeRed.output('caught', isOwn).then(codeOf),
    ]);
  }

  private async signIn(account: Account): Promise<void> {
    const form = { tokenUrl: this.tokenUrl(account) };
    const { body } = await this.admin.start(`account${account.id}`, this.drive.url, form);
    this.drive.approve(String(body?.['userCode']));
    should(await this.admin.waitForEnd(body?.['session'])).have.property('state', 'authorized');
    account.isSignedIn = true;
  }

  private async signOut(account: Account): Promise<void> {
    should((await this.admin.call('DELETE', `/account${account.id}/sign-in`)).status).equal(204);
    account.isSignedIn = false;
  }

  /** Tokens that the service has just issued may not be on disk yet; a sign-out responds when everything is. */
  private async kill(): Promise<void> {
    const renewed = this.accounts.filter(({ isSignedIn }) => isSignedIn && this.random.chance(0.5));
    for (const { id, history } of renewed) {
      history.push('rotate');
      this.rotating.add(id);
    }
    await this.check(renewed);
    this.rotating.clear();
    should((await this.admin.call('DELETE', '/unknown/sign-in')).status).equal(204);
    await this.nodeRed.kill();
    await this.nodeRed.start();
  }

  private async deploy(type: 'full' | 'flows' | 'nodes', isFirst = false): Promise<void> {
    await this.nodeRed.deploy(this.changedFlow(isFirst), type);
    await this.deployed();
  }

  private async deployed(): Promise<void> {
    if (this.secret === 'migrating') {
      this.secret = 'own';
      this.copies = [];
    }
    this.copies.push(await readFile(this.credentialsFile));
  }

  private async deployDuringRefresh(): Promise<void> {
    const held = this.accounts.filter(({ isSignedIn }) => isSignedIn && this.random.chance(0.5));
    const ids = new Set(held.map(({ id }) => id));
    const when = ({ query }: { query: string }): boolean => ids.has(accountIn(query));
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const fault = this.drive.faults.add({
      ...{ kind: 'delay', until, times: Infinity },
      match: { path: '/token', when },
    });
    for (const { id } of held) if (this.random.chance(0.7)) this.rotating.add(id);
    this.drive.expireAccessTokens();
    for (const { id } of held) this.nodeRed.receive(`about${id}`);
    while (fault.hits < held.length) await setImmediate();
    const type = this.random.pick(['full', 'flows', 'nodes'] as const);
    const deploying = this.nodeRed.deploy(this.changedFlow(), type);
    // Node-RED saves the credentials before the flows.
    while (!(await this.nodeRed.file('flows.json')).includes(this.version)) await setImmediate();
    release();
    await deploying;
    fault.remove();
    // An account that was not restarted may still wait for its response, whose token must not expire before it arrives.
    await Promise.all(held.map((account) => this.request(account)));
    this.rotating.clear();
    await this.deployed();
  }

  private async stopAndStartFlows(): Promise<void> {
    await this.nodeRed.setFlowState('stop');
    for (const account of this.accounts) {
      if (!this.random.chance(0.2)) continue;
      account.history.push('sign out while the flows are stopped');
      await this.signOut(account);
    }
    await this.nodeRed.setFlowState('start');
  }

  private async restoreCredentials(): Promise<void> {
    await this.nodeRed.stop();
    await writeFile(this.credentialsFile, this.random.pick(this.copies));
    await this.nodeRed.start();
  }

  /** An own secret replaces the generated one. After the next deploy, only it can read the credentials. */
  private async changeSecret(): Promise<void> {
    if (this.secret === 'own') {
      await this.nodeRed.stop();
      this.nodeRed.changeSettings({ credentialSecret: 'another secret' });
      should(await this.nodeRed.start().catch(String)).match(/credentials_load_failed/);
      await this.nodeRed.kill();
      this.nodeRed.changeSettings({ credentialSecret: OWN_SECRET });
      await this.nodeRed.start();
    } else await this.startWithSecret('migrating');
  }

  /** Until the next deploy, Node-RED has the generated secret. */
  private async setAndRemoveSecret(): Promise<void> {
    if (this.secret === 'own') return this.changeSecret();
    await this.startWithSecret('migrating');
    await this.check(this.accounts);
    await this.startWithSecret('generated');
  }

  private async startWithSecret(secret: 'migrating' | 'generated'): Promise<void> {
    this.secret = secret;
    await this.nodeRed.stop();
    this.nodeRed.changeSettings({ credentialSecret: secret === 'generated' ? undefined : OWN_SECRET });
    await this.nodeRed.start();
  }

  /** A change that restarts about half of the accounts. @param isFirst with the client, as a user enters it */
  private changedFlow(isFirst = false): DeployedNode[] {
    this.deploys += 1;
    const credentials = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    const position = { z: 'tab', x: 0, y: 0 };
    const nodes = this.accounts.flatMap((account): DeployedNode[] => {
      if (this.random.chance(0.5)) account.name = this.version;
      const id = `account${account.id}`;
      const properties = { ...customAccount(this.drive.url), tokenUrl: this.tokenUrl(account) };
      const form = isFirst ? { credentials } : {};
      return [
        { id, type: 'cloud-drive-account', name: account.name, ...properties, ...form },
        { id: `about${account.id}`, type: 'cloud-drive-about', ...position, account: id, wires: [['out']] },
      ];
    });
    return [
      { id: 'tab', type: 'tab', label: this.version },
      ...nodes,
      { id: 'catch', type: 'catch', ...position, wires: [['caught']] },
      { id: 'out', type: 'test-output', ...position, wires: [] },
      { id: 'caught', type: 'test-output', ...position, wires: [] },
    ];
  }

  private get version(): string {
    return `deploy-${this.deploys}.`;
  }

  private get credentialsFile(): string {
    return path.join(this.nodeRed.userDir, CREDENTIALS_FILE);
  }

  /** With its account, so that the service can treat each one differently. */
  private tokenUrl({ id }: Account): string {
    return `${this.drive.url}/token?account=${id}`;
  }

  private shuffled<T>(items: T[]): T[] {
    const rest = [...items];
    return items.map(() => rest.splice(this.random.between(0, rest.length - 1), 1)[0] as T);
  }
}

function accountIn(query: string): number {
  return Number(new URLSearchParams(query).get('account'));
}

function codeOf(msg: NodeMessage): string {
  return (msg as { error?: { cause?: { code?: string } } }).error?.cause?.code ?? 'no code';
}
