/** The account's settings: the table of docs/nodes/account.md, and `${NAME}` from the environment. */
import should from 'should';
import { type AccountSettings, accountSettings } from '../../../nodes/account/settings/settings';
import type { DriveError } from '../../../src/index';

const CREDENTIALS = { clientId: 'id', clientSecret: 'secret', refreshToken: 'refresh' };
const CUSTOM = {
  service: 'custom',
  baseUrl: 'https://files.example.com/api/',
  tokenUrl: 'https://login.example.com/token/',
};

function settings(config: object = {}, credentials: object = CREDENTIALS): AccountSettings {
  return accountSettings({ ...config }, { ...credentials });
}

function refused(
  config: object,
  credentials: object = CREDENTIALS,
): Pick<DriveError, 'code' | 'text' | 'params'> {
  try {
    settings(config, credentials);
  } catch (error) {
    const { code, text, params } = error as DriveError;
    return { code, text, params };
  }
  throw new Error('taken');
}

describe('account settings', () => {
  it('are complete for an older flow that has none of the properties', () => {
    should(settings()).deepEqual({
      service: {
        kind: 'google',
        baseUrl: 'https://www.googleapis.com',
        uploadUrl: 'https://www.googleapis.com',
        folderMimeType: 'application/vnd.google-apps.folder',
        driveId: '',
      },
      urls: {
        tokenUrl: 'https://oauth2.googleapis.com/token',
        deviceUrl: 'https://oauth2.googleapis.com/device/code',
        authUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
        revokeUrl: 'https://oauth2.googleapis.com/revoke',
      },
      scope: 'https://www.googleapis.com/auth/drive.file',
      client: { clientId: 'id', clientSecret: 'secret', tokenUrl: 'https://oauth2.googleapis.com/token' },
      requestsPerSecond: 10,
      maxTransfers: 4,
      retryFor: 300_000,
      timeout: 30_000,
      bandwidth: 0,
    });
  });

  it('take an empty field for its default', () => {
    const names = [
      'service',
      'tokenUrl',
      'scope',
      'driveId',
      'requestsPerSecond',
      'maxTransfers',
      'retryFor',
    ];
    const empty = Object.fromEntries([...names, 'timeout', 'bandwidth'].map((name) => [name, '']));
    should(settings(empty)).deepEqual(settings());
  });

  it('take numbers as the editor saves them, as text', () => {
    const numbers = {
      requestsPerSecond: '2.5',
      maxTransfers: ' 7 ',
      retryFor: '0',
      timeout: '1',
      bandwidth: '512',
    };
    const taken = settings(numbers);
    should(taken.requestsPerSecond).equal(2.5);
    should(taken.maxTransfers).equal(7);
    should(taken.retryFor).equal(0);
    should(taken.timeout).equal(1_000);
    should(taken.bandwidth).equal(524_288);
  });

  it('use the token address of the record and the given scope and drive with the preset', () => {
    const given = {
      tokenUrl: 'https://login.example.com/t',
      scope: 'a b',
      driveId: 'shared',
      baseUrl: 'https://x.y',
    };
    const taken = settings(given);
    should(taken.urls.tokenUrl).equal('https://login.example.com/t');
    should(taken.client.tokenUrl).equal('https://login.example.com/t');
    should(taken.scope).equal('a b');
    should(taken.service.driveId).equal('shared');
    should(taken.service.baseUrl).equal('https://www.googleapis.com');
  });

  it('of a custom service keep path prefixes and drop the slash at the end of a root alone', () => {
    const taken = settings({ ...CUSTOM, folderMimeType: 'x/folder' });
    should(taken.service).deepEqual({
      kind: 'custom',
      baseUrl: 'https://files.example.com/api',
      uploadUrl: 'https://files.example.com/api',
      folderMimeType: 'x/folder',
      driveId: '',
    });
    should(taken.urls).deepEqual({
      tokenUrl: 'https://login.example.com/token/',
      deviceUrl: '',
      authUrl: '',
      revokeUrl: '',
    });
    should(taken.scope).equal('');
  });

  it('of a custom service take an upload address of its own', () => {
    const taken = settings({ ...CUSTOM, uploadUrl: 'https://up.example.com/v/' });
    should(taken.service.uploadUrl).equal('https://up.example.com/v');
  });

  it('need an address of files and of tokens for a custom service', () => {
    for (const property of ['baseUrl', 'tokenUrl']) {
      should(refused({ ...CUSTOM, [property]: ' ' })).deepEqual({
        code: 'not_configured',
        text: 'not_configured_missing',
        params: { property },
      });
    }
  });

  it('refuse a service that there is not', () => {
    should(refused({ service: 'dropbox' }).text).equal('not_configured_service');
  });

  const ADDRESSES = ['baseUrl', 'uploadUrl', 'tokenUrl', 'deviceUrl', 'authUrl', 'revokeUrl'];

  for (const property of ADDRESSES) {
    it(`refuse http for ${property} but to this machine`, () => {
      const given = (address: string): object => ({ ...CUSTOM, [property]: address });
      should(refused(given('http://drive.example.com/x'))).deepEqual({
        code: 'insecure_url',
        text: 'insecure_url',
        params: { property, host: 'drive.example.com' },
      });
      for (const host of ['127.0.0.1:3810', 'localhost', '[::1]:1', 'drive.localhost'])
        settings(given(`http://${host}/x`));
    });

    it(`refuse what is no address for ${property}`, () => {
      for (const address of [
        'example.com',
        'ftp://a.example',
        'https://',
        'https://u:p@a.example',
        'https://a.example/#x',
      ])
        should(refused({ ...CUSTOM, [property]: address })).deepEqual({
          code: 'not_configured',
          text: 'not_configured_address',
          params: { property },
        });
    });
  }

  for (const [given, instead] of [
    ['https://www.googleapis.com/drive/v3', 'https://www.googleapis.com'],
    ['https://www.googleapis.com/drive/v3/', 'https://www.googleapis.com'],
    ['https://www.googleapis.com/upload/drive/v3', 'https://www.googleapis.com'],
    ['https://drive.example/api/drive/v3/files', 'https://drive.example/api'],
    ['https://drive.example/upload/drive/v2/files/', 'https://drive.example'],
  ] as const) {
    it(`say of a root what ${given} has too many`, () => {
      for (const property of ['baseUrl', 'uploadUrl'])
        should(refused({ ...CUSTOM, [property]: given })).deepEqual({
          code: 'not_configured',
          text: 'not_configured_address_path',
          params: { property, instead },
        });
      settings({ ...CUSTOM, tokenUrl: given });
    });
  }

  it('take a root whose path only looks like that', () => {
    for (const path of ['drive', 'drive/v3x', 'mydrive/v3', 'drive/v3/proxy', 'upload'])
      should(settings({ ...CUSTOM, baseUrl: `https://a.example/${path}` }).service.baseUrl).equal(
        `https://a.example/${path}`,
      );
  });

  it('refuse a query in a root, to which paths are added', () => {
    should(refused({ ...CUSTOM, baseUrl: 'https://a.example/?key=1' }).params).deepEqual({
      property: 'baseUrl',
    });
    settings({ ...CUSTOM, tokenUrl: 'https://a.example/token?tenant=1' });
  });

  const BAD_NUMBERS: Record<string, unknown[]> = {
    requestsPerSecond: [0, -1, '0', 'fast', NaN, Infinity, true, {}],
    maxTransfers: [0, '0.5', 1.5, -4, 'all'],
    retryFor: [-1, '-0.1', 'long', 1e9],
    timeout: [0, -30, '', 'x', 1e9].filter((value) => value !== ''),
    bandwidth: [-1, 'wide'],
  };

  for (const [property, values] of Object.entries(BAD_NUMBERS)) {
    it(`refuse ${property} out of its range`, () => {
      for (const value of values)
        should(refused({ [property]: value })).deepEqual({
          code: 'not_configured',
          text: 'not_configured_number',
          params: { property },
        });
    });
  }

  it('name the environment variable that is not set', () => {
    const properties = [...ADDRESSES, 'service', 'scope', 'driveId', 'folderMimeType'];
    for (const property of properties)
      should(refused({ ...CUSTOM, [property]: '${DRIVE_VALUE}' })).deepEqual({
        code: 'not_configured',
        text: 'not_configured_env',
        params: { property, name: 'DRIVE_VALUE' },
      });
    for (const property of ['clientId', 'clientSecret', 'refreshToken', 'accessToken'])
      should(refused({}, { ...CREDENTIALS, [property]: '${DRIVE_VALUE}' }).params).deepEqual({
        property,
        name: 'DRIVE_VALUE',
      });
  });

  it('take a text that only holds a reference as it is', () => {
    should(settings({ driveId: 'a${B}' }).service.driveId).equal('a${B}');
  });

  it('need a client id, and with the preset a client secret', () => {
    should(refused({}, { clientSecret: 's' }).text).equal('not_configured_client_id');
    should(refused({}, { clientId: ' ', accessToken: 'a', refreshToken: 'r' }).text).equal(
      'not_configured_client_id',
    );
    should(refused({}, { clientId: 'id' }).text).equal('not_configured_client_secret');
    should(settings(CUSTOM, { clientId: 'id' }).client.clientSecret).equal('');
  });

  it('need no client for an access token that is used until it is refused', () => {
    should(settings({}, { accessToken: 'a' }).client.clientId).equal('');
  });
});
