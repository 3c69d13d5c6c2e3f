/** Tokens received after the last deploy are stored next to the flows: docs/security.md, "What is stored where". */
import { mkdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { fileVersion } from '../../../nodes/shared/runtime/lock-file';
import type { LocalDriveOptions } from '../../local-drive/index';
import { closeAll } from '../../support/close-all';
import { CLIENT, REFRESH_TOKEN } from '../../support/node-red/account';
import { type DeployedNode, type NodeRed, startNodeRed } from '../../support/node-red/node-red';
import { storedCredentials } from '../../support/node-red/stored-credentials';
import { DeployedAccount, DeployedFixture, FORM, SAVED_FORM, startDrive } from './deployed-fixture';

type Form = Record<string, string>;
type Step = (account: RestartedAccount) => Promise<unknown>;

/** What happens with an account before and after a restart of Node-RED, in this order. */
interface Case {
  drive?: LocalDriveOptions;
  /** Before the first deploy, which contains all accounts that aren't new. */
  signsInWith?: Form;
  isNew?: boolean;
  form?: Form;
  /** The accounts take turns, because each deploy saves the tokens of all of them. */
  beforeLastDeploy?: Step;
  afterLastDeploy?: Step;
  afterRestart: Step;
}

const ROTATING: LocalDriveOptions = { rotateRefreshTokens: true };
const OTHER_CLIENT = { id: 'other.apps.example', secret: 'AH-1Ng-other' };
const OTHER_FORM = { clientId: OTHER_CLIENT.id, clientSecret: OTHER_CLIENT.secret };
const TWO_CLIENTS = { ...ROTATING, clients: [{ ...CLIENT }, { ...CLIENT, ...OTHER_CLIENT }] };
const PASTED = { ...FORM, refreshToken: REFRESH_TOKEN };
const ENV = {
  TEST_CLIENT: CLIENT.id,
  TEST_SECRET: CLIENT.secret,
  TEST_REFRESH_TOKEN: REFRESH_TOKEN,
  TEST_REFRESH_TOKEN_LINE: `${REFRESH_TOKEN}\n`,
};
const ENV_CLIENT = { clientId: '${TEST_CLIENT}', clientSecret: '${TEST_SECRET}' };
const ENV_TOKEN = { ...FORM, refreshToken: '${TEST_REFRESH_TOKEN}' };

const refresh: Step = (account) => account.refresh();
const expectSuccess: Step = (account) => account.expectSuccess();
const expectSignedOut: Step = (account) => account.expectSignedOut();

/** What the random sequences of sign-in-sequences_spec.ts don't contain. */
const CASES: Record<string, Case> = {
  'the tokens of a new node survive Done, Deploy and a restart': {
    signsInWith: FORM,
    async afterRestart(account) {
      await account.expectSuccess();
      should(await account.admin.status(account.id)).have.properties({ signedIn: true });
      await account.expectNoSecrets();
    },
  },
  'the tokens of a new node survive deploys by other users': {
    isNew: true,
    signsInWith: FORM,
    beforeLastDeploy: (account) => account.deploy({}, FORM),
    afterRestart: expectSuccess,
  },
  'the tokens of a deployed node survive a deploy by another user and a restart': {
    async beforeLastDeploy(account) {
      await account.expectSignInRequired();
      await account.signIn(SAVED_FORM);
      await account.expectSuccess();
      await account.deploy();
    },
    afterRestart: expectSuccess,
  },
  'the tokens are removed after a sign-out and a deploy': {
    signsInWith: FORM,
    async beforeLastDeploy(account) {
      await account.expectSuccess();
      await account.signOut('?revoke=true');
      should(account.drive.requests.to('POST', '/revoke')).have.length(1);
      await account.expectSignedOut();
      await account.deploy({ signedInAt: '' });
    },
    afterRestart: expectSignedOut,
  },
  'refreshed tokens are saved by the next deploy': {
    signsInWith: FORM,
    async beforeLastDeploy(account) {
      await account.refresh();
      account.drive.requests.clear();
      await account.deploy();
    },
    async afterRestart(account) {
      await account.expectSuccess();
      should(account.drive.requests.to('POST', '/token')).be.empty();
    },
  },
  'the deploy saves the tokens of a sign-in whose account was deployed without a client': {
    form: {},
    async beforeLastDeploy(account) {
      await account.signIn();
      await account.deploy({}, FORM);
      should((await storedCredentials(account.nodeRed))[account.id]).have.property('refreshToken');
    },
    afterRestart: expectSuccess,
  },
  'a token that is pasted into the form replaces undeployed tokens': {
    drive: ROTATING,
    signsInWith: FORM,
    async beforeLastDeploy(account) {
      await account.refresh();
      await account.deploy({}, { ...FORM, refreshToken: 'another', accessToken: '' });
    },
    afterRestart: (account) => account.expectSignInRequired(),
  },
  'a token that is pasted again after a sign-out signs in': {
    drive: { refreshToken: REFRESH_TOKEN },
    form: PASTED,
    async beforeLastDeploy(account) {
      await account.signOut();
      await account.deploy({ name: 'signed out' });
      await account.expectSignedOut();
      await account.deploy({}, PASTED);
      await account.expectSuccess();
    },
    afterRestart: expectSuccess,
  },
  'a rotated token replaces its reference to the environment with the next deploy': {
    drive: { ...ROTATING, refreshToken: REFRESH_TOKEN },
    form: ENV_TOKEN,
    async beforeLastDeploy(account) {
      await account.expectSuccess();
      await account.deploy({ name: 'renamed' });
      await account.refresh();
    },
    afterRestart: refresh,
  },
  'undeployed tokens of another client do not replace the deployed ones': {
    drive: TWO_CLIENTS,
    signsInWith: FORM,
    async beforeLastDeploy(account) {
      await account.signIn(OTHER_FORM);
      await account.refresh();
      await account.deploy();
    },
    async afterRestart(account) {
      await account.refresh();
      expectRefreshBy(account, CLIENT.id);
    },
  },
  'the tokens of another client are used after its deploy': {
    drive: TWO_CLIENTS,
    signsInWith: FORM,
    beforeLastDeploy: changeClient,
    async afterRestart(account) {
      await account.refresh();
      expectRefreshBy(account, OTHER_CLIENT.id);
    },
  },
  'a sign-out after a change of the client is final': {
    drive: TWO_CLIENTS,
    signsInWith: FORM,
    beforeLastDeploy: changeClient,
    afterLastDeploy: (account) => account.signOut(),
    afterRestart: expectSignedOut,
  },
  'the tokens of an undeployed sign-in survive a restart': {
    async afterLastDeploy(account) {
      await account.signIn(SAVED_FORM);
      await account.expectSuccess();
    },
    async afterRestart(account) {
      await account.expectSuccess();
      should(await account.admin.status(account.id)).have.properties({ signedIn: true });
      await account.expectNoSecrets();
    },
  },
  'a sign-in survives 51 rotations without a deploy': {
    drive: ROTATING,
    signsInWith: FORM,
    async afterLastDeploy(account) {
      for (let rotation = 0; rotation < 51; rotation++) await account.refresh();
    },
    afterRestart: refresh,
  },
  'the tokens can belong to a client from the environment': {
    form: ENV_CLIENT,
    signsInWith: ENV_CLIENT,
    async afterRestart(account) {
      await account.expectSuccess();
      should(await account.nodeRed.file('flows.json')).not.containEql(CLIENT.secret);
      should(account.admin.responses.join()).not.containEql(CLIENT.secret);
    },
  },
  'tokens from the environment do not return after a sign-out': {
    drive: { refreshToken: REFRESH_TOKEN },
    form: ENV_TOKEN,
    async afterLastDeploy(account) {
      await account.expectSuccess();
      await account.signOut();
      await account.expectSignedOut();
    },
    afterRestart: expectSignedOut,
  },
  'a rotated token survives a restart, although a line break follows the first one in the environment': {
    drive: { ...ROTATING, refreshToken: REFRESH_TOKEN },
    form: { ...FORM, refreshToken: '${TEST_REFRESH_TOKEN_LINE}' },
    afterLastDeploy: expectSuccess,
    afterRestart: refresh,
  },
  'the tokens of a new sign-in replace a revoked one of the environment': {
    form: ENV_TOKEN,
    async afterLastDeploy(account) {
      await account.expectSignInRequired();
      await account.signIn(SAVED_FORM);
      await account.expectSuccess();
    },
    afterRestart: expectSuccess,
  },
};

async function changeClient(account: RestartedAccount): Promise<void> {
  await account.signIn(OTHER_FORM);
  await account.deploy({ signedInAt: 'now' }, OTHER_FORM);
  await account.refresh();
  expectRefreshBy(account, OTHER_CLIENT.id);
}

function expectRefreshBy({ drive }: DeployedAccount, clientId: string): void {
  should(drive.requests.to('POST', '/token').at(-1)?.form.get('client_id')).equal(clientId);
}

/** One of the accounts in a Node-RED that is restarted once for all of them. */
class RestartedAccount extends DeployedAccount {
  /** Resolves when the account has taken all steps before the restart. */
  prepared: Promise<unknown> = Promise.resolve();
  isNew: boolean;
  private properties: Record<string, unknown> = {};

  constructor(
    id: string,
    readonly steps: Case,
    private readonly all: readonly RestartedAccount[],
  ) {
    super(id);
    this.isNew = steps.isNew ?? false;
  }

  /** Deploys the flow of all accounts. @param credentials of this account, from the form */
  deploy(properties: Record<string, unknown> = {}, credentials?: Form): Promise<void> {
    this.properties = { ...this.properties, ...properties };
    const others = this.all.filter((each) => each !== this && !each.isNew).flatMap((each) => each.saved());
    this.isNew = false;
    return this.nodeRed.deploy([...others, ...this.saved(credentials)]);
  }

  saved(credentials?: Form): DeployedNode[] {
    return this.flow(this.properties, credentials);
  }

  /** Takes a step after all earlier ones, whose errors are those of this account's test. */
  prepare(step: Step | undefined): Promise<unknown> {
    if (step) this.prepared = this.prepared.then(() => step(this));
    return this.prepared.catch(() => undefined);
  }
}

describe('sign-ins after a restart of Node-RED', () => {
  const accounts: RestartedAccount[] = [];
  let nodeRed: NodeRed;

  before(async () => {
    nodeRed = await startNodeRed({ flow: [], env: ENV });
    for (const [index, steps] of Object.values(CASES).entries()) {
      const account = new RestartedAccount(`account${index}`, steps, accounts);
      account.use(nodeRed, await startDrive(steps.drive));
      accounts.push(account);
    }
    const prepareAll = (step: (account: RestartedAccount) => Promise<unknown>) =>
      Promise.all(accounts.map(step));
    await prepareAll((account) => {
      const { signsInWith } = account.steps;
      return account.prepare(signsInWith && (() => account.signIn(signsInWith)));
    });
    const deployed = accounts.filter(({ isNew }) => !isNew);
    await nodeRed.deploy(deployed.flatMap((account) => account.saved(account.steps.form ?? FORM)));
    for (const account of accounts) await account.prepare(account.steps.beforeLastDeploy);
    await prepareAll((account) => account.prepare(account.steps.afterLastDeploy));
    await nodeRed.restart();
  });
  after(() => closeAll(nodeRed, ...accounts.map(({ drive }) => drive)));

  for (const [index, title] of Object.keys(CASES).entries()) {
    it(title, async () => {
      const account = accounts[index] as RestartedAccount;
      await account.prepared;
      await account.steps.afterRestart(account);
    });
  }
});

describe('token journal in Node-RED', () => {
  const fixture = new DeployedFixture();

  it('a sign-out that can not be saved is reported, and final once it is saved', async () => {
    await fixture.startRotating();
    await fixture.nodeRed.deploy(fixture.flow({ name: 'signed in' }));
    // A folder in place of the temporary file makes every write fail, also for root.
    const blocked = path.join(fixture.nodeRed.userDir, '.cloud-drive-state.flows.json.new');
    await mkdir(blocked);
    const { status, body } = await fixture.admin.call('DELETE', '/account/sign-in');
    should(status).equal(400);
    should(body)
      .have.property('error')
      .match({ code: 'local_file', message: /can't be saved/ });
    await fixture.expectSignedOut();
    await rmdir(blocked);
    await fixture.signOut();
    await fixture.nodeRed.kill();
    await fixture.nodeRed.start();
    await fixture.expectSignedOut();
  });

  it('tokens that were renewed twice on a full disk survive a kill after the account was used with free space', async () => {
    // Nearly without retries after a time.
    await fixture.startRotating({ clockSpeed: 0.5 });
    const { userDir } = fixture.nodeRed;
    const state = path.join(userDir, '.cloud-drive-state');
    const blocked = `${state}.flows.json.new`;
    await mkdir(blocked);
    for (const _rotation of [1, 2]) await fixture.refresh();
    await rmdir(blocked);
    const before = fileVersion(state);
    // The retry without a use comes later.
    for (let use = 0; use < 50 && fileVersion(state) === before; use++) await fixture.expectSuccess();
    await fixture.nodeRed.kill();
    await fixture.nodeRed.start();
    await fixture.refresh();
  });

  it('tokens that arrive after a deploy that no longer waits for them are used, and survive a restart', async () => {
    await fixture.startRotating({ clockSpeed: 20 });
    await fixture.refresh();
    fixture.drive.expireAccessTokens();
    const deployed = new Promise<void>((resolve, reject) => {
      const until = (): Promise<void> => {
        const deploying = fixture.nodeRed.deploy(fixture.flow({ name: 'renamed' }));
        deploying.then(resolve, reject);
        return deploying;
      };
      fixture.drive.faults.add({ kind: 'stallResponse', bytes: 0, until, match: { path: '/token' } });
    });
    fixture.receive('slow refresh');
    await deployed;
    await fixture.refresh();
    await fixture.nodeRed.restart();
    await fixture.refresh();
  });
});

describe('CLOUD_DRIVE_ACCOUNT', () => {
  it('its rotated tokens and a sign-out survive restarts and deploys', async () => {
    const drive = await startDrive({ ...ROTATING, refreshToken: REFRESH_TOKEN });
    const other = await startDrive({ refreshToken: REFRESH_TOKEN });
    const variable = { clientId: CLIENT.id, clientSecret: CLIENT.secret, refreshToken: REFRESH_TOKEN };
    const [rotating, leaving] = [new DeployedAccount('rotating'), new DeployedAccount('leaving')];
    [rotating.drive, leaving.drive] = [drive, other];
    const flow = (name = '') => [...rotating.flow({ name }), ...leaving.flow({ name })];
    const env = { CLOUD_DRIVE_ACCOUNT: JSON.stringify(variable) };
    const nodeRed = await startNodeRed({ env, flow: flow() });
    try {
      rotating.use(nodeRed, drive);
      leaving.use(nodeRed, other);
      const check = () => Promise.all([rotating.refresh(), leaving.expectSignedOut()]);
      await rotating.refresh();
      await leaving.signOut();
      await check();
      for (const name of ['one', 'two']) {
        await nodeRed.restart();
        await check();
        await nodeRed.deploy(flow(name));
        await check();
      }
    } finally {
      await closeAll(nodeRed, drive, other);
    }
  });
});
