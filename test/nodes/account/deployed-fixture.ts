import type { NodeMessage } from 'node-red';
import should from 'should';
import { type LocalDrive, type LocalDriveOptions, startLocalDrive } from '../../local-drive/index';
import { CLIENT, customAccount } from '../../support/node-red/account';
import { AdminCalls } from '../../support/node-red/account-admin';
import {
  type DeployedNode,
  type NodeRed,
  type NodeRedOptions,
  startNodeRed,
} from '../../support/node-red/node-red';
import { closeSharedNodeRed, sharedNodeRed } from '../../support/node-red/shared-node-red';

/** The credentials that a user enters in the form. */
export const FORM = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
/** The form of an account whose client is saved. */
export const SAVED_FORM = { clientSecret: '__PWRD__' };
/** A flow without the account. */
export const OTHER_FLOW: DeployedNode[] = [{ id: 'tab', type: 'tab', label: 'another tab' }];

/** Requests of all accounts, whose messages a shared Node-RED keeps. */
let runs = 0;

/** An account in a Node-RED process, with nodes that use it. Its drive is its own or shared. */
export class DeployedAccount {
  drive!: LocalDrive;
  nodeRed!: NodeRed;
  admin!: AdminCalls;

  /** @param id of the account; other nodes are named after it */
  constructor(readonly id = 'account') {}

  /** @param nodeRed that the account is in, or will be */
  use(nodeRed: NodeRed, drive: LocalDrive): void {
    this.nodeRed = nodeRed;
    this.drive = drive;
    this.admin = new AdminCalls((where, init) => this.nodeRed.request(where, init));
  }

  /** The flow as the editor deploys it: its credentials are those of the form and contain no tokens. */
  flow(account: Record<string, unknown> = {}, credentials: DeployedNode['credentials'] = {}): DeployedNode[] {
    const { about, out, caught, tab } = this.nodes;
    const position = { z: tab, x: 0, y: 0 };
    return [
      { id: tab, type: 'tab', label: 'test' },
      {
        id: this.id,
        type: 'cloud-drive-account',
        ...customAccount(this.drive.url),
        ...account,
        ...(Object.keys(credentials).length > 0 ? { credentials } : {}),
      },
      { id: about, type: 'cloud-drive-about', ...position, account: this.id, wires: [[out]] },
      { id: `catch of ${this.id}`, type: 'catch', ...position, wires: [[caught]] },
      { id: out, type: 'test-output', ...position, wires: [] },
      { id: caught, type: 'test-output', ...position, wires: [] },
    ];
  }

  async signIn(form: Record<string, unknown> = {}): Promise<void> {
    const { status, body } = await this.admin.start(this.id, this.drive.url, form);
    should(status).equal(201);
    this.drive.approve(String(body?.['userCode']));
    should(await this.admin.waitForEnd(body?.['session'])).have.property('state', 'authorized');
  }

  async signOut(query = ''): Promise<void> {
    should((await this.admin.call('DELETE', `/${this.id}/sign-in${query}`)).status).equal(204);
  }

  /** Lets the account refresh its tokens. */
  async refresh(): Promise<void> {
    this.drive.expireAccessTokens();
    await this.expectSuccess();
  }

  /** Asserts that a request with the account succeeds. */
  async expectSuccess(): Promise<void> {
    should(await this.run()).equal('success');
  }

  async expectSignInRequired(): Promise<void> {
    should(await this.run()).equal('sign_in_required');
  }

  /** Asserts that the account has no token: one that is revoked would also require a sign-in. */
  async expectSignedOut(): Promise<void> {
    this.drive.requests.clear();
    await this.expectSignInRequired();
    should(this.drive.requests.to('POST', '/token')).be.empty();
  }

  /** Starts a request with the account. */
  receive(run: string): void {
    this.nodeRed.receive(this.nodes.about, { run });
  }

