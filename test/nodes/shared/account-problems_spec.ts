/** A node whose account can't be used says which setting it is: docs/errors.md, `not_configured` and `insecure_url`. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { CREDENTIALS, customAccount } from '../../support/node-red/account';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, type LoadOptions, load, useNodeRed } from '../../support/node-red/load';
import { endings, failed } from '../../support/node-red/outcome';
import type { ErrorCode } from '../../../src/index';

/** Each flow node with a message that would go well. */
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

describe('accounts that can not be used', () => {
  useNodeRed();
  const drive = useDrive();

  for (const [name, msg] of NODES) {
    it(`${name} without an account is not_configured`, async () => {
      const flow = await load([{ id: 'n', type: `cloud-drive-${name}`, account: '' }], { url: drive().url });
      const { _msgid } = (await flow.run('n', msg)).msg;
      should(failed(await flow.run('n', msg), 'not_configured', 'no account').cause).eql({
        code: 'not_configured',
        retryable: false,
      });
      endings(flow, _msgid).should.eql({ complete: 0, caught: 1 });
      drive().requests.all.should.be.empty();
    });

    it(`${name} with nobody signed in is sign_in_required, and sends nothing`, async () => {
      const { refreshToken: _, ...credentials } = CREDENTIALS;
      const flow = await load([{ id: 'n', type: `cloud-drive-${name}` }], {
        url: drive().url,
        credentials: { account: credentials },
      });
      failed(await flow.run('n', msg), 'sign_in_required', 'Sign in');
      drive().requests.all.should.be.empty();
    });
  }

  async function refuses(options: LoadOptions, code: ErrorCode, ...words: string[]): Promise<void> {
    const flow = await load([about], { url: drive().url, ...options });
    failed(await flow.run('n'), code, ...words);
    failed(await flow.run('n'), code);
    drive().requests.all.should.be.empty();
    const shown = flow.statuses('n').at(0);
    should(shown?.fill).equal('red');
    should(shown?.shape).equal('ring');
  }

  it('an account that is gone or disabled is no account', async () => {
    const flow = await load([{ ...about, account: 'gone' }]);
    failed(await flow.run('n'), 'not_configured', 'disabled');
  });

  it('an account of another kind is no account', async () => {
    const flow = await load([
      { ...about, account: 'other' },
      { id: 'other', type: 'helper' },
    ]);
    failed(await flow.run('n'), 'not_configured');
  });

  it('no client id', () =>
    refuses({ credentials: { account: { ...CREDENTIALS, clientId: '' } } }, 'not_configured', 'client ID'));

  it('no credentials at all', () => refuses({ credentials: { account: {} } }, 'not_configured', 'client ID'));

  for (const property of ['baseUrl', 'uploadUrl', 'tokenUrl', 'deviceUrl', 'authUrl', 'revokeUrl']) {
    it(`http:// to another host as ${property}`, () =>
      refuses(
        { account: { [property]: 'http://drive.example/x' } },
        'insecure_url',
        property,
        'drive.example',
      ));
  }

  for (const property of ['baseUrl', 'tokenUrl']) {
    it(`no ${property}`, () => refuses({ account: { [property]: '' } }, 'not_configured', property));
  }

  for (const property of ['baseUrl', 'scope', 'driveId']) {
    it(`an unset \${ENV} as ${property}`, () =>
      refuses(
        { account: { [property]: '${CLOUD_DRIVE_UNSET}' } },
        'not_configured',
        'CLOUD_DRIVE_UNSET',
        property,
      ));
  }
  it('an unset ${ENV} as a credential', () =>
    refuses(
      { credentials: { account: { ...CREDENTIALS, clientSecret: '${CLOUD_DRIVE_UNSET}' } } },
      'not_configured',
      'CLOUD_DRIVE_UNSET',
      'clientSecret',
    ));

  it('no folder type where folders are asked for', async () => {
    for (const [name, msg] of NODES.filter(([each]) => ['list-folders', 'create-folder'].includes(each))) {
      const flow = await load(
        [
          { id: 'n', type: `cloud-drive-${name}`, account: 'mine' },
          { id: 'mine', type: 'cloud-drive-account', ...customAccount(drive().url), folderMimeType: '' },
        ],
        { credentials: { mine: CREDENTIALS } },
      );
      failed(await flow.run('n', msg), 'not_configured', 'Folder type');
      await helper.unload();
    }
    drive().requests.all.should.be.empty();
  });

  it('a sign-in that has ended shows in the status', async () => {
    drive().faults.add({ kind: 'oauthError', error: 'invalid_grant', match: { path: '/token' } });
    const flow = await load([about], { url: drive().url });
    failed(await flow.run('n'), 'sign_in_required', 'ended');
    should(flow.statuses('n').at(-1)).containEql({ fill: 'red', shape: 'ring' });
  });
});
