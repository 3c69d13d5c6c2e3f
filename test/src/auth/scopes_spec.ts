/**
 * Scopes that were requested and not granted: RFC 6749 section 3.3.
 * https://developers.google.com/workspace/drive/api/guides/api-specific-auth
 */
import 'should';
import { isAppDataOnly, isProjectFilesOnly, missingScopes } from '../../../src/auth/scopes';

const BASE = 'https://www.googleapis.com/auth';

describe('missingScopes', () => {
  for (const [grant, requested, granted, missing] of [
    ['all requested scopes', 'a b', 'b a', []],
    ['no scope in the response', 'a', undefined, []],
    ['an empty scope in the response', 'a', ' ', []],
    ['another scope', 'a b', 'c', ['a', 'b']],
    ['fewer scopes', 'a  b\ta', 'b', ['a']],
    ['more scopes', 'a', 'a b', []],
    ['a scope although none was requested', '', 'a', []],
    ['long names for short OpenID scopes', 'openid email', `openid ${BASE}/userinfo.email`, []],
    ['short names for long OpenID scopes', `${BASE}/userinfo.profile`, 'profile', []],
    ['the entire drive for parts of it', `${BASE}/drive.file ${BASE}/drive.readonly`, `${BASE}/drive`, []],
    ['a part of the drive for the entire drive', `${BASE}/drive`, `${BASE}/drive.file`, [`${BASE}/drive`]],
    ['read access for metadata access', `${BASE}/drive.metadata.readonly`, `${BASE}/drive.readonly`, []],
    ['read access for write access', `${BASE}/drive.file`, `${BASE}/drive.readonly`, [`${BASE}/drive.file`]],
    [
      'the entire drive for the app data folder',
      `${BASE}/drive.appdata`,
      `${BASE}/drive`,
      [`${BASE}/drive.appdata`],
    ],
    [
      'the entire drive of another service',
      'https://a/drive.file',
      'https://b/drive',
      ['https://a/drive.file'],
    ],
    [
      'another scope than names of object members',
      'constructor x/toString',
      'a',
      ['constructor', 'x/toString'],
    ],
  ] as const) {
    it(`missingScopes returns ${missing.length === 0 ? 'nothing' : missing.join()} for ${grant}`, () =>
      missingScopes(requested, granted).should.deepEqual(missing));
  }
});

describe('isAppDataOnly', () => {
  for (const [scope, expected] of [
    [`${BASE}/drive.appdata`, true],
    [`openid  ${BASE}/drive.appdata ${BASE}/userinfo.email profile`, true],
    [`${BASE}/drive.appdata ${BASE}/drive.file`, false],
    ['openid', false],
    ['', false],
    ['drive.appdata', false],
  ] as const) {
    it(`isAppDataOnly returns ${expected} for “${scope}”`, () => {
      isAppDataOnly(scope).should.equal(expected);
    });
  }
});

describe('isProjectFilesOnly', () => {
  for (const [scope, expected] of [
    [`${BASE}/drive.file`, true],
    [`openid ${BASE}/drive.file ${BASE}/drive.appdata email`, true],
    [`${BASE}/drive.file ${BASE}/drive.metadata.readonly`, false],
    [`${BASE}/drive`, false],
    [`${BASE}/drive.appdata`, false],
    ['', false],
  ] as const) {
    it(`isProjectFilesOnly returns ${expected} for “${scope}”`, () => {
      isProjectFilesOnly(scope).should.equal(expected);
    });
  }
});
