/** What docs/nodes/account.md says of the account itself: its state, its ends, its secrets. */
import { EventEmitter, once } from 'node:events';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { tokenFingerprint } from '../../../nodes/account/accounts/credential-entry';
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

  it('gets an access token first, and then asks with it', async () => {
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

  it('works with the preset as well', async () => {
    const flow = await load([ABOUT], { url: drive.url, service: 'google' });
    should((await flow.run('about')).sent).have.length(1);
  });

  it('refreshes once for all nodes that wait', async () => {
    const flow = await load([ABOUT, { ...ABOUT, id: 'other' }], { url: drive.url });
    await Promise.all([flow.run('about'), flow.run('other'), flow.run('about')]);
    should(refreshes()).equal(1);
  });

  it('shows nothing while it is signed in, and a red ring where nobody is', async () => {
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

  for (const [days, words] of [
    [7, 'testing'],
    [40, '40 days'],
  ] as const) {
    it(`says what a sign-in of ${days} days ago has ended of`, async () => {
      const since = new Date(Date.now() - days * 86_400_000).toISOString();
      const signIn = { since, of: tokenFingerprint({ refreshToken: REFRESH_TOKEN }) };
      drive.faults.add({ kind: 'oauthError', error: 'invalid_grant' });
      const flow = await load([ABOUT], {
        url: drive.url,
        credentials: { account: { ...CREDENTIALS, signIn } },
      });
      const { error } = await flow.run('about');
      should(error?.cause?.code).equal('sign_in_required');
      should(error?.message).containEql(words);
    });
  }

  for (const [what, account, code] of [
    ['no token address', { tokenUrl: '' }, 'not_configured'],
    ['an address without encryption', { baseUrl: 'http://drive.example.com' }, 'insecure_url'],
    ['a bad number', { maxTransfers: 0 }, 'not_configured'],
    ['an environment variable that is not set', { driveId: '${NOT_SET_ANYWHERE}' }, 'not_configured'],
  ] as const) {
    it(`with ${what} tells each message so, and sends nothing`, async () => {
      const flow = await load([ABOUT], { url: drive.url, account });
      for (const _message of [1, 2]) should((await flow.run('about')).error?.cause?.code).equal(code);
      should(flow.statuses('about')[0]?.text).endWith('not_configured');
      should(drive.requests.all).be.empty();
    });
  }

  it('takes its client from the environment, and leaves there what is there', async () => {
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

  it('saves a refresh token that the service has changed', async () => {
    const body = { access_token: 'new', refresh_token: 'rotated', expires_in: 3600 };
    drive.faults.add({ kind: 'response', body, match: { path: '/token' } });
    const flow = await load([ABOUT], { url: drive.url });
    await flow.run('about');
    const entry = helper.credentials.get('account') ?? {};
    should(entry['refreshToken']).equal('rotated');
    should(entry['clientSecret']).equal(CLIENT.secret);
  });

  it('does not overwrite tokens that came another way while it refreshed', async () => {
    const match = { path: '/token' };
    const [asked, answer] = [new EventEmitter(), new EventEmitter()];
    const until = (): Promise<unknown> => {
      setImmediate(() => asked.emit('now'));
      return once(answer, 'now');
    };
    drive.faults.add({ kind: 'delay', until, match });
    drive.faults.add({ kind: 'response', body: { access_token: 'late', refresh_token: 'late' }, match });
    const flow = await load([ABOUT], { url: drive.url });
    flow.send('about');
    await once(asked, 'now');
    const entry = helper.credentials.get('account') ?? {};
    entry['refreshToken'] = 'pasted';
    answer.emit('now');
    await flow.received('ended');
    should(helper.credentials.get('account')?.['refreshToken']).equal('pasted');
  });

  it('with a dead grant shows it at every node, ends each message, and asks no more', async () => {
    drive.faults.add({ kind: 'oauthError', error: 'invalid_grant', match: { path: '/token' } });
    const flow = await load([ABOUT, { ...ABOUT, id: 'other' }], { url: drive.url });
    should((await flow.run('about')).error?.cause?.code).equal('sign_in_required');
    await flow.status('other', ({ text }) => text?.endsWith('sign_in_required') ?? false);
    should((await flow.run('other')).error?.cause?.code).equal('sign_in_required');
    should(drive.requests.all).have.length(1);
  });

  it('uses an access token without a refresh token until it is refused', async () => {
    const credentials = { account: { accessToken: 'no-longer-good' } };
    const flow = await load([ABOUT], { url: drive.url, credentials });
    should(flow.statuses('about')).deepEqual([{}]);
    should((await flow.run('about')).error?.cause?.code).equal('sign_in_required');
    should(drive.requests.all.map(({ path }) => path)).deepEqual(['/drive/v3/about']);
    should((await flow.run('about')).error?.cause?.code).equal('sign_in_required');
    should(drive.requests.all).have.length(1);
  });

  it('in a subflow has one token source for all instances', async () => {
    const place = { x: 0, y: 0 };
    const flow = await load(
      [
        { id: 'sub', type: 'subflow', name: 's', in: [{ ...place, wires: [{ id: 'inner' }] }], out: [] },
        { id: 'shared', type: 'cloud-drive-account', z: 'sub', ...customAccount(drive.url) },
        { ...ABOUT, id: 'inner', z: 'sub', ...place, account: 'shared', wires: [[]] },
        { id: 'one', type: 'subflow:sub', z: 'tab', ...place, wires: [] },
        { id: 'two', type: 'subflow:sub', z: 'tab', ...place, wires: [] },
      ],
      { credentials: { shared: CREDENTIALS } },
    );
    flow.send('one');
    flow.send('two');
    for (const inner of ['one-inner', 'two-inner']) await flow.status(inner, ({ fill }) => fill === 'green');
    should(refreshes()).equal(1);
  });

  it('logs no secret', async () => {
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
    const told = [
      ...flow.logged(),
      JSON.stringify(flow.messages('ended')),
      JSON.stringify(flow.statuses('about')),
    ];
    for (const secret of [CLIENT.secret, REFRESH_TOKEN, 'ya29.'])
      should(told.join('\n')).not.containEql(secret);
  });
});
