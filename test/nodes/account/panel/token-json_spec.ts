/** The token JSON that a user pastes into the account's dialog. */
import 'should';
import { parseTokenJson } from '../../../../nodes/account/panel/pasted-json';

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
