import should from 'should';
import { reasonWord, revoke, tokensFrom } from '../../../src/auth/token-endpoint';
import { HttpClient } from '../../../src/http/http-client';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/rejected';
import { ScriptedService } from '../../support/scripted-service';

describe('token endpoint', () => {
  let wire: ScriptedService;
  let http: HttpClient;

  beforeEach(async () => {
    wire = await ScriptedService.start();
    http = new HttpClient({ timeout: 1_000 });
  });
  afterEach(async () => {
    http.close();
    await wire.close();
  });

  const end = () => revoke({ http, clock: new FakeClock() }, `${wire.url}/revoke`, 'T/+');

  it('ends a token by a form', async () => {
    wire.on(() => ({ body: {} }));
    await end();
    should(wire.seen[0]?.headers['content-type']).equal('application/x-www-form-urlencoded');
    should(wire.seen[0]?.body.toString()).equal('token=T%2F%2B');
  });

  it('says that it could not', async () => {
    wire.on(() => ({ status: 400, body: { error: 'invalid_token' } }));
    await rejected(end(), 'bad_response');
    wire.on(() => 'reset');
    await rejected(end(), 'network');
  });

  for (const [expiresIn, expiresAt] of [
    [3600, 3_601_000],
    ['3600', 3_601_000],
    [0, undefined],
    [-5, undefined],
    [undefined, undefined],
  ] as const) {
    it(`takes ${JSON.stringify(expiresIn)} as a lifetime`, () => {
      const tokens = tokensFrom({ access_token: 'A', refresh_token: 'R', expires_in: expiresIn }, 1_000);
      should(tokens.expiresAt).equal(expiresAt);
      tokens.refreshToken.should.equal('R');
    });
  }

  it('shows only words of an error', () => {
    reasonWord('invalid_grant').should.equal('invalid_grant');
    reasonWord('my secret: x').should.equal('unknown');
  });
});
