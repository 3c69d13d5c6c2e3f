/** Errors for accounts that can't be used, which name the setting: docs/errors.md, `not_configured` and `insecure_url`. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { CREDENTIALS, customAccount } from '../../support/node-red/account';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, type LoadOptions, load, useNodeRed } from '../../support/node-red/load';
import { endings, failed } from '../../support/node-red/outcome';
import type { ErrorCode } from '../../../src/index';

/** Each flow node with a valid message. */
const NODES: [string, Record<string, unknown>][] = [
  ['about', {}],
  ['list-folders', { payload: 'x' }],
  ['search-files', { payload: 'x' }],
  ['download', { payload: 'x' }],
  ['delete', { payload: 'x' }],
  ['upload', { payload: 'x', filename: 'a.txt' }],
  ['create-folder', { payload: 'x' }],
];

const about: FlowNode = { id: 'n', type: 'cloud-drive-about' };

describe('nodes with an unusable account', () => {
  useNodeRed();
  const drive = useDrive();

  for (const [name, msg] of NODES) {
    it(`${name} fails with not_configured without an account`, async () => {
      const flow = await load([{ id: 'n', type: `cloud-drive-${name}`, account: '' }], { url: drive().url });
      const { _msgid } = (await flow.run('n', msg)).msg;
      should(failed(await flow.run('n', msg), 'not_configured', 'no account').cause).eql({
        code: 'not_configured',
        retryable: false,
      });
      endings(flow, _msgid).should.eql({ complete: 0, caught: 1 });
      drive().requests.all.should.be.empty();
    });

    it(`${name} fails with sign_in_required and without any request if nobody is signed in`, async () => {
      const { refreshToken: _, ...credentials } = CREDENTIALS;
      const flow = await load([{ id: 'n', type: `cloud-drive-${name}` }], {
        url: drive().url,
        account: { name: 'Family photos' },
        credentials: { account: credentials },
      });
      failed(await flow.run('n', msg), 'sign_in_required', 'Sign in', 'Account: Family photos.');
      drive().requests.all.should.be.empty();
    });
  }

  async function expectError(options: LoadOptions, code: ErrorCode, ...words: string[]): Promise<void> {
    const flow = await load([about], { url: drive().url, ...options });
    failed(await flow.run('n'), code, ...words);
    failed(await flow.run('n'), code);
    drive().requests.all.should.be.empty();
    const status = flow.statuses('n').at(0);
    should(status?.fill).equal('red');
    should(status?.shape).equal('ring');
  }

  it('about fails with not_configured if its account is missing or disabled', async () => {
    const flow = await load([{ ...about, account: 'gone' }]);
    failed(await flow.run('n'), 'not_configured', 'disabled');
  });

  it('about fails with not_configured if its account is another type of node', async () => {
    const flow = await load([
      { ...about, account: 'other' },
      { id: 'other', type: 'helper' },
    ]);
    failed(await flow.run('n'), 'not_configured');
  });

  it('about fails with not_configured without a client ID', () =>
    expectError(
      { credentials: { account: { ...CREDENTIALS, clientId: '' } } },
      'not_configured',
      'client ID',
    ));

  it('about fails with not_configured without credentials', () =>
    expectError({ credentials: { account: {} } }, 'not_configured', 'client ID'));

  for (const property of ['baseUrl', 'uploadUrl', 'tokenUrl', 'deviceUrl', 'authUrl', 'revokeUrl']) {
    it(`about fails with insecure_url if ${property} is an http URL of another host`, () =>
      expectError(
        { account: { [property]: 'http://drive.example/x' } },
        'insecure_url',
        property,
        'drive.example',
      ));
  }

  for (const property of ['baseUrl', 'tokenUrl']) {
    it(`about fails with not_configured without ${property}`, () =>
      expectError({ account: { [property]: '' } }, 'not_configured', property));
  }

  for (const property of ['baseUrl', 'scope', 'driveId']) {
    it(`about fails with not_configured if ${property} is an unset environment variable`, () =>
      expectError(
        { account: { [property]: '${CLOUD_DRIVE_UNSET}' } },
        'not_configured',
        'CLOUD_DRIVE_UNSET',
        property,
      ));
  }
  it('about fails with not_configured if a credential is an unset environment variable', () =>
    expectError(
      { credentials: { account: { ...CREDENTIALS, clientSecret: '${CLOUD_DRIVE_UNSET}' } } },
      'not_configured',
      'CLOUD_DRIVE_UNSET',
      'clientSecret',
    ));

  it('list-folders and create-folder fail with not_configured without a folder MIME type', async () => {
    for (const [name, msg] of NODES.filter(([each]) => ['list-folders', 'create-folder'].includes(each))) {
      const flow = await load(
        [
          { id: 'n', type: `cloud-drive-${name}`, account: 'mine' },
          { id: 'mine', type: 'cloud-drive-account', ...customAccount(drive().url), folderMimeType: '' },
        ],
        { credentials: { mine: CREDENTIALS } },
      );
      failed(await flow.run('n', msg), 'not_configured', 'folder MIME type');
      await helper.unload();
    }
    drive().requests.all.should.be.empty();
  });

  it('about shows in its status that the sign-in has ended', async () => {
    drive().faults.add({ kind: 'oauthError', error: 'invalid_grant', match: { path: '/token' } });
    const flow = await load([about], { url: drive().url });
    failed(await flow.run('n'), 'sign_in_required', 'has expired or was revoked');
    should(flow.statuses('n').at(-1)).containEql({ fill: 'red', shape: 'ring' });
  });
});
