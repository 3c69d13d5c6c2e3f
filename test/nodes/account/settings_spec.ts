/** Account settings and `${NAME}` references to environment variables. docs/nodes/account.md */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { AccountSettings } from '../../../nodes/account/settings/settings';
import type { DriveError } from '../../../src/index';
import { accountSettings } from '../../support/node-red/account';

const CREDENTIALS = { clientId: 'id', clientSecret: 'secret', refreshToken: 'refresh' };
const CUSTOM = {
  service: 'custom',
  baseUrl: 'https://files.example.com/api/',
  tokenUrl: 'https://login.example.com/token/',
};

function settings(config: object = {}, credentials: object = CREDENTIALS): AccountSettings {
  return accountSettings(config, credentials);
}

function errorFor(
  config: object,
  credentials: object = CREDENTIALS,
): Pick<DriveError, 'code' | 'text' | 'params'> {
  try {
    settings(config, credentials);
  } catch (error) {
    const { code, text, params } = error as DriveError;
    return { code, text, params };
  }
  throw new Error('the settings are valid');
}

const URL_OF_SERVICE = 'https://drive.example';

describe('the settings of an account', () => {
  it('the settings of an older flow without the properties have defaults', () => {
    should(settings()).deepEqual({
      service: {
        can: CAPABILITIES.google,
        baseUrl: 'https://www.googleapis.com',
        uploadUrl: 'https://www.googleapis.com',
        folderMimeType: 'application/vnd.google-apps.folder',
        driveId: '',
      },
      urls: {
        baseUrl: 'https://www.googleapis.com',
        uploadUrl: 'https://www.googleapis.com',
        tokenUrl: 'https://oauth2.googleapis.com/token',
        deviceUrl: 'https://oauth2.googleapis.com/device/code',
        authUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
        revokeUrl: 'https://oauth2.googleapis.com/revoke',
      },
      scope: 'https://www.googleapis.com/auth/drive.file',
      seesProjectOnly: true,
      client: { clientId: 'id', clientSecret: 'secret', tokenUrl: 'https://oauth2.googleapis.com/token' },
      requestsPerSecond: 10,
      maxTransfers: 4,
      retryFor: 300_000,
      timeout: 30_000,
      bandwidth: 0,
    });
  });

  it('only a user’s account at Google with access to the files of its project sees no others', () => {
    const full = 'https://www.googleapis.com/auth/drive';
    should(settings({ scope: full }).seesProjectOnly).be.false();
    should(
      settings({ service: 'custom', baseUrl: URL_OF_SERVICE, tokenUrl: URL_OF_SERVICE }).seesProjectOnly,
    ).be.false();
  });

  it('the settings use the default for an empty field', () => {
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

  it('the settings accept numbers as strings, as the editor saves them', () => {
    const numbers = {
      requestsPerSecond: '2.5',
      maxTransfers: ' 7 ',
      retryFor: '0',
      timeout: '1',
      bandwidth: '512',
    };
    const parsed = settings(numbers);
    should(parsed.requestsPerSecond).equal(2.5);
    should(parsed.maxTransfers).equal(7);
    should(parsed.retryFor).equal(0);
    should(parsed.timeout).equal(1_000);
    should(parsed.bandwidth).equal(524_288);
  });

  it('the settings of the preset use the token URL of the client JSON, and the given scope and drive', () => {
    const given = {
      tokenUrl: 'https://login.example.com/t',
      scope: 'a b',
      driveId: 'shared',
      baseUrl: 'https://x.y',
    };
    const parsed = settings(given);
    should(parsed.urls.tokenUrl).equal('https://login.example.com/t');
    should(parsed.client.tokenUrl).equal('https://login.example.com/t');
    should(parsed.scope).equal('a b');
    should(parsed.service.driveId).equal('shared');
    should(parsed.service.baseUrl).equal('https://www.googleapis.com');
  });

  it('the settings of a custom service keep path prefixes, and remove a trailing slash from base URLs only', () => {
    const parsed = settings({ ...CUSTOM, folderMimeType: 'x/folder' });
    should(parsed.service).deepEqual({
      can: CAPABILITIES.custom,
      baseUrl: 'https://files.example.com/api',
      uploadUrl: 'https://files.example.com/api',
      folderMimeType: 'x/folder',
      driveId: '',
    });
    should(parsed.urls).deepEqual({
      baseUrl: 'https://files.example.com/api',
      uploadUrl: 'https://files.example.com/api',
      tokenUrl: 'https://login.example.com/token/',
      deviceUrl: '',
      authUrl: '',
      revokeUrl: '',
    });
    should(parsed.scope).equal('');
  });

  it('the settings of a custom service accept a separate upload URL', () => {
    const parsed = settings({ ...CUSTOM, uploadUrl: 'https://up.example.com/v/' });
    should(parsed.service.uploadUrl).equal('https://up.example.com/v');
  });

  it('the settings of a custom service need a base URL and a token URL', () => {
    for (const property of ['baseUrl', 'tokenUrl']) {
      should(errorFor({ ...CUSTOM, [property]: ' ' })).deepEqual({
        code: 'not_configured',
        text: 'not_configured_missing',
        params: { property },
      });
    }
  });

  it('the settings reject an unknown service', () => {
    should(errorFor({ service: 'dropbox' }).text).equal('not_configured_service');
  });

  const URL_PROPERTIES = ['baseUrl', 'uploadUrl', 'tokenUrl', 'deviceUrl', 'authUrl', 'revokeUrl'];

  for (const property of URL_PROPERTIES) {
    it(`the settings reject http for ${property} except on this machine`, () => {
      const given = (url: string): object => ({ ...CUSTOM, [property]: url });
      should(errorFor(given('http://drive.example.com/x'))).deepEqual({
        code: 'insecure_url',
        text: 'insecure_url',
        params: { property, host: 'drive.example.com' },
      });
      for (const host of ['127.0.0.1:3810', 'localhost', '[::1]:1', 'drive.localhost'])
        settings(given(`http://${host}/x`));
    });

    it(`the settings reject an invalid URL for ${property}`, () => {
      for (const url of [
        'example.com',
        'ftp://a.example',
        'https://',
        'https://u:p@a.example',
        'https://a.example/#x',
      ])
        should(errorFor({ ...CUSTOM, [property]: url })).deepEqual({
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
    it(`the settings name the part to remove from the base URL ${given}`, () => {
      for (const property of ['baseUrl', 'uploadUrl'])
        should(errorFor({ ...CUSTOM, [property]: given })).deepEqual({
          code: 'not_configured',
          text: 'not_configured_address_path',
          params: { property, instead },
        });
      settings({ ...CUSTOM, tokenUrl: given });
    });
  }

  it('the settings accept a base URL whose path only resembles an API path', () => {
    for (const path of ['drive', 'drive/v3x', 'mydrive/v3', 'drive/v3/proxy', 'upload'])
      should(settings({ ...CUSTOM, baseUrl: `https://a.example/${path}` }).service.baseUrl).equal(
        `https://a.example/${path}`,
      );
  });

  it('the settings reject a query in a base URL, to which paths are appended', () => {
    should(errorFor({ ...CUSTOM, baseUrl: 'https://a.example/?key=1' }).params).deepEqual({
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
    it(`the settings reject ${property} out of its range`, () => {
      for (const value of values)
        should(errorFor({ [property]: value })).deepEqual({
          code: 'not_configured',
          text: 'not_configured_number',
          params: { property },
        });
    });
  }

  it('the settings name an environment variable that is not set', () => {
    const properties = [...URL_PROPERTIES, 'service', 'scope', 'driveId', 'folderMimeType'];
    for (const property of properties)
      should(errorFor({ ...CUSTOM, [property]: '${DRIVE_VALUE}' })).deepEqual({
        code: 'not_configured',
        text: 'not_configured_env',
        params: { property, name: 'DRIVE_VALUE' },
      });
    for (const property of ['clientId', 'clientSecret', 'refreshToken', 'accessToken'])
      should(errorFor({}, { ...CREDENTIALS, [property]: '${DRIVE_VALUE}' }).params).deepEqual({
        property,
        name: 'DRIVE_VALUE',
      });
  });

  it('the settings ignore a line break after a credential, and refuse other control characters', () => {
    const { client } = settings({}, { clientId: 'id\n', clientSecret: 'secret\r\n' });
    should(client).match({ clientId: 'id', clientSecret: 'secret' });
    for (const property of ['clientId', 'clientSecret', 'accessToken'])
      should(errorFor({}, { ...CREDENTIALS, [property]: 'two\nlines' })).deepEqual({
        code: 'not_configured',
        text: 'not_configured_control',
        params: { property },
      });
  });

  it('the settings do not replace a reference within a longer text', () => {
    should(settings({ driveId: 'a${B}' }).service.driveId).equal('a${B}');
  });

  it('the settings need a client id, and with the preset a client secret', () => {
    should(errorFor({}, { clientSecret: 's' }).text).equal('not_configured_client_id');
    should(errorFor({}, { clientId: ' ', accessToken: 'a', refreshToken: 'r' }).text).equal(
      'not_configured_client_id',
    );
    should(errorFor({}, { clientId: 'id' }).text).equal('not_configured_client_secret');
    should(settings(CUSTOM, { clientId: 'id' }).client.clientSecret).equal('');
  });

  it('the settings need no client for an access token without a refresh token', () => {
    should(settings({}, { accessToken: 'a' }).client.clientId).equal('');
  });
});
