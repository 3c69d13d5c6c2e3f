/** Accounts that sign in as a service account, in a real Node-RED: docs/service-accounts.md. */
import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { type LocalDrive, type ServiceAccountKey, USER, startLocalDrive } from '../../local-drive';
import { CREDENTIALS, customAccount } from '../../support/node-red/account';
import { type AdminCalls, type AdminResponse, helperAdmin } from '../../support/node-red/account-admin';
import { type LoadedFlow, deployFlow, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';
import { errorOf } from './admin-fixture';

const AUTH = { auth: 'service-account' };
const NODES = [
  { id: 'about', type: 'cloud-drive-about' },
  { id: 'upload', type: 'cloud-drive-upload', targetName: 'a.txt' },
];

const asText = (value: string | object): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

describe('an account with a service account', () => {
  useNodeRed();
  let drive: LocalDrive;
  let key: ServiceAccountKey;
  let folder: string;

  before(async () => {
    drive = await startLocalDrive();
    key = drive.addServiceAccount();
    folder = await mkdtemp(path.join(tmpdir(), 'key-'));
  });
  beforeEach(() => drive.requests.clear());
  const opened: (() => void)[] = [];
  const openAdmin = async (): Promise<AdminCalls> => {
    const { admin, close } = await helperAdmin();
    opened.push(close);
    return admin;
  };
  afterEach(() => {
    for (const close of opened.splice(0)) close();
    delete process.env['GOOGLE_APPLICATION_CREDENTIALS'];
    delete process.env['CLOUD_DRIVE_ACCOUNT'];
  });
  after(async () => {
    await drive.close();
    await rm(folder, { recursive: true });
  });

  const loadKey = (
    serviceAccountKey: string | object,
    account: Record<string, unknown> = {},
    credentials = {},
  ): Promise<LoadedFlow> => {
    return load(NODES, {
      url: drive.url,
      service: 'google',
      account: { ...AUTH, ...account },
      credentials: { account: { ...credentials, serviceAccountKey: asText(serviceAccountKey) } },
    });
  };
  const whoseDrive = async (flow: LoadedFlow): Promise<unknown> => {
    const { payload } = passed(await flow.run('about', {}));
    return (payload as { user: { emailAddress: string } }).user.emailAddress;
  };
  const keyFile = async (name: string, mode = 0o600, content: object = key): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, JSON.stringify(content), { mode });
    await chmod(file, mode);
    return file;
  };

  it('a pasted key is used for full Drive access, and user tokens next to it are ignored', async () => {
    const flow = await loadKey(key, {}, CREDENTIALS);
    should(await whoseDrive(flow)).equal(key.client_email);
    const form = drive.requests.to('POST', '/token')[0]?.form;
    const claims = form?.get('assertion')?.split('.')[1] ?? '';
    should(JSON.parse(Buffer.from(claims, 'base64url').toString())).have.property(
      'scope',
      'https://www.googleapis.com/auth/drive',
    );
  });

  it('a key is read from a file, or from the file that GOOGLE_APPLICATION_CREDENTIALS names', async () => {
    const file = await keyFile('key.json');
    should(await whoseDrive(await loadKey(file))).equal(key.client_email);
    await helper.unload();
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file;
    should(await whoseDrive(await loadKey(''))).equal(key.client_email);
  });

  it('a key from an environment variable is used', async () => {
    process.env['ROBOT_KEY'] = JSON.stringify(key);
    const flow = await loadKey('${ROBOT_KEY}');
    delete process.env['ROBOT_KEY'];
    should(await whoseDrive(flow)).equal(key.client_email);
  });

  it('an impersonated user’s drive is used', async () => {
    const scope = 'https://www.googleapis.com/auth/drive';
    const delegated = drive.addServiceAccount([scope]);
    const flow = await loadKey(delegated, { subject: USER.emailAddress });
    should(await whoseDrive(flow)).equal(USER.emailAddress);
  });

  it('an upload to its own My Drive names the three solutions', async () => {
    const flow = await loadKey(key);
    const { message } = failed(await flow.run('upload', { payload: 'x' }), 'quota_exceeded');
    message.should.match(/shared drive.*impersonate a user.*sign in as a user/);
  });

  it('an upload to a shared drive works', async () => {
    const driveId = await drive.files.addSharedDrive('Backups');
    await drive.files.share(driveId, key.client_email, 'writer');
    const flow = await loadKey(key, { driveId });
    passed(await flow.run('upload', { payload: 'x' }));
    drive.files.names(driveId).should.eql(['a.txt']);
  });

  it('the admin API reports the service account, and refuses to start or end a sign-in', async () => {
    await loadKey(key);
    const admin = await openAdmin();
    const { body } = await admin.call('GET', '/account');
    should(body).match({
      signedIn: true,
      auth: 'service-account',
      account: { emailAddress: key.client_email },
      isUntested: true,
    });
    const start = { flow: 'device', ...AUTH, service: 'google' };
    should(errorOf(await admin.call('POST', '/account/sign-in', start))).eql([400, 'invalid_input']);
    should(errorOf(await admin.call('DELETE', '/account/sign-in'))).eql([400, 'invalid_input']);
    drive.requests.all.length.should.equal(0);
    admin.responses.join().should.not.containEql(key.private_key.slice(40, 80));
  });

  it('Test connection reports what was shared with the service account', async () => {
    const other = drive.addServiceAccount();
    const driveId = await drive.files.addSharedDrive('Archive');
    const file = await drive.files.add({ name: 'plan.txt', content: 'x' });
    await drive.files.share(driveId, other.client_email);
    await drive.files.share(file, other.client_email, 'reader');
    await loadKey(other);
    const admin = await openAdmin();
    const { body } = await admin.call('GET', '/account/connection');
    should(body).deepEqual({
      account: { displayName: body?.['account'] && other.client_email, emailAddress: other.client_email },
      access: { sharedDrives: ['Archive'], sharedFiles: ['plan.txt'] },
    });
  });

  describe('whose dialog is not deployed', () => {
    const form = (serviceAccountKey: string | object, changes: object = {}): object => ({
      ...{ ...AUTH, service: 'google', scope: '', ...changes },
      serviceAccountKey: asText(serviceAccountKey),
    });
    const testForm = async (id: string, body: object): Promise<AdminResponse> => {
      const response = await (await openAdmin()).call('POST', `/${id}/connection`, body);
      response.text.should.not.containEql(key.private_key.slice(40, 80));
      return response;
    };

    it('Test connection uses the key in the dialog, and then the drive picker does, too', async () => {
      await loadKey(drive.addServiceAccount());
      const admin = await openAdmin();
      should(errorOf(await admin.call('GET', '/new/files'))).eql([400, 'not_configured']);
      const { body } = await testForm('new', form(key));
      should(body).match({ serviceAccount: { address: key.client_email, subject: '' } });
      should((await admin.call('GET', '/new/files')).status).equal(200);
    });

    it('a tested key is forgotten with the deploy of its account', async () => {
      await loadKey(key);
      const account = { id: 'new', type: 'cloud-drive-account', ...AUTH, service: 'google' };
      const admin = await openAdmin();
      await testForm('new', form(key));
      await deployFlow([account]);
      await deployFlow([{ ...account, d: true }]);
      should(errorOf(await admin.call('GET', '/new/files'))).eql([400, 'not_configured']);
    });

    it('Test connection warns of a key file that other users can read', async () => {
      await loadKey(key);
      const open = await keyFile('open-dialog.json', 0o644);
      should((await testForm('new', form(open))).body?.['warning']).match(/open-dialog\.json.*chmod 600/);
      const closed = await keyFile('closed-dialog.json');
      should((await testForm('new', form(closed))).body).not.have.property('warning');
    });

    it('the saved key is used with the deployed URLs only', async () => {
      await loadKey(key);
      const ends = form('__PWRD__', { subject: '' });
      should((await testForm('account', ends)).body).match({ serviceAccount: { address: key.client_email } });
      drive.requests.clear();
      const elsewhere = { service: 'custom', baseUrl: `${drive.url}/other`, tokenUrl: key.token_uri };
      const refused = await testForm('account', form('__PWRD__', elsewhere));
      should(errorOf(refused)).eql([403, 'permission_denied']);
      should(errorOf(await testForm('new', form('__PWRD__')))).eql([400, 'not_configured']);
      should(errorOf(await testForm('new', { ...form(key), auth: 'user' }))).eql([400, 'invalid_input']);
      drive.requests.all.length.should.equal(0);
    });

    it('a refused impersonation names the client ID and the scopes to allow', async () => {
      await loadKey(key);
      const { body } = await testForm('new', form(key, { subject: USER.emailAddress }));
      const delegation = { clientId: key.client_id, scopes: 'https://www.googleapis.com/auth/drive' };
      should(body?.['error']).match({ code: 'sign_in_required', step: 'delegation', delegation });
    });
  });

  it('a refused key needs attention in the panel until it is accepted', async () => {
    const other = drive.addServiceAccount();
    drive.serviceAccounts.revokeKey(other.private_key_id);
    const flow = await loadKey(other);
    failed(await flow.run('about', {}), 'sign_in_required', other.client_email, other.private_key_id);
    const admin = await openAdmin();
    const { body } = await admin.call('GET', '/account');
    should(body).match({ signedIn: false, needsSignIn: { code: 'sign_in_required' } });
  });

  it('a key file that is replaced while Node-RED runs is used without a restart', async () => {
    const other = drive.addServiceAccount();
    const flow = await loadKey(await keyFile('rotated.json', 0o600, other));
    should(await whoseDrive(flow)).equal(other.client_email);
    drive.serviceAccounts.revokeKey(other.private_key_id);
    drive.expireAccessTokens();
    await keyFile('rotated.json');
    should(await whoseDrive(flow)).equal(key.client_email);
    // While it is being written, or after it was removed, the last key is used.
    for (const content of ['{"type": "service_acc', undefined]) {
      if (content === undefined) await rm(path.join(folder, 'rotated.json'));
      else await writeFile(path.join(folder, 'rotated.json'), content);
      drive.expireAccessTokens();
      should(await whoseDrive(flow)).equal(key.client_email);
    }
  });

  describe('with bad input', () => {
    const newKey = (type: 'ec' | 'rsa', encryption: object = {}): object => {
      const options = { namedCurve: 'P-256', modulusLength: 2_048 };
      const { privateKey } = generateKeyPairSync(type as 'rsa', options);
      const pemOptions = { type: 'pkcs8', format: 'pem', ...encryption } as const;
      return { ...key, private_key: privateKey.export(pemOptions) };
    };
    const encrypted = { cipher: 'aes-256-cbc', passphrase: 'canary' };
    const base64 = Buffer.from('{"private_key": "canary"}').toString('base64');
    const pem = (): object => ({ ...key, private_key: key.private_key.replace(/[A-Z]{3}/, '') });
    const CASES: [string, () => string | object, string, string][] = [
      ['a key of another type', () => ({ type: 'authorized_user' }), 'not_configured', 'authorized_user'],
      ['a workload identity', () => ({ type: 'external_account' }), 'not_configured', 'external_account'],
      ['an EC key', () => newKey('ec'), 'not_configured', 'private key'],
      ['an encrypted PEM', () => newKey('rsa', encrypted), 'not_configured', 'private key'],
      ['a key in Base64', () => base64, 'not_configured', 'JSON'],
      ['a client JSON', () => ({ installed: {} }), 'not_configured', 'OAuth client'],
      ['a missing member', () => ({ ...key, private_key: '' }), 'not_configured', 'private_key'],
      ['a broken PEM', pem, 'not_configured', 'private key'],
      ['a missing file', () => '/nowhere/key.json', 'not_configured', 'ENOENT'],
      ['nothing', () => '', 'not_configured', 'GOOGLE_APPLICATION_CREDENTIALS'],
      [
        'a token URL with http',
        () => ({ ...key, token_uri: 'http://a.example/token' }),
        'insecure_url',
        'a.example',
      ],
      [
        'another origin',
        () => ({ ...key, token_uri: 'https://a.example/token' }),
        'not_configured',
        'a.example',
      ],
      [
        'a host of Google where users run scripts',
        () => ({ ...key, token_uri: 'https://script.google.com/macros/s/x/exec' }),
        'not_configured',
        'script.google.com',
      ],
    ];
    for (const [title, value, code, words] of CASES) {
      it(`${title} instead of a usable key fails without a request`, async () => {
        const flow = await loadKey(value());
        const error = failed(await flow.run('about', {}), code as 'not_configured', words);
        error.message.should.not.containEql(key.private_key.slice(60, 90)).and.not.containEql(base64);
        drive.requests.all.length.should.equal(0);
      });
    }

    it('a key of a custom service is sent to that service only', async () => {
      const custom = { ...customAccount(drive.url), ...AUTH, tokenUrl: '' };
      const credentials = (json: object) => ({ account: { serviceAccountKey: JSON.stringify(json) } });
      const options = { url: drive.url, account: { ...custom, scope: '' } };
      const good = await load(NODES, { ...options, credentials: credentials(key) });
      should(await whoseDrive(good)).equal(key.client_email);
      await helper.unload();
      drive.requests.clear();
      const elsewhere = { ...key, token_uri: 'http://127.0.0.1:9/token' };
      const bad = await load(NODES, { ...options, credentials: credentials(elsewhere) });
      failed(await bad.run('about', {}), 'not_configured', '127.0.0.1:9');
      drive.requests.all.length.should.equal(0);
    });
  });

  it('a key file that other users can read causes one warning', async () => {
    const file = await keyFile('open.json', 0o644);
    const count = (): number =>
      (helper.log()?.args ?? []).filter(([entry]) => String(entry.msg).includes('chmod 600')).length;
    await whoseDrive(await loadKey(file));
    count().should.equal(1);
    await helper.unload();
    const flow = await loadKey(file);
    await whoseDrive(flow);
    count().should.equal(0);
  });

  describe('configured by CLOUD_DRIVE_ACCOUNT', () => {
    const settings = (more: object = {}): object => ({ ...AUTH, serviceAccountKey: key, ...more });
    const loadEmpty = (
      account: Record<string, unknown> = {},
      credentials: object = {},
    ): Promise<LoadedFlow> =>
      load(NODES, { url: drive.url, service: 'google', account, credentials: { account: credentials } });

    it('an account with empty fields takes them from the variable', async () => {
      process.env['CLOUD_DRIVE_ACCOUNT'] = JSON.stringify(settings());
      const flow = await loadEmpty();
      should(await whoseDrive(flow)).equal(key.client_email);
      const admin = await openAdmin();
      should((await admin.call('GET', '/account')).body).match({ signedIn: true, auth: 'service-account' });
    });

    it('the variable may be a key file, or the path of a file with the object', async () => {
      process.env['CLOUD_DRIVE_ACCOUNT'] = JSON.stringify(key);
      should(await whoseDrive(await loadEmpty())).equal(key.client_email);
      await helper.unload();
      process.env['CLOUD_DRIVE_ACCOUNT'] = await keyFile('account.json', 0o600, settings());
      should(await whoseDrive(await loadEmpty())).equal(key.client_email);
    });

    it('the variable may contain the client and the tokens of a user', async () => {
      const refreshToken = await drive.signIn();
      process.env['CLOUD_DRIVE_ACCOUNT'] = JSON.stringify({
        clientId: 'local-client',
        clientSecret: 'local-secret',
        refreshToken,
      });
      const flow = await loadEmpty();
      should(await whoseDrive(flow)).equal(USER.emailAddress);
    });

    it('the variable may refer to other environment variables', async () => {
      process.env['ROBOT_KEY'] = await keyFile('reference.json');
      const reference = { ...AUTH, serviceAccountKey: '${ROBOT_KEY}', requestsPerSecond: 1_000 };
      process.env['CLOUD_DRIVE_ACCOUNT'] = JSON.stringify(reference);
      const flow = await loadEmpty();
      delete process.env['ROBOT_KEY'];
      should(await whoseDrive(flow)).equal(key.client_email);
    });

    it('a file named by the variable that other users can read causes a warning', async () => {
      process.env['CLOUD_DRIVE_ACCOUNT'] = await keyFile('open-account.json', 0o644, settings());
      await whoseDrive(await loadEmpty());
      JSON.stringify(helper.log()?.args).should.containEql('open-account.json');
    });

    for (const [title, signIn] of [
      ['', {}],
      [' that was entered after a sign-out', { signIn: { id: 'former', generation: 1, of: 'no tokens' } }],
    ] as const) {
      it(`an account with an access token of its own${title} does not use the variable`, async () => {
        process.env['CLOUD_DRIVE_ACCOUNT'] = JSON.stringify(settings());
        const flow = await loadEmpty({}, { accessToken: 'unknown', ...signIn });
        failed(await flow.run('about', {}), 'sign_in_required');
        drive.requests.to('POST', '/token').length.should.equal(0);
      });
    }

    it('fields of the account take precedence over the variable', async () => {
      const driveId = await drive.files.addSharedDrive('Precedence');
      await drive.files.share(driveId, key.client_email, 'writer');
      process.env['CLOUD_DRIVE_ACCOUNT'] = JSON.stringify(settings({ driveId: 'elsewhere' }));
      const flow = await loadEmpty({ driveId });
      passed(await flow.run('upload', { payload: 'x' }));
      drive.files.in(driveId).length.should.equal(1);
    });

    it('an account with a key of its own does not use the variable', async () => {
      process.env['CLOUD_DRIVE_ACCOUNT'] = JSON.stringify(settings({ driveId: 'elsewhere' }));
      const other = drive.addServiceAccount();
      should(await whoseDrive(await loadKey(other))).equal(other.client_email);
    });

    for (const [title, value, word] of [
      ['unknown settings', { auth: 'service-account', key: 'x' }, 'key'],
      ['text that is not JSON', '{"a"', 'CLOUD_DRIVE_ACCOUNT'],
      ['a path without a file', '/nowhere.json', 'ENOENT'],
      ['a secret that is neither JSON nor a path', 'GOCSPX-canary/1', 'CLOUD_DRIVE_ACCOUNT'],
      ['a number in place of a text', { ...AUTH, driveId: 5 }, 'driveId'],
    ] as const) {
      it(`a variable with ${title} is an error of the account, without a request`, async () => {
        process.env['CLOUD_DRIVE_ACCOUNT'] = asText(value);
        const { message } = failed(await (await loadEmpty()).run('about', {}), 'not_configured', word);
        message.should.not.containEql('canary');
        drive.requests.all.length.should.equal(0);
      });
    }
  });
});
