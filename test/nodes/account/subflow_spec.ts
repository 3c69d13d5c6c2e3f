/** Accounts in subflows, whose instances share the credentials of the template but may have an environment of their own. */
import should from 'should';
import type { NodeMessage } from 'node-red';
import type { LocalDrive } from '../../local-drive';
import { closeAll } from '../../support/close-all';
import { type ReceivedRequest, type Reply, ScriptedService } from '../../support/http/scripted-service';
import { CLIENT, REFRESH_TOKEN, customAccount } from '../../support/node-red/account';
import { AdminCalls } from '../../support/node-red/account-admin';
import { type DeployedNode, type NodeRed, startNodeRed } from '../../support/node-red/node-red';
import { startDrive } from './deployed-fixture';

/** A service of several users. Each refresh returns a new refresh token, and ends the access token and those before. */
class UserService {
  private readonly scripted = new ScriptedService();
  /** The number of refreshes, by user. */
  readonly refreshes = new Map<string, number>();
  /** Tokens and clients that belong to nobody here, or have ended. */
  readonly refused: string[] = [];
  /** Users whose access tokens haven't expired. */
  private readonly active = new Set<string>();

  constructor(readonly name: string) {}

  async start(): Promise<void> {
    await this.scripted.listen();
    this.scripted.onRequest((received) => this.respond(received));
  }

  get url(): string {
    return this.scripted.url;
  }

  expireAccessTokens(): void {
    this.active.clear();
  }

  /** The refresh token that a user starts with. */
  tokenOf(user: string): string {
    return `refresh/${this.name}/${user}/0`;
  }

  close(): Promise<void> {
    return this.scripted.close();
  }

  private respond({ path, body, headers }: ReceivedRequest): Reply {
    if (path === '/token') return this.refresh(new URLSearchParams(body.toString()));
    const [kind, service, user = ''] = (headers.authorization ?? '').replace('Bearer ', '').split('/');
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    const isCurrent = kind === 'fixed' || token === this.accessToken(user);
    if (service !== this.name || !isCurrent) return this.refuse(token, 401);
    if (kind !== 'fixed' && !this.active.has(user)) return { status: 401 };
    if (path === '/drive/v3/about') return { body: { user: { displayName: user } } };
    return { body: { files: [] } };
  }

  private refresh(form: URLSearchParams): Reply {
    const token = form.get('refresh_token') ?? '';
    const user = token.split('/')[2] ?? '';
    const count = this.refreshes.get(user) ?? 0;
    const clients = [`${CLIENT.id} ${CLIENT.secret}`, `client of ${user} secret of ${user}`];
    const client = `${form.get('client_id')} ${form.get('client_secret')}`;
    if (token !== `refresh/${this.name}/${user}/${count}`) return this.refuse(token, 400);
    if (!clients.includes(client)) return this.refuse(client, 400);
    this.refreshes.set(user, count + 1);
    this.active.add(user);
    const refreshToken = `refresh/${this.name}/${user}/${count + 1}`;
    return { body: { access_token: this.accessToken(user), refresh_token: refreshToken } };
  }

  private accessToken(user: string): string {
    return `access/${this.name}/${user}/${this.refreshes.get(user) ?? 0}`;
  }

  private refuse(token: string, status: number): Reply {
    this.refused.push(token);
    return { status, body: { error: 'invalid_grant' } };
  }
}

const A = new UserService('A');
const B = new UserService('B');
const REFERENCES = { clientId: CLIENT.id, clientSecret: CLIENT.secret, refreshToken: '${TOKEN}' };

const noVariables: Record<string, string> = {};

interface Result extends NodeMessage {
  payload?: { user?: { displayName?: string } };
  error?: { message: string; cause?: { code: string } };
}

