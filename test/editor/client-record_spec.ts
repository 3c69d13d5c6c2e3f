/** The client credentials record, as it is pasted into the account's dialog. */
import 'should';
import { readClientRecord } from '../../nodes/shared/editor/client-json';

const CLIENT = { client_id: 'id-1', client_secret: 'secret-1', token_uri: 'https://auth.example/token' };
const record = (client: object, kind = 'installed'): string => JSON.stringify({ [kind]: client });
const TAKEN = {
  clientId: 'id-1',
  clientSecret: 'secret-1',
  tokenUrl: 'https://auth.example/token',
  authUrl: '',
};

describe('client credentials record', () => {
  it('is read from installed and from web', () => {
    readClientRecord(record(CLIENT)).should.eql(TAKEN);
    readClientRecord(record(CLIENT, 'web')).should.eql({ ...TAKEN, way: 'browser' });
  });

  it('tells how its client signs in, where that can be known', () => {
    const recordWith = (redirect_uris: unknown) => readClientRecord(record({ ...CLIENT, redirect_uris }));
    recordWith(['http://localhost']).should.eql({ ...TAKEN, way: 'paste' });
    for (const none of [undefined, [], 'http://localhost', ['urn:ietf:wg:oauth:2.0:oob']])
      recordWith(none).should.eql(TAKEN);
  });

  it('may have a byte order mark, blanks and members that nobody knows', () => {
    const more = record({
      ...CLIENT,
      client_id: ' id-1 ',
      project_id: 'p',
      auth_uri: 'https://auth.example',
    });
    readClientRecord(`\uFEFF\n${more}\n`).should.eql({ ...TAKEN, authUrl: 'https://auth.example' });
  });

  it('may lack the token address', () => {
    const { token_uri: _left, ...client } = CLIENT;
    readClientRecord(record(client)).should.eql({ ...TAKEN, tokenUrl: '' });
  });

  it('names the sign-in page, where that is an address to send people to', () => {
    const page = 'https://auth.example/sign-in?prompt=consent';
    readClientRecord(record({ ...CLIENT, auth_uri: page })).should.eql({ ...TAKEN, authUrl: page });
    for (const auth_uri of [5, '', 'auth.example', 'http://auth.example/', 'javascript:alert(1)'])
      readClientRecord(record({ ...CLIENT, auth_uri })).should.eql(TAKEN);
  });

  it('may name this machine over http', () => {
    for (const token_uri of [
      'http://127.0.0.1:1880/token',
      'http://localhost/token',
      'http://[::1]:99/token',
    ]) {
      readClientRecord(record({ ...CLIENT, token_uri })).should.eql({ ...TAKEN, tokenUrl: token_uri });
    }
  });

  const problems: [string, string, string][] = [
    ['half a file', '{"installed":', 'no_json'],
    ['an array', '[]', 'no_json'],
    ['a word', 'secret', 'no_json'],
    ['neither installed nor web', JSON.stringify({ type: 'service_account' }), 'no_client'],
    ['installed that is no object', JSON.stringify({ installed: 'x' }), 'no_client'],
    ['no client_id', record({ ...CLIENT, client_id: undefined }), 'no_client_id'],
    ['a client_id that is a number', record({ ...CLIENT, client_id: 5 }), 'no_client_id'],
    ['an empty client_secret', record({ ...CLIENT, client_secret: '  ' }), 'no_client_secret'],
    ['a token_uri that is a number', record({ ...CLIENT, token_uri: 5 }), 'bad_token_uri'],
    ['a token_uri that is no address', record({ ...CLIENT, token_uri: 'auth.example' }), 'bad_token_uri'],
    [
      'a token_uri with a password',
      record({ ...CLIENT, token_uri: 'https://a:b@c.example' }),
      'bad_token_uri',
    ],
    ['a token_uri of another kind', record({ ...CLIENT, token_uri: 'javascript:alert(1)' }), 'bad_token_uri'],
    [
      'an insecure token_uri',
      record({ ...CLIENT, token_uri: 'http://auth.example/token' }),
      'insecure_token_uri',
    ],
    [
      'a host that only begins like this machine',
      record({ ...CLIENT, token_uri: 'http://localhost.example/token' }),
      'insecure_token_uri',
    ],
  ];
  for (const [what, text, problem] of problems) {
    it(`refuses ${what}`, () => {
      readClientRecord(text).should.equal(problem);
    });
  }
});
