/**
 * Scopes that were asked for and not granted: RFC 6749 section 3.3.
 * https://developers.google.com/workspace/drive/api/guides/api-specific-auth
 */
import 'should';
import { isAppDataOnly, missingScopes } from '../../../src/auth/scopes';

const BASE = 'https://www.googleapis.com/auth';

describe('missing scopes', () => {
  for (const [what, asked, granted, missing] of [
    ['all of them', 'a b', 'b a', []],
    ['an answer that says nothing', 'a', undefined, []],
    ['an answer without a word', 'a', ' ', []],
    ['something else', 'a b', 'c', ['a', 'b']],
    ['fewer', 'a  b\ta', 'b', ['a']],
    ['more', 'a', 'a b', []],
    ['nothing that was asked for', '', 'a', []],
    ['short names of OpenID as long ones', 'openid email', `openid ${BASE}/userinfo.email`, []],
    ['long names as short ones', `${BASE}/userinfo.profile`, 'profile', []],
    ['the whole drive for its parts', `${BASE}/drive.file ${BASE}/drive.readonly`, `${BASE}/drive`, []],
    ['a part for the whole drive', `${BASE}/drive`, `${BASE}/drive.file`, [`${BASE}/drive`]],
    ['reading for reading metadata', `${BASE}/drive.metadata.readonly`, `${BASE}/drive.readonly`, []],
    ['reading for writing', `${BASE}/drive.file`, `${BASE}/drive.readonly`, [`${BASE}/drive.file`]],
    ['the drive for the hidden folder', `${BASE}/drive.appdata`, `${BASE}/drive`, [`${BASE}/drive.appdata`]],
    ['the drive of another service', 'https://a/drive.file', 'https://b/drive', ['https://a/drive.file']],
    ['names that every object has', 'constructor x/toString', 'a', ['constructor', 'x/toString']],
  ] as const) {
    it(`${what}: ${missing.length === 0 ? 'none' : missing.join()}`, () =>
      missingScopes(asked, granted).should.deepEqual(missing));
  }
});

describe('scopes for the hidden folder alone', () => {
  for (const [scope, expected] of [
    [`${BASE}/drive.appdata`, true],
    [`openid  ${BASE}/drive.appdata ${BASE}/userinfo.email profile`, true],
    [`${BASE}/drive.appdata ${BASE}/drive.file`, false],
    ['openid', false],
    ['', false],
    ['drive.appdata', false],
  ] as const) {
    it(`are ${expected ? '' : 'not '}“${scope}”`, () => {
      isAppDataOnly(scope).should.equal(expected);
    });
  }
});
