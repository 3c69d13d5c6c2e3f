/** A token record, as it is pasted under "I already have a token". */
import 'should';
import { readTokenRecord } from '../../nodes/shared/editor/token-json';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const read = (text: string) => readTokenRecord(text, NOW);
const BOTH = { refreshToken: 'r-1', accessToken: 'a-1' };

describe('token record', () => {
  it('is read as a service answers it', () => {
    read(JSON.stringify({ access_token: 'a-1', refresh_token: 'r-1', expires_in: 3599 })).should.eql(BOTH);
  });

  it('is read as rclone keeps it', () => {
    const json =
      '{"access_token":"a-1","token_type":"Bearer","refresh_token":"r-1","expiry":"2026-01-01T13:00:00Z"}';
    read(json).should.eql(BOTH);
    read(`token = ${json}`).should.eql(BOTH);
    read(`[backup]\ntype = drive\nscope = drive\ntoken = ${json}\nteam_drive =\n`).should.eql(BOTH);
  });

  it('leaves out an access token that is over, where there is a refresh token', () => {
    const old = { access_token: 'a-1', refresh_token: 'r-1', expiry: '2026-01-01T11:00:00.123+00:00' };
    read(JSON.stringify(old)).should.eql({ refreshToken: 'r-1', accessToken: '' });
    read(JSON.stringify({ ...old, refresh_token: '' })).should.eql({ refreshToken: '', accessToken: 'a-1' });
  });

  it('may hold one token only', () => {
    read('{"access_token":"a-1"}').should.eql({ refreshToken: '', accessToken: 'a-1' });
    read('{"refresh_token":"r-1"}').should.eql({ refreshToken: 'r-1', accessToken: '' });
  });

  it('is refused when it is none', () => {
    read('r-1').should.equal('no_json');
    read('token = nothing').should.equal('no_json');
    read('["a-1"]').should.equal('no_json');
    read('{"token_type":"Bearer"}').should.equal('no_token');
    read('{"access_token":5}').should.equal('no_token');
    read('{"error":"access_denied"}').should.eql({ error: 'access_denied' });
  });
});
