import should from 'should';
import { type TokenSourceOptions, TokenSource } from '../../../src/auth/token-source';
import { type DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/http-client';
import type { Tokens } from '../../../src/types';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/rejected';
import { ScriptedService } from '../../support/scripted-service';

describe('TokenSource', () => {
  let wire: ScriptedService;
  let http: HttpClient;
  let clock: FakeClock;
  let saved: Tokens[];
  let dead: DriveError[];

  beforeEach(async () => {
    wire = await ScriptedService.start();
    wire.on(() => ({ body: { access_token: `new-${wire.seen.length}`, expires_in: 3_600 } }));
    http = new HttpClient({ timeout: 1_000 });
    clock = new FakeClock();
    saved = [];
    dead = [];
  });
  afterEach(async () => {
    http.close();
    await wire.close();
  });

  function source(tokens: Partial<Tokens>, more: Partial<TokenSourceOptions> = {}): TokenSource {
    return new TokenSource({
      http,
      clock,
      random: () => 0.5,
      retryFor: 10_000,
      client: () => ({ clientId: 'id', clientSecret: 'secret', tokenUrl: `${wire.url}/token` }),
      store: {
        load: () => ({ accessToken: '', refreshToken: '', ...tokens }),
        save: (each) => saved.push(each),
      },
      onDead: (error) => dead.push(error),
      ...more,
    });
  }

  it('refreshes first where there is no access token, by a form', async () => {
    const tokens = source({ refreshToken: 'R', scope: 'drive' });
    (await tokens.get()).should.equal('new-1');
    const [seen] = wire.seen;
    should(seen?.headers['content-type']).equal('application/x-www-form-urlencoded');
    should(seen?.body.toString()).equal(
      'client_id=id&client_secret=secret&refresh_token=R&grant_type=refresh_token',
    );
    saved.should.deepEqual([
      { accessToken: 'new-1', refreshToken: 'R', scope: 'drive', expiresAt: clock.now() + 3_600_000 },
    ]);
    should(tokens.scope).equal('drive');
  });

  it('refreshes five minutes before the end, for short lives at a tenth of it', async () => {
    const tokens = source({ refreshToken: 'R' });
    await tokens.get();
    clock.pass(3_600_000 - 300_001);
    (await tokens.get()).should.equal('new-1');
    clock.pass(1);
    (await tokens.get()).should.equal('new-2');
    wire.on(() => ({ body: { access_token: `short-${wire.seen.length}`, expires_in: 100 } }));
    clock.pass(3_600_000);
    (await tokens.get()).should.equal('short-3');
    clock.pass(89_999);
    (await tokens.get()).should.equal('short-3');
    clock.pass(1);
    (await tokens.get()).should.equal('short-4');
  });

  it('refreshes once for all who wait', async () => {
    const tokens = source({ accessToken: 'old', refreshToken: 'R' });
    const all = await Promise.all(Array.from({ length: 200 }, () => tokens.renew('old')));
    new Set(all).should.deepEqual(new Set(['new-1']));
    (await tokens.renew('old')).should.equal('new-1');
    wire.seen.length.should.equal(1);
  });

  it('takes over a new refresh token', async () => {
    wire.on(() => ({ body: { access_token: 'A', refresh_token: 'R2', scope: 'less' } }));
    const tokens = source({ refreshToken: 'R', scope: 'all' });
    await tokens.get();
    saved.should.deepEqual([{ accessToken: 'A', refreshToken: 'R2', scope: 'less' }]);
    (await tokens.get()).should.equal('A');
  });

  it('needs a sign-in where there is nothing to refresh', async () => {
    await rejected(source({}).get(), 'sign_in_required', 'sign_in_required');
    const lone = source({ accessToken: 'A' });
    (await lone.get()).should.equal('A');
    await rejected(lone.renew('A'), 'sign_in_required', 'sign_in_required_token_refused');
    await rejected(lone.get(), 'sign_in_required');
    wire.seen.should.be.empty();
    dead.length.should.equal(1);
  });

  it('is dead after invalid_grant, asks no more, and lives again after a sign-in', async () => {
    wire.on(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    const tokens = source({ refreshToken: 'R' });
    await rejected(tokens.get(), 'sign_in_required', 'sign_in_required_ended');
    await rejected(tokens.get(), 'sign_in_required');
    await rejected(tokens.renew('x'), 'sign_in_required');
    wire.seen.length.should.equal(1);
    dead.length.should.equal(1);
    should(tokens.needsSignIn).equal(dead[0]);
    tokens.adopt({ accessToken: 'B', refreshToken: 'R2' });
    should(tokens.needsSignIn).be.undefined();
    (await tokens.get()).should.equal('B');
  });

  it('lives on after a failure that is not its own', async () => {
    const tokens = source({ refreshToken: 'R' });
    for (const [answer, code] of [
      [{ status: 401, body: { error: 'invalid_client' } }, 'not_configured'],
      [{ status: 400, body: '<html>' }, 'bad_response'],
      [{ status: 200, body: '[]' }, 'bad_response'],
      [{ status: 200, body: {} }, 'bad_response'],
      ['reset', 'network'],
      [{ status: 503 }, 'service_unavailable'],
      [{ status: 403, body: { error: 'rate_limit_exceeded' } }, 'rate_limited'],
    ] as const) {
      wire.on(() => answer);
      await rejected(tokens.get(), code);
    }
    dead.should.be.empty();
    wire.inOrder('reset', { status: 500 }, { body: { access_token: 'A' } });
    (await tokens.get()).should.equal('A');
  });

  it('tells all who wait how long a refresh waits before it tries again', async () => {
    wire.inOrder({ status: 503 }, 'reset', { body: { access_token: 'A' } });
    const tokens = source({ refreshToken: 'R' });
    const told: string[] = [];
    const onWait = (who: string) => (ms: number) => told.push(`${who} ${ms}`);
    await Promise.all([tokens.get({ onWait: onWait('a') }), tokens.get({ onWait: onWait('b') })]);
    told.should.deepEqual(['a 500', 'b 500', 'a 1000', 'b 1000']);
  });

  for (const token of ['', 'line\nbreak', 'ümlaut', 5, null]) {
    it(`takes ${JSON.stringify(token)} for no token`, async () => {
      wire.on(() => ({ body: { access_token: token } }));
      await rejected(source({ refreshToken: 'R' }).get(), 'bad_response');
    });
  }

  it('says which scopes were not granted', async () => {
    wire.on(() => ({
      body: { access_token: 'A', scope: 'b https://www.googleapis.com/auth/userinfo.email' },
    }));
    const tokens = source({ refreshToken: 'R' });
    tokens.missingScopes('a b').should.be.empty();
    await tokens.get();
    tokens.missingScopes('a  b email a').should.deepEqual(['a']);
  });

  it('keeps what a sign-in brought while an old refresh was under way', async () => {
    const tokens = source({ refreshToken: 'R' });
    wire.on(() => {
      tokens.adopt({ accessToken: 'signed-in', refreshToken: 'R2' });
      return { status: 400, body: { error: 'invalid_grant' } };
    });
    await rejected(tokens.get(), 'sign_in_required');
    dead.should.be.empty();
    (await tokens.get()).should.equal('signed-in');
    const other = source({ refreshToken: 'R' });
    wire.on(() => {
      other.adopt({ accessToken: 'signed-in', refreshToken: 'R2' });
      return { body: { access_token: 'A' } };
    });
    (await other.get()).should.equal('signed-in');
    saved.should.be.empty();
  });

  it('lets one give up without the others', async () => {
    const abort = new AbortController();
    wire.on(() => (abort.abort(), { body: { access_token: 'A' } }));
    const tokens = source({ refreshToken: 'R' });
    const first = tokens.get({ signal: abort.signal });
    const second = tokens.get();
    await rejected(first, 'cancelled');
    (await second).should.equal('A');
    const aborted = new AbortController();
    aborted.abort();
    await rejected(source({ refreshToken: 'R' }).get({ signal: aborted.signal }), 'cancelled');
  });
});
