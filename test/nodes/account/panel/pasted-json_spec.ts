/** The client JSON and the token JSON that a user pastes into the account's dialog. */
import 'should';
import { parseClientJson, parseTokenJson } from '../../../../nodes/account/panel/pasted-json';

const CLIENT = { client_id: 'id-1', client_secret: 'secret-1', token_uri: 'https://auth.example/token' };
const clientJson = (client: object, kind = 'installed'): string => JSON.stringify({ [kind]: client });
const PARSED = {
  clientId: 'id-1',
  clientSecret: 'secret-1',
  tokenUrl: 'https://auth.example/token',
  authUrl: '',
  settings: {},
  signInMethod: undefined,
};

describe('parseClientJson', () => {
  it('reads a client below “installed” and below “web”', () => {
    parseClientJson(clientJson(CLIENT)).should.eql(PARSED);
    parseClientJson(clientJson(CLIENT, 'web')).should.eql({ ...PARSED, signInMethod: 'browser' });
  });

  it('derives the sign-in method from the type of the client', () => {
    const parseWith = (redirect_uris: unknown) => parseClientJson(clientJson({ ...CLIENT, redirect_uris }));
    parseWith(['http://localhost']).should.eql({ ...PARSED, signInMethod: 'paste' });
    for (const none of [undefined, [], 'http://localhost', ['urn:ietf:wg:oauth:2.0:oob']])
      parseWith(none).should.eql(PARSED);
  });

  it('ignores a byte order mark, spaces and unknown properties', () => {
    const more = clientJson({
      ...CLIENT,
      client_id: ' id-1 ',
      project_id: 'p',
      auth_uri: 'https://auth.example',
    });
    parseClientJson(`\uFEFF\n${more}\n`).should.eql({ ...PARSED, authUrl: 'https://auth.example' });
  });

  it('accepts a client JSON without a token URI', () => {
    const { token_uri: _removed, ...client } = CLIENT;
    parseClientJson(clientJson(client)).should.eql({ ...PARSED, tokenUrl: '' });
  });

  it('returns the authorization URL only if it is a secure URL', () => {
    const authUrl = 'https://auth.example/sign-in?prompt=consent';
    parseClientJson(clientJson({ ...CLIENT, auth_uri: authUrl })).should.eql({ ...PARSED, authUrl });
    for (const auth_uri of [5, '', 'auth.example', 'http://auth.example/', 'javascript:alert(1)'])
      parseClientJson(clientJson({ ...CLIENT, auth_uri })).should.eql(PARSED);
  });

  it('accepts an http token URI on this machine', () => {
    for (const token_uri of [
      'http://127.0.0.1:1880/token',
      'http://localhost/token',
      'http://[::1]:99/token',
    ]) {
      parseClientJson(clientJson({ ...CLIENT, token_uri })).should.eql({ ...PARSED, tokenUrl: token_uri });
    }
  });

  const problems: [string, string, string][] = [
    ['an incomplete file', '{"installed":', 'no_json'],
    ['an array', '[]', 'no_json'],
    ['a plain word', 'secret', 'no_json'],
    ['JSON with neither “installed” nor “web”', JSON.stringify({ type: 'service_account' }), 'no_client'],
    ['an “installed” that isn’t an object', JSON.stringify({ installed: 'x' }), 'no_client'],
    ['a missing client_id', clientJson({ ...CLIENT, client_id: undefined }), 'no_client_id'],
    ['a client_id that is a number', clientJson({ ...CLIENT, client_id: 5 }), 'no_client_id'],
    ['an empty client_secret', clientJson({ ...CLIENT, client_secret: '  ' }), 'no_client_secret'],
    ['a token_uri that is a number', clientJson({ ...CLIENT, token_uri: 5 }), 'bad_token_uri'],
    ['a token_uri that isn’t a URL', clientJson({ ...CLIENT, token_uri: 'auth.example' }), 'bad_token_uri'],
    [
      'a token_uri with a password',
      clientJson({ ...CLIENT, token_uri: 'https://a:b@c.example' }),
      'bad_token_uri',
    ],
    [
      'a token_uri with another scheme',
      clientJson({ ...CLIENT, token_uri: 'javascript:alert(1)' }),
      'bad_token_uri',
    ],
    [
      'an http token_uri on another machine',
      clientJson({ ...CLIENT, token_uri: 'http://auth.example/token' }),
      'insecure_token_uri',
    ],
    [
      'a token_uri whose host only starts with “localhost”',
      clientJson({ ...CLIENT, token_uri: 'http://localhost.example/token' }),
      'insecure_token_uri',
    ],
  ];
  for (const [description, text, problem] of problems) {
    it(`rejects ${description} with ${problem}`, () => {
      parseClientJson(text).should.equal(problem);
    });
  }
});

const NOW = Date.parse('2026-01-01T12:00:00Z');
const parse = (text: string) => parseTokenJson(text, NOW);
const BOTH = { refreshToken: 'r-1', accessToken: 'a-1' };

describe('parseTokenJson', () => {
  it('reads a token response', () => {
    parse(JSON.stringify({ access_token: 'a-1', refresh_token: 'r-1', expires_in: 3599 })).should.eql(BOTH);
  });

  it('reads a token from rclone’s configuration', () => {
    const json =
      '{"access_token":"a-1","token_type":"Bearer","refresh_token":"r-1","expiry":"2026-01-01T13:00:00Z"}';
    parse(json).should.eql(BOTH);
    parse(`token = ${json}`).should.eql(BOTH);
    parse(`[backup]\ntype = drive\nscope = drive\ntoken = ${json}\nteam_drive =\n`).should.eql(BOTH);
  });

  it('omits an expired access token if there is a refresh token', () => {
    const expired = { access_token: 'a-1', refresh_token: 'r-1', expiry: '2026-01-01T11:00:00.123+00:00' };
    parse(JSON.stringify(expired)).should.eql({ refreshToken: 'r-1', accessToken: '' });
    parse(JSON.stringify({ ...expired, refresh_token: '' })).should.eql({
      refreshToken: '',
      accessToken: 'a-1',
    });
  });

  it('accepts a single token', () => {
    parse('{"access_token":"a-1"}').should.eql({ refreshToken: '', accessToken: 'a-1' });
    parse('{"refresh_token":"r-1"}').should.eql({ refreshToken: 'r-1', accessToken: '' });
  });

  it('rejects a text that isn’t a token JSON, and reports the error code of an error response', () => {
    parse('r-1').should.equal('no_json');
    parse('token = nothing').should.equal('no_json');
    parse('["a-1"]').should.equal('no_json');
    parse('{"token_type":"Bearer"}').should.equal('no_token');
    parse('{"access_token":5}').should.equal('no_token');
    parse('{"error":"access_denied"}').should.eql({ error: 'access_denied' });
  });
});
