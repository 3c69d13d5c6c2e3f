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
export const FOREIGN: DeployedNode[] = [{ id: 'tab', type: 'tab', label: 'another tab' }];

/** A local drive, and a real Node-RED with an account there. */
export class DeployedFixture {
  drive!: LocalDrive;
  nodeRed!: NodeRed;
  admin!: AdminCalls;
  private runs = 0;

  /** @param deployed whether the flow is there from the start */
  async started(
    options: NodeRedOptions = {},
    deployed = false,
    drive: LocalDriveOptions = {},
  ): Promise<void> {
    this.drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 0.05, ...drive });
    this.nodeRed = await startNodeRed({ ...options, ...(deployed ? { flow: this.flow() } : {}) });
    this.admin = new AdminCalls((where, init) => this.nodeRed.request(where, init));
  }

  async stopped(): Promise<void> {
    await (this.nodeRed as NodeRed | undefined)?.close();
    await (this.drive as LocalDrive | undefined)?.close();
  }

  /** What the editor deploys: the credentials are those of the form, the tokens were never in it. */
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

  async signIn(form: Record<string, unknown> = {}): Promise<void> {
    const { status, body } = await this.admin.start('account', this.drive.url, form);
    should(status).equal(201);
    this.drive.approve(String(body?.['userCode']));
    should(await this.admin.ended(body?.['session'])).have.property('state', 'authorized');
  }

  async signOut(): Promise<void> {
    const response = await this.nodeRed.request('/cloud-drive-account/account/sign-in', { method: 'DELETE' });
    should(response.status).equal(204);
  }

  /** The account works: the about node sends a message. */
  async works(): Promise<void> {
    this.runs += 1;
    const before = (await this.nodeRed.outputs('out', 0)).length;
    this.nodeRed.receive('about', { run: this.runs });
    const messages = await this.nodeRed.outputs('out', before + 1);
    should(messages.at(-1)).have.property('run', this.runs);
  }

  async notSignedIn(): Promise<void> {
    const before = (await this.nodeRed.outputs('caught', 0)).length;
    this.nodeRed.receive('about');
    const caught = (await this.nodeRed.outputs('caught', before + 1)).at(-1);
    should(caught).have.propertyByPath('error', 'cause', 'code').equal('sign_in_required');
  }

  /** No token and no secret is where anybody could read it. */
  async nothingShown(): Promise<void> {
    const locations = {
      'flows.json': await this.nodeRed.file('flows.json'),
      'flows_cred.json': await this.nodeRed.file('flows_cred.json').catch(() => ''),
      'the state file': await this.nodeRed.file('.cloud-drive-state').catch(() => ''),
      'GET /flows': await (await this.nodeRed.request('/flows')).text(),
      'GET /credentials': await (
        await this.nodeRed.request('/credentials/cloud-drive-account/account')
      ).text(),
      'the admin API': this.admin.answers.join('\n'),
      'the log': this.nodeRed.log.join('\n'),
    };
    should(locations['GET /credentials']).containEql(CLIENT.id);
    for (const [location, text] of Object.entries(locations)) {
      for (const secret of [CLIENT.secret, 'ya29.', 'AH-1Ng']) {
        should(text.includes(secret)).equal(false, `${secret} is in ${location}`);
      }
      // Not within base64 text: encrypted values can contain these three characters by chance.
      should(/(?<![\w+/])1\/\//.test(text)).equal(false, `a refresh token is in ${location}`);
    }
  }
}