interface Case {
  account?: Record<string, unknown>;
  /** Of the template. */
  credentials?: Record<string, string>;
  /** Environment of each instance. @param user of the instance */
  env: (user: string, number: number) => Record<string, string>;
  /** Whether that is the environment of a tab for each instance. */
  isOnTabs?: boolean;
  /** Whether the instances belong to the same user. */
  isShared?: boolean;
  /** Whether the second instance uses the environment of the process. */
  isOfProcess?: boolean;
  /** Whether the instances use only access tokens. */
  isFixed?: boolean;
}

const account = (user: string, service = A): string =>
  JSON.stringify({ clientId: CLIENT.id, clientSecret: CLIENT.secret, refreshToken: service.tokenOf(user) });

const CASES: Record<string, Case> = {
  'refresh tokens': { credentials: REFERENCES, env: (user) => ({ TOKEN: A.tokenOf(user) }) },
  'the same refresh token': {
    credentials: REFERENCES,
    env: () => ({ TOKEN: A.tokenOf('shared') }),
    isShared: true,
  },
  'a refresh token in only one of them, and one of the process': {
    credentials: REFERENCES,
    env: (user, number) => (number === 1 ? { TOKEN: A.tokenOf(user) } : noVariables),
    isOfProcess: true,
  },
  'access tokens': {
    credentials: { accessToken: '${TOKEN}' },
    env: (user) => ({ TOKEN: `fixed/A/${user}` }),
    isFixed: true,
  },
  'clients and their tokens': {
    credentials: { clientId: '${ID}', clientSecret: '${SECRET}', refreshToken: '${TOKEN}' },
    env: (user) => ({ ID: `client of ${user}`, SECRET: `secret of ${user}`, TOKEN: A.tokenOf(user) }),
  },
  'refresh tokens on two tabs': {
    credentials: REFERENCES,
    env: (user) => ({ TOKEN: A.tokenOf(user) }),
    isOnTabs: true,
  },
  'refresh tokens of two services': {
    account: { baseUrl: '${URL}', tokenUrl: '${TOKEN_URL}', deviceUrl: '', authUrl: '', revokeUrl: '' },
    credentials: REFERENCES,
    env: (user, number) => {
      const service = number === 1 ? A : B;
      return { URL: service.url, TOKEN_URL: `${service.url}/token`, TOKEN: service.tokenOf(user) };
    },
  },
  'the variable CLOUD_DRIVE_ACCOUNT': {
    env: (user) => ({ CLOUD_DRIVE_ACCOUNT: account(user) }),
  },
  'the variable CLOUD_DRIVE_ACCOUNT on two tabs': {
    env: (user) => ({ CLOUD_DRIVE_ACCOUNT: account(user) }),
    isOnTabs: true,
  },
};

const ENTRIES = Object.entries(CASES);
const userOf = ([title, { isShared, isOfProcess }]: [string, Case], number: number): string => {
  if (isShared) return 'shared';
  return isOfProcess && number === 2 ? 'process' : `${title.replaceAll(' ', '-')}-${number}`;
};

/** The template of a case with two instances, `CASE-1` and `CASE-2`, and an output for each. */
function flowOf(entry: [string, Case], index: number, url = A.url): DeployedNode[] {
  const [title, { account: properties, credentials, env, isOnTabs }] = entry;
  const position = { x: 0, y: 0 };
  const id = `case${index}`;
  const inner = `${id}about`;
  const template: DeployedNode[] = [
    {
      ...{ id, type: 'subflow', name: title, in: [{ ...position, wires: [{ id: inner }] }] },
      out: [{ ...position, wires: [{ id: inner, port: 0 }] }],
    },
    {
      ...{ id: `${id}account`, type: 'cloud-drive-account', z: id },
      ...customAccount(url),
      ...properties,
      ...(credentials && { credentials }),
    },
    {
      ...{ id: inner, type: 'cloud-drive-about', z: id, ...position },
      ...{ account: `${id}account`, fields: 'user', wires: [[]] },
    },
  ];
  const instances = [1, 2].flatMap((number): DeployedNode[] => {
    const tab = `${id}tab${number}`;
    const variables = Object.entries(env(userOf(entry, number), number)).map(([name, value]) => ({
      ...{ name, value, type: 'str' },
    }));
    return [
      { id: tab, type: 'tab', label: tab, ...(isOnTabs ? { env: variables } : {}) },
      {
        ...{
          id: `${id}n${number}`,
          type: `subflow:${id}`,
          z: tab,
          ...position,
          wires: [[`${id}out${number}`]],
        },
        ...(isOnTabs ? {} : { env: variables }),
      },
      { id: `${tab}catch`, type: 'catch', z: tab, ...position, wires: [[`${id}out${number}`]] },
      { id: `${id}out${number}`, type: 'test-output', z: tab, ...position, wires: [] },
    ];
  });
  return [...template, ...instances];
}