  /** Sends a request with the account. @returns `success` or the error code */
  async run(): Promise<string> {
    const run = `run ${++runs}`;
    const isOwn = (msg: NodeMessage): boolean => 'run' in msg && msg.run === run;
    this.receive(run);
    return Promise.race([
      this.nodeRed.output(this.nodes.out, isOwn).then(() => 'success'),
      this.nodeRed.output(this.nodes.caught, isOwn).then((msg) => codeOf(msg)),
    ]);
  }

  /** Asserts that no token or secret is readable in files, responses or the log. */
  async expectNoSecrets(): Promise<void> {
    const credentials = await this.nodeRed.request(`/credentials/cloud-drive-account/${this.id}`);
    const sources = {
      'flows.json': await this.nodeRed.file('flows.json'),
      'flows_cred.json': await this.nodeRed.file('flows_cred.json').catch(() => ''),
      'the state file': await this.nodeRed.file('.cloud-drive-state').catch(() => ''),
      'GET /flows': await (await this.nodeRed.request('/flows')).text(),
      'GET /credentials': await credentials.text(),
      'the admin API': this.admin.responses.join('\n'),
      'the log': this.nodeRed.log.join('\n'),
    };
    should(sources['GET /credentials']).containEql(CLIENT.id);
    for (const [source, text] of Object.entries(sources)) {
      for (const secret of [CLIENT.secret, 'ya29.', 'AH-1Ng']) {
        should(text.includes(secret)).equal(false, `${secret} is in ${source}`);
      }
      // Base64 of encrypted data can contain this prefix by chance.
      should(/(?<![\w+/])1\/\//.test(text)).equal(false, `a refresh token is in ${source}`);
    }
  }

  private get nodes(): Record<'tab' | 'about' | 'out' | 'caught', string> {
    const { id } = this;
    return { tab: `tab of ${id}`, about: `about of ${id}`, out: `out of ${id}`, caught: `caught of ${id}` };
  }
}

/**
 * An account with its own drive, in a Node-RED process. Create it in a `describe` and call `start` in each test. Tests
 * with the default options use the shared process, because starting one takes a second.
 */
export class DeployedFixture extends DeployedAccount {
  private isShared = false;

  constructor() {
    super();
    const reset = (test: Mocha.Test | undefined) => this.reset(test?.state === 'passed');
    afterEach(function () {
      return reset(this.currentTest);
    });
  }

  /** @param deployed whether the flow is deployed */
  async start(options: NodeRedOptions = {}, deployed = false, drive: LocalDriveOptions = {}): Promise<void> {
    this.drive = await startDrive(drive);
    const flow = deployed ? this.flow() : OTHER_FLOW;
    this.isShared = Object.keys(options).length === 0;
    this.use(await (this.isShared ? sharedNodeRed() : startNodeRed({ ...options, flow })), this.drive);
    if (this.isShared) await this.nodeRed.deploy(flow);
  }

  /** As {@link start} with a service that replaces the refresh token at each refresh, and a deployed account that is signed in. */
  async startRotating(options: NodeRedOptions = {}): Promise<void> {
    await this.start(options, false, { rotateRefreshTokens: true });
    await this.signIn();
    await this.nodeRed.deploy(this.flow({}, FORM));
  }

  /** Signs out and removes the account. A failed test may have left a shared process in any state, so that is replaced. */
  private async reset(hasPassed: boolean): Promise<void> {
    if (this.isShared && hasPassed) {
      await this.signOut();
      await this.nodeRed.deploy(OTHER_FLOW);
    } else if (this.isShared) await closeSharedNodeRed();
    else await (this.nodeRed as NodeRed | undefined)?.close();
    await (this.drive as LocalDrive | undefined)?.close();
  }
}

/** A drive with the client of {@link FORM}. */
export function startDrive(options: LocalDriveOptions = {}): Promise<LocalDrive> {
  return startLocalDrive({ clients: [{ ...CLIENT }], interval: 0.05, ...options });
}

function codeOf(msg: NodeMessage): string {
  return (msg as { error?: { cause?: { code?: string } } }).error?.cause?.code ?? 'no code';
}
