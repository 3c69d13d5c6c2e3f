/**
 * Uses a service account whose key, signed requests and tokens are known, and makes the service fail and echo them. No
 * file, log, message or response may then contain one.
 */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { type Fault, type LocalDrive, type ServiceAccountKey, startLocalDrive } from '../local-drive';
import { redirectedPresetEnv } from '../support/node-red/account';
import { AdminCalls } from '../support/node-red/account-admin';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';

const GRANT = { path: '/token' };
const API = { path: '/drive/v3/' };

/** By the code of the error. `echo` is replaced by the request's own JWT. */
const FAULTS: [string, Fault][] = [
  ['sign_in_required', { kind: 'oauthError', error: 'invalid_grant', description: 'echo', match: GRANT }],
  [
    'sign_in_required',
    { kind: 'oauthError', error: 'unauthorized_client', description: 'echo', match: GRANT },
  ],
  ['rate_limited', { kind: 'oauthError', error: 'rate_limit_exceeded', description: 'echo', match: GRANT }],
  ['service_unavailable', { kind: 'response', status: 503, body: 'echo', match: GRANT }],
  ['bad_response', { kind: 'response', status: 200, body: 'echo', match: GRANT }],
  ['network', { kind: 'lostResponse', match: GRANT }],
  ['sign_in_required', { kind: 'error', reason: 'authError', message: 'echo', match: API }],
  ['quota_exceeded', { kind: 'error', reason: 'storageQuotaExceeded', message: 'echo', match: API }],
  ['permission_denied', { kind: 'error', reason: 'accessNotConfigured', message: 'echo', match: API }],
  ['network', { kind: 'reset', match: API }],
];

describe('secrets of a service account', () => {
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let key: ServiceAccountKey;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'key-canary-'));
    drive = await startLocalDrive();
    key = drive.addServiceAccount();
    await writeFile(path.join(folder, 'key.json'), JSON.stringify(key), { mode: 0o644 });
    nodeRed = await startNodeRed({
      settings: { logging: { console: { level: 'trace' } } },
      env: {
        ...redirectedPresetEnv(drive.url),
        CANARY_KEY: JSON.stringify(key),
        CLOUD_DRIVE_ACCOUNT: JSON.stringify({ auth: 'service-account', serviceAccountKey: key }),
      },
    });
    await nodeRed.deploy(flow());
  });
  after(async () => {
    await nodeRed?.close();
    await drive.close();
    await rm(folder, { recursive: true });
  });

  /** An account for each place where the key can be, and broken ones. */
  const accounts = (): Record<string, string | undefined> => ({
    pasted: JSON.stringify(key),
    file: path.join(folder, 'key.json'),
    env: '${CANARY_KEY}',
    variable: undefined,
    broken: JSON.stringify({ ...key, private_key: key.private_key.replace(/[A-Z]{3}/, '') }),
    'other-type': JSON.stringify({ ...key, type: 'authorized_user' }),
    elsewhere: JSON.stringify({ ...key, token_uri: 'https://a.example/token' }),
    'without-json': key.private_key,
    'half-json': JSON.stringify(key).slice(0, -20),
    base64: Buffer.from(JSON.stringify(key)).toString('base64'),
  });

  function flow(): DeployedNode[] {
    const position = { z: 'tab', x: 0, y: 0 };
    const nodes = Object.entries(accounts()).flatMap(([id, serviceAccountKey]): DeployedNode[] => [
      {
        ...{ id: `account-${id}`, type: 'cloud-drive-account', service: 'google', retryFor: 0 },
        ...(serviceAccountKey === undefined
          ? {}
          : { auth: 'service-account', credentials: { serviceAccountKey } }),
      },
      { ...{ id, type: 'cloud-drive-about', account: `account-${id}` }, ...position, wires: [['out']] },
    ]);
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      ...nodes,
      { id: 'catch', type: 'catch', ...position, scope: null, wires: [['out', 'debug']] },
      { id: 'out', type: 'test-output', ...position, wires: [] },
      {
        ...{ id: 'debug', type: 'debug', ...position, active: true, console: true, tosidebar: true },
        complete: 'true',
      },
    ];
  }

  let received = 0;
  /** @returns the code of the error, `''` without one */
  async function run(id: string): Promise<string> {
    nodeRed.receive(id, { payload: '' });
    const msg = (await nodeRed.outputs('out', ++received)).at(-1);
    return (msg?.['error'] as { cause: { code: string } } | undefined)?.cause.code ?? '';
  }

  /** The requests' JWT and token in place of `echo`. */
  function echoing(fault: Fault): Fault {
    const { assertion, token } = secretsSent();
    return JSON.parse(JSON.stringify(fault).replace('echo', `${assertion} ${token}`)) as Fault;
  }

  function secretsSent(): { assertion: string; token: string } {
    const assertion = drive.requests.to('POST', '/token').at(-1)?.form.get('assertion') ?? '';
    const token = drive.requests.to('GET').at(-1)?.headers.authorization?.slice('Bearer '.length) ?? '';
    return { assertion, token };
  }

  async function visibleTexts(): Promise<Record<string, string>> {
    const admin = new AdminCalls((url, init) => nodeRed.request(url, init));
    for (const id of Object.keys(accounts())) {
      await admin.status(`account-${id}`);
      await admin.call('GET', `/account-${id}/connection`);
    }
    const texts: Record<string, string> = {
      'the log': nodeRed.log.join('\n'),
      'the statuses': JSON.stringify(nodeRed.allStatuses()),
      'the messages': JSON.stringify(await nodeRed.outputs('out', 0)),
      'GET /flows': await (await nodeRed.request('/flows')).text(),
      'the admin API': admin.responses.join('\n'),
    };
    for (const id of Object.keys(accounts())) {
      const credentials = await nodeRed.request(`/credentials/cloud-drive-account/account-${id}`);
      texts[`GET /credentials of ${id}`] = await credentials.text();
    }
    for (const name of await readdir(nodeRed.userDir)) {
      if (name !== 'node_modules' && name !== 'lib')
        texts[name] = await readFile(path.join(nodeRed.userDir, name), 'latin1');
    }
    return texts;
  }

  it('keys, signed requests and access tokens are not visible in files, logs, messages or responses', async () => {
    for (const id of ['pasted', 'file', 'env', 'variable']) (await run(id)).should.equal('');
    for (const id of ['broken', 'other-type', 'elsewhere', 'without-json', 'half-json', 'base64'])
      [id, await run(id)].should.eql([id, 'not_configured']);
    const sent = [secretsSent()];
    for (const [code, fault] of FAULTS) {
      // A new deploy forgets a refusal, and the token.
      await nodeRed.deploy(flow());
      const active = drive.faults.add({ ...echoing(fault), times: 100 });
      [JSON.stringify(fault), await run('pasted')].should.eql([JSON.stringify(fault), code]);
      should(active.hits).be.above(0);
      active.remove();
      sent.push(secretsSent());
    }
    const secrets = sent.flatMap(({ assertion, token }) => [assertion.split('.')[2] ?? '', token]);
    const lines = key.private_key.split('\n').slice(1, -2);
    const base64 = Buffer.from(JSON.stringify(key)).toString('base64').slice(400, 460);
    const canaries = [...secrets, ...lines, base64].filter((each) => each !== '');
    should(canaries.length).be.above(lines.length + FAULTS.length);
    const leaks = Object.entries(await visibleTexts()).flatMap(([source, text]) =>
      canaries.filter((canary) => text.includes(canary)).map((canary) => `${source}: ${canary}`),
    );
    should(leaks).eql([]);
    nodeRed.log.join('\n').should.containEql('chmod 600');
  });
});