/** A request of an instance, and the error that ended it if there was one. */
async function runInstance(nodeRed: NodeRed, name: string, run: number): Promise<Result> {
  nodeRed.receive(name.replace('out', 'n'), { run });
  const isOwn = (msg: NodeMessage): boolean => 'run' in msg && msg.run === run;
  return (await nodeRed.output(name, isOwn)) as Result;
}

describe('an account in a subflow', () => {
  let nodeRed: NodeRed;
  let admin: AdminCalls;
  let runs = 0;
  /** The users that each instance of each case has worked with, by the step of the test. */
  const users: Record<string, unknown[][]> = {};

  /** @returns the users whose drives the two instances use, or the message of an error */
  async function usersOf(index: number): Promise<unknown[]> {
    const used = [];
    for (const number of [1, 2]) {
      const { payload, error } = await runInstance(nodeRed, `case${index}out${number}`, ++runs);
      used.push(error?.message ?? payload?.user?.displayName);
    }
    return used;
  }

  before(async () => {
    await Promise.all([A.start(), B.start()]);
    const flow = ENTRIES.flatMap((entry, index) => flowOf(entry, index));
    nodeRed = await startNodeRed({ flow: [], env: { TOKEN: A.tokenOf('process') } });
    admin = new AdminCalls((where, init) => nodeRed.request(where, init));
    await nodeRed.deploy(flow);
    for (const [step, prepare] of Object.entries({
      'after the first start': () => Promise.resolve(),
      'after a restart': () => nodeRed.restart(),
      'after a deploy': () => nodeRed.deploy([...flow, { id: 'new', type: 'tab', label: 'new' }]),
      'after a deploy and a restart': () => nodeRed.restart(),
    })) {
      await prepare();
      for (const service of [A, B]) service.expireAccessTokens();
      users[step] = [];
      for (const index of ENTRIES.keys()) users[step].push(await usersOf(index));
    }
  });
  after(() => closeAll(nodeRed, A, B));

  for (const [index, entry] of ENTRIES.entries()) {
    const [title, { isShared, isFixed }] = entry;
    const expected = [1, 2].map((number) => userOf(entry, number));
    it(`an account whose subflow instances have ${title} uses those of each, also after deploys and restarts`, () => {
      for (const [step, used] of Object.entries(users)) should(used[index]).eql(expected, step);
    });

    if (!isFixed) {
      it(`an account whose subflow instances have ${title} refreshes ${isShared ? 'once for both' : 'once for each'}`, () => {
        for (const user of expected)
          should((A.refreshes.get(user) ?? 0) + (B.refreshes.get(user) ?? 0)).equal(
            Object.keys(users).length,
          );
      });
    }

    it(`an account whose subflow instances have ${title} is ${isShared ? '' : 'not '}browsed in the editor`, async () => {
      const { status, body } = await admin.call('GET', `/case${index}account/files`);
      should(isShared ? status : [status, (body?.['error'] as { code?: string }).code]).eql(
        isShared ? 200 : [400, 'not_configured'],
      );
    });
  }

  it('an account in a subflow sends no token to a service, or with a client, for which it was not issued', () => {
    should([...A.refused, ...B.refused]).eql([]);
  });
});

