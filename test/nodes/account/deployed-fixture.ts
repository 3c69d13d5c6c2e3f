import { setImmediate } from 'node:timers/promises';
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

/** The credentials that a user enters in the form. */
export const FORM = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
/** A flow without the account. */
export const OTHER_FLOW: DeployedNode[] = [{ id: 'tab', type: 'tab', label: 'another tab' }];

/**
 * A local drive and a Node-RED process with an account that uses it. Create it in a `describe` and call `start` in each
 * test. Each test has its own drive. Tests with the default options share a process, because starting one takes a second.
 */
export class DeployedFixture {
  drive!: LocalDrive;
  nodeRed!: NodeRed;
  admin!: AdminCalls;
  private runs = 0;
  private shared: NodeRed | undefined;

  constructor() {
    const reset = (test: Mocha.Test | undefined) => this.reset(test?.state === 'passed');
    afterEach(function () {
      return reset(this.currentTest);
    });
    after(() => this.shared?.close());
  }

  /** @param deployed whether the flow is deployed */
  async start(options: NodeRedOptions = {}, deployed = false, drive: LocalDriveOptions = {}): Promise<void> {
    this.drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 0.05, ...drive });
    const flow = deployed ? this.flow() : OTHER_FLOW;
    if (Object.keys(options).length > 0) {
      this.nodeRed = await startNodeRed({ ...options, flow });
    } else if (this.shared) {
      this.nodeRed = this.shared;
      await this.nodeRed.deploy(flow);
    } else {
      this.nodeRed = this.shared = await startNodeRed({ flow });
    }
    this.admin = new AdminCalls((where, init) => this.nodeRed.request(where, init));
  }

  /** As {@link start} with a service that replaces the refresh token at each refresh, and a deployed account that is signed in. */
  async startRotating(options: NodeRedOptions = {}): Promise<void> {
    await this.start(options, false, { rotateRefreshTokens: true });
    await this.signIn();
    await this.nodeRed.deploy(this.flow({}, FORM));
  }

  /** Lets the account refresh its tokens. */
  async refresh(): Promise<void> {
    this.drive.expireAccessTokens();
    await this.expectSuccess();
  }

  /** Signs out and removes the account. A failed test may have left a shared process in any state, so that is replaced. */
  private async reset(hasPassed: boolean): Promise<void> {
    if (this.nodeRed === this.shared && hasPassed) {
      await this.signOut();
      await this.nodeRed.deploy(OTHER_FLOW);
    } else {
      if (this.nodeRed === this.shared) this.shared = undefined;
      await (this.nodeRed as NodeRed | undefined)?.close();
    }
    await (this.drive as LocalDrive | undefined)?.close();
  }

  /** The flow as the editor deploys it: its credentials are those of the form and contain no tokens. */
  flow(account: Record<string, unknown> = {}, credentials: DeployedNode['credentials'] = {}): DeployedNode[] {
    const position = { z: 'tab', x: 0, y: 0 };
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      {
        id: 'account',
        type: 'cloud-drive-account',
        ...customAccount(this.drive.url),
        ...account,
        ...(Object.keys(credentials).length > 0 ? { credentials } : {}),
      },
      { id: 'about', type: 'cloud-drive-about', ...position, account: 'account', wires: [['out']] },
      { id: 'catch', type: 'catch', ...position, wires: [['caught']] },
      { id: 'out', type: 'test-output', ...position, wires: [] },
      { id: 'caught', type: 'test-output', ...position, wires: [] },
    ];
  }

  async signIn(form: Record<string, unknown> = {}, account = 'account'): Promise<void> {
    const { status, body } = await this.admin.start(account, this.drive.url, form);
    should(status).equal(201);
    this.drive.approve(String(body?.['userCode']));
    should(await this.admin.waitForEnd(body?.['session'])).have.property('state', 'authorized');
  }

  async signOut(): Promise<void> {
    const response = await this.nodeRed.request('/cloud-drive-account/account/sign-in', { method: 'DELETE' });
    should(response.status).equal(204);
  }

  /**
   * Deploys while the service answers a refresh: the tokens arrive after the credentials were saved.
   * @param isSlow whether they arrive after the deploy, which stops waiting for them
   */
  async deployDuringRefresh(name: string, isSlow = false): Promise<void> {
    this.drive.expireAccessTokens();
    // Node-RED saves the credentials before the flows.
    const isSaved = async (): Promise<boolean> => (await this.nodeRed.file('flows.json')).includes(name);
    const deployed = new Promise<void>((resolve, reject) => {
      const until = async (): Promise<void> => {
        const deploying = this.nodeRed.deploy(this.flow({ name }));
        deploying.then(resolve, reject);
        if (isSlow) return deploying;
        while (!(await isSaved())) await setImmediate();
      };
      const match = { path: '/token' };
      this.drive.faults.add(
        isSlow ? { kind: 'stallResponse', bytes: 0, until, match } : { kind: 'delay', until, match },
      );
    });
    this.nodeRed.receive('about');
    await deployed;
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

  /** Sends a request with the account. @returns `success` or the error code */
  async run(): Promise<string> {
    const run = `run ${++this.runs}`;
    const isOwn = (msg: NodeMessage): boolean => 'run' in msg && msg.run === run;
    this.nodeRed.receive('about', { run });
    return Promise.race([
      this.nodeRed.output('out', isOwn).then(() => 'success'),
      this.nodeRed.output('caught', isOwn).then((msg) => codeOf(msg)),
    ]);
  }

  /** Asserts that no token or secret is readable in files, responses or the log. */
  async expectNoSecrets(): Promise<void> {
    const sources = {
      'flows.json': await this.nodeRed.file('flows.json'),
      'flows_cred.json': await this.nodeRed.file('flows_cred.json').catch(() => ''),
      'the state file': await this.nodeRed.file('.cloud-drive-state').catch(() => ''),
      'GET /flows': await (await this.nodeRed.request('/flows')).text(),
      'GET /credentials': await (
        await this.nodeRed.request('/credentials/cloud-drive-account/account')
      ).text(),
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
}

function codeOf(msg: NodeMessage): string {
  return (msg as { error?: { cause?: { code?: string } } }).error?.cause?.code ?? 'no code';
}
