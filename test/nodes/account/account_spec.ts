/** The account node: tokens, status and errors. docs/nodes/account.md */
import { EventEmitter, once } from 'node:events';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { tokenFingerprint } from '../../../nodes/account/accounts/stored-sign-in';
import { type LocalDrive, startLocalDrive } from '../../local-drive/index';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../../support/node-red/account';
import { load, useNodeRed } from '../../support/node-red/load';

const ABOUT = { id: 'about', type: 'cloud-drive-about' };

describe('account node', () => {
  useNodeRed();
  let drive: LocalDrive;
  beforeEach(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
  });
  afterEach(() => drive.close());

  const refreshes = (): number => drive.requests.to('POST', '/token').length;

  it('the account gets an access token before its first request', async () => {
    const flow = await load([ABOUT], { url: drive.url });
    const { sent, error } = await flow.run('about');
    should(error).equal(undefined);
    should(sent).have.length(1);
    should(drive.requests.all.map(({ path }) => path)).deepEqual(['/token', '/drive/v3/about']);
    should(Object.fromEntries(drive.requests.all[0]?.form ?? [])).deepEqual({
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      refresh_token: REFRESH_TOKEN,
      grant_type: 'refresh_token',
    });
  });

  it('the account works with the Google preset', async () => {
    const flow = await load([ABOUT], { url: drive.url, service: 'google' });
    should((await flow.run('about')).sent).have.length(1);
  });

  it('the account refreshes its token once for all waiting nodes', async () => {
    const flow = await load([ABOUT, { ...ABOUT, id: 'other' }], { url: drive.url });
    await Promise.all([flow.run('about'), flow.run('other'), flow.run('about')]);
    should(refreshes()).equal(1);
  });

  it('the status of a node is empty while signed in, and a red ring while signed out', async () => {
    const flow = await load([ABOUT], { url: drive.url });
    should(flow.statuses('about')).deepEqual([{}]);
    await helper.unload();
    const out = await load([ABOUT], {
      url: drive.url,
      credentials: { account: { ...CREDENTIALS, refreshToken: '' } },
    });
    should(
      out.statuses('about').map(({ fill, shape, text }) => [fill, shape, text?.split('.').pop()]),
    ).deepEqual([['red', 'ring', 'not_signed_in']]);
    should((await out.run('about')).error?.cause?.code).equal('sign_in_required');
    should(drive.requests.all).be.empty();
  });

  for (const [days, expectedText] of [
    [7, 'testing'],
    [40, '40 days'],
  ] as const) {
    it(`the account explains why a sign-in of ${days} days ago has expired`, async () => {
      const since = new Date(Date.now() - days * 86_400_000).toISOString();
      const signIn = { since, of: tokenFingerprint({ refreshToken: REFRESH_TOKEN }) };
      drive.faults.add({ kind: 'oauthError', error: 'invalid_grant' });
      const flow = await load([ABOUT], {
        url: drive.url,
        credentials: { account: { ...CREDENTIALS, signIn } },
      });
      const { error } = await flow.run('about');
      should(error?.cause?.code).equal('sign_in_required');
      should(error?.message).containEql(expectedText);
    });
  }

  for (const [what, account, code] of [
    ['no token URL', { tokenUrl: '' }, 'not_configured'],
    ['an unencrypted URL', { baseUrl: 'http://drive.example.com' }, 'insecure_url'],
    ['a number out of range', { maxTransfers: 0 }, 'not_configured'],
    ['an unset environment variable', { driveId: '${NOT_SET_ANYWHERE}' }, 'not_configured'],
  ] as const) {
    it(`an account with ${what} fails each message without sending a request`, async () => {
      const flow = await load([ABOUT], { url: drive.url, account });
      for (const _message of [1, 2]) should((await flow.run('about')).error?.cause?.code).equal(code);
      should(flow.statuses('about')[0]?.text).endWith('not_configured');
      should(drive.requests.all).be.empty();
    });
  }

  it('the account reads its client from the environment, without changing it', async () => {
    Object.assign(process.env, {
      TEST_CLIENT: CLIENT.id,
      TEST_SECRET: CLIENT.secret,
      TEST_REFRESH: REFRESH_TOKEN,
    });
    const references = {
      clientId: '${TEST_CLIENT}',
      clientSecret: '${TEST_SECRET}',
      refreshToken: '${TEST_REFRESH}',
    };
    const flow = await load([ABOUT], { url: drive.url, credentials: { account: references } });
    should((await flow.run('about')).sent).have.length(1);
    const { clientId, clientSecret, refreshToken } = helper.credentials.get('account') ?? {};
    should({ clientId, clientSecret, refreshToken }).deepEqual(references);
  });

  it('the account saves a new refresh token of the service', async () => {
    const body = { access_token: 'new', refresh_token: 'rotated', expires_in: 3600 };
    drive.faults.add({ kind: 'response', body, match: { path: '/token' } });
    const flow = await load([ABOUT], { url: drive.url });
    await flow.run('about');
    const entry = helper.credentials.get('account') ?? {};
    should(entry['refreshToken']).equal('rotated');
    should(entry['clientSecret']).equal(CLIENT.secret);
  });

  it('a refresh does not overwrite tokens that were saved meanwhile', async () => {
    const match = { path: '/token' };
    const [requested, released] = [new EventEmitter(), new EventEmitter()];
    const until = (): Promise<unknown> => {
      setImmediate(() => requested.emit('now'));
      return once(released, 'now');
    };
    drive.faults.add({ kind: 'delay', until, match });
    drive.faults.add({ kind: 'response', body: { access_token: 'late', refresh_token: 'late' }, match });
    const flow = await load([ABOUT], { url: drive.url });
    flow.send('about');
    await once(requested, 'now');
    const entry = helper.credentials.get('account') ?? {};
    entry['refreshToken'] = 'pasted';
    released.emit('now');
    await flow.received('ended');
    should(helper.credentials.get('account')?.['refreshToken']).equal('pasted');
  });

  it('an account with a revoked grant shows it in every node, fails each message and sends no more requests', async () => {
    drive.faults.add({ kind: 'oauthError', error: 'invalid_grant', match: { path: '/token' } });
    const flow = await load([ABOUT, { ...ABOUT, id: 'other' }], { url: drive.url });
    should((await flow.run('about')).error?.cause?.code).equal('sign_in_required');
    await flow.status('other', ({ text }) => text?.endsWith('sign_in_required') ?? false);
    should((await flow.run('other')).error?.cause?.code).equal('sign_in_required');
    should(drive.requests.all).have.length(1);
  });

  it('the account uses an access token without a refresh token until the service rejects it', async () => {
    const credentials = { account: { accessToken: 'revoked' } };
    const flow = await load([ABOUT], { url: drive.url, credentials });
    should(flow.statuses('about')).deepEqual([{}]);
    should((await flow.run('about')).error?.cause?.code).equal('sign_in_required');
    should(drive.requests.all.map(({ path }) => path)).deepEqual(['/drive/v3/about']);
    should((await flow.run('about')).error?.cause?.code).equal('sign_in_required');
    should(drive.requests.all).have.length(1);
  });

  it('an account in a subflow has one token source for all instances', async () => {
    const position = { x: 0, y: 0 };
    const flow = await load(
      [
        { id: 'sub', type: 'subflow', name: 's', in: [{ ...position, wires: [{ id: 'inner' }] }], out: [] },
        { id: 'shared', type: 'cloud-drive-account', z: 'sub', ...customAccount(drive.url) },
        { ...ABOUT, id: 'inner', z: 'sub', ...position, account: 'shared', wires: [[]] },
        { id: 'one', type: 'subflow:sub', z: 'tab', ...position, wires: [] },
        { id: 'two', type: 'subflow:sub', z: 'tab', ...position, wires: [] },
      ],
      { credentials: { shared: CREDENTIALS } },
    );
    flow.send('one');
    flow.send('two');
    for (const inner of ['one-inner', 'two-inner']) await flow.status(inner, ({ fill }) => fill === 'green');
    should(refreshes()).equal(1);
  });

  it('the account logs no secret', async () => {
    drive.faults.add({
      kind: 'oauthError',
      error: 'invalid_grant',
      match: { path: '/token', nth: 2 },
      times: 9,
    });
    const flow = await load([ABOUT], { url: drive.url });
    await flow.run('about');
    drive.expireAccessTokens();
    const { error } = await flow.run('about');
    should(error?.cause?.code).equal('sign_in_required');
    const visible = [
      ...flow.logged(),
      JSON.stringify(flow.messages('ended')),
      JSON.stringify(flow.statuses('about')),
    ];
    for (const secret of [CLIENT.secret, REFRESH_TOKEN, 'ya29.'])
      should(visible.join('\n')).not.containEql(secret);
  });
});