describe('sign-ins and sign-outs of an account in a subflow', () => {
  let drives: LocalDrive[];
  let nodeRed: NodeRed;
  let admin: AdminCalls;
  let runs = 0;

  before(async () => {
    const options = { rotateRefreshTokens: true, refreshToken: REFRESH_TOKEN };
    drives = [await startDrive(options), await startDrive(options)];
    nodeRed = await startNodeRed({ flow: [] });
    admin = new AdminCalls((where, init) => nodeRed.request(where, init));
  });
  after(() => closeAll(nodeRed, ...drives));

  const urls = (number: number): Record<string, string> => {
    const { url = '' } = drives[number - 1] ?? {};
    return {
      URL: url,
      TOKEN_URL: `${url}/token`,
      DEVICE_URL: `${url}/device/code`,
      REVOKE_URL: `${url}/revoke`,
    };
  };
  const REFERRED = {
    ...{ baseUrl: '${URL}', tokenUrl: '${TOKEN_URL}', deviceUrl: '${DEVICE_URL}', authUrl: '' },
    revokeUrl: '${REVOKE_URL}',
  };
  const CLIENT_ONLY = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
  /** @returns what the instances end with: `undefined` or an error code */
  async function endings(numbers: readonly number[]): Promise<unknown[]> {
    const codes = [];
    for (const number of numbers) {
      const { error } = await runInstance(nodeRed, `case0out${number}`, ++runs);
      codes.push(error?.cause?.code);
    }
    return codes;
  }

  it('a sign-in of an account in a subflow is used only at its service, also by instances that are added later, and survives rotations', async () => {
    const flow = flowOf(
      ['', { account: REFERRED, credentials: CLIENT_ONLY, env: (_user, number) => urls(number) }],
      0,
      urls(1)['URL'],
    );
    await nodeRed.deploy(flow.filter(({ id }) => id !== 'case0n2'));
    const [own, other] = drives as [LocalDrive, LocalDrive];
    const { body } = await admin.start('case0account', own.url, { ...REFERRED, clientSecret: '__PWRD__' });
    own.approve(String(body?.['userCode']));
    should(await admin.waitForEnd(body?.['session'])).have.property('state', 'authorized');
    for (const prepare of [
      () => Promise.resolve(),
      () => nodeRed.restart(),
      () => nodeRed.deploy(flow),
      () => nodeRed.restart(),
    ]) {
      await prepare();
      own.expireAccessTokens();
      should(await endings([1])).eql([undefined]);
    }
    should(await endings([1, 2])).eql([undefined, 'sign_in_required']);
    should(other.requests.all).be.empty();
    should((await admin.start('case0account', own.url, REFERRED)).body?.['error']).match({
      code: 'not_configured',
    });
  });

  it('a sign-out of an account in a subflow ends the sign-ins of all instances and revokes each at its own service', async () => {
    const env = (_user: string, number: number): Record<string, string> => ({
      ...urls(number),
      TOKEN: REFRESH_TOKEN,
    });
    await nodeRed.deploy(
      flowOf(['', { account: REFERRED, credentials: REFERENCES, env }], 0, urls(1)['URL']),
    );
    should(await endings([1, 2])).eql([undefined, undefined]);
    for (const { requests } of drives) requests.clear();
    should((await admin.call('DELETE', '/case0account/sign-in?revoke=true')).status).equal(204);
    for (const { requests } of drives) should(requests.to('POST', '/revoke')).have.length(1);
    for (const prepare of [() => Promise.resolve(), () => nodeRed.restart()]) {
      await prepare();
      should(await endings([1, 2])).eql(['sign_in_required', 'sign_in_required']);
    }
  });
});
