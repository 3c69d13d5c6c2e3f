/** Where the key of a service account is read from, and which files are refused: docs/service-accounts.md. */
import { chmod, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { isReadableByOthers, readSecretFile } from '../../../nodes/account/settings/service-account';
import { AccountValues } from '../../../nodes/account/settings/settings';
import { accountSettings } from '../../support/node-red/account';

describe('settings of a service account', () => {
  let folder: string;
  let ambient: string | undefined;

  before(async () => {
    ambient = process.env['GOOGLE_APPLICATION_CREDENTIALS'];
    delete process.env['GOOGLE_APPLICATION_CREDENTIALS'];
    folder = await mkdtemp(path.join(tmpdir(), 'key-'));
  });
  after(async () => {
    if (ambient !== undefined) process.env['GOOGLE_APPLICATION_CREDENTIALS'] = ambient;
    await rm(folder, { recursive: true });
  });

  it('an account signs in as a user unless it names a service account, and in no other way', () => {
    for (const [auth, expected] of [
      [undefined, false],
      ['user', false],
      ['service-account', true],
    ])
      should(new AccountValues({ config: { auth }, credentials: {} }).usesServiceAccount).equal(expected);
    should(() => accountSettings({ auth: 'robot' }, {})).throw({
      code: 'not_configured',
      text: 'not_configured_auth',
    });
  });

  it('an account without a key is not configured', () => {
    should(() => accountSettings({ auth: 'service-account' }, {})).throw({
      text: 'not_configured_key_missing',
    });
  });

  it('a key file that is too large is not read', async () => {
    const file = path.join(folder, 'large.json');
    await writeFile(file, '{}');
    await truncate(file, 64 * 1024);
    should(readSecretFile(file)).startWith('{}');
    await truncate(file, 64 * 1024 + 1);
    should(() => readSecretFile(file)).throw({
      text: 'not_configured_key_file',
      params: { file, reason: 'EFBIG' },
    });
  });

  it('an error names a path that cannot be read, but no other text, which may be a secret', () => {
    for (const file of ['/nowhere/key.json', './nowhere', 'C:\\nowhere', 'nowhere.json'])
      should(() => readSecretFile(file)).throw({
        text: 'not_configured_key_file',
        params: { file, reason: 'ENOENT' },
      });
    for (const text of ['c2VjcmV0', '/a\nb', `${'x'.repeat(201)}.json`])
      should(() => readSecretFile(text)).throw({ text: 'not_configured_key_no_json', params: {} });
  });

  it('a key file is readable by others only if it exists and its mode allows that', async () => {
    const file = path.join(folder, 'mode.json');
    should(isReadableByOthers(file)).equal(false);
    await writeFile(file, '{}');
    for (const [mode, isReadable] of [
      [0o600, false],
      [0o640, false],
      [0o644, true],
    ] as const) {
      await chmod(file, mode);
      should(isReadableByOthers(file)).equal(isReadable && process.platform !== 'win32');
    }
  });
});
