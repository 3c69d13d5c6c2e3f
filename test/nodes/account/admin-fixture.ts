import should from 'should';
import { unrefClock } from '../../../src/index';
import { type LocalDrive, startLocalDrive } from '../../local-drive/index';
import { CLIENT, REFRESH_TOKEN } from '../../support/node-red/account';
import { type AdminResponse, type AdminCalls, helperAdmin } from '../../support/node-red/account-admin';
import { type FlowNode, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';

/** Complete, but nobody has signed in. */
export const SIGNED_OUT = { clientId: CLIENT.id, clientSecret: CLIENT.secret };

/** A flow with the node `about` and its `account` at a local drive, and the admin API of that Node-RED. */
export class AdminFixture {
  drive!: LocalDrive;
  admin!: AdminCalls;
  flow!: LoadedFlow;
  private closeAdmin = (): void => undefined;

  /** Loads an account that nobody has signed in for, unless its credentials say so. */
  async load(
    credentials: object = SIGNED_OUT,
    account: Record<string, unknown> = {},
    nodes: FlowNode[] = [],
  ): Promise<void> {
    const { url } = this.drive;
    const about = { id: 'about', type: 'cloud-drive-about' };
    this.flow = await load([about, ...nodes], { url, credentials: { account: credentials }, account });
    this.closeAdmin();
    ({ admin: this.admin, close: this.closeAdmin } = await helperAdmin());
  }

  /** Completes a sign-in, which the user approves. @returns the session's last state */
  async signIn(id = 'account', form: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { status, body } = await this.admin.start(id, this.drive.url, form);
    should(status).equal(201);
    should(this.drive.approve(String(body?.['userCode']))).equal(true);
    return this.admin.waitForEnd(body?.['session']);
  }

  private readonly sleep = unrefClock.sleep.bind(unrefClock);

  async start(): Promise<void> {
    // The minimum polling interval of one second would only make the tests slower.
    unrefClock.sleep = (ms, signal) => this.sleep(ms / 20, signal);
    const clients = [{ ...CLIENT }];
    this.drive = await startLocalDrive({ clients, refreshToken: REFRESH_TOKEN, interval: 0.05 });
  }

  async stop(): Promise<void> {
    unrefClock.sleep = this.sleep;
    this.closeAdmin();
    await this.drive.close();
  }
}

/** The fixture, started and stopped around each test of a describe block. */
export function useAdmin(): AdminFixture {
  useNodeRed();
  const fixture = new AdminFixture();
  beforeEach(() => fixture.start());
  afterEach(() => fixture.stop());
  return fixture;
}

/** Status and code of a refusal. */
export function errorOf({ status, body }: AdminResponse): [number, unknown] {
  return [status, (body?.['error'] as Record<string, unknown> | undefined)?.['code']];
}
