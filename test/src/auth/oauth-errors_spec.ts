/** The error for an expired sign-in, depending on its age: docs/signing-in.md, "When a sign-in ends". */
import should from 'should';
import { explainInvalidGrant } from '../../../src/auth/oauth-errors';
import { TokenSource } from '../../../src/auth/token-source';
import { driveError } from '../../support/client/drive-error';
import { HttpClient } from '../../../src/http/client';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { ScriptedService } from '../../support/http/scripted-service';

const DAY = 24 * 3_600_000;
const invalidGrant = driveError('sign_in_required', {
  text: 'sign_in_required_ended',
  params: { reason: 'invalid_grant' },
  reason: 'invalid_grant',
  status: 400,
});

describe('explainInvalidGrant', () => {
  for (const [days, text] of [
    [0, 'sign_in_required_ended_today'],
    [0.99, 'sign_in_required_ended_today'],
    [1, 'sign_in_required_ended_one_day'],
    [1.49, 'sign_in_required_ended_one_day'],
    [1.5, 'sign_in_required_ended_days'],
    [5.4, 'sign_in_required_ended_days'],
    [5.6, 'sign_in_required_testing'],
    [7, 'sign_in_required_testing'],
    [8.4, 'sign_in_required_testing'],
    [8.6, 'sign_in_required_ended_days'],
    [200, 'sign_in_required_ended_days'],
  ] as const) {
    it(`explainInvalidGrant returns ${text} for a sign-in of ${days} days`, () => {
      const error = explainInvalidGrant(invalidGrant, days * DAY);
      [error.code, error.text, error.reason, error.status].should.deepEqual([
        'sign_in_required',
        text,
        'invalid_grant',
        400,
      ]);
      error.params.should.deepEqual({ days: Math.round(days) });
    });
  }

  it('explainInvalidGrant returns other errors and those of unknown age unchanged', () => {
    explainInvalidGrant(invalidGrant, undefined).should.equal(invalidGrant);
    explainInvalidGrant(invalidGrant, -1).should.equal(invalidGrant);
    const other = driveError('sign_in_required', { text: 'sign_in_required_oauth' });
    explainInvalidGrant(other, 7 * DAY).should.equal(other);
  });

  it('TokenSource explains invalid_grant by the time since the last sign-in, not the last refresh', async () => {
    const service = await ScriptedService.start();
    const http = new HttpClient({ timeout: 1_000 });
    const clock = new FakeClock();
    const tokens = new TokenSource({
      http,
      clock,
      random: () => 0,
      retryFor: 0,
      client: () => ({ clientId: 'id', clientSecret: 'secret', tokenUrl: service.url }),
      store: { load: () => ({ accessToken: '', refreshToken: 'R' }), save: () => undefined },
      signedInAt: clock.now(),
    });
    const fail = async (): Promise<unknown> => {
      service.onRequest(() => ({ status: 400, body: { error: 'invalid_grant' } }));
      clock.elapse(3_600_000);
      const { text, params } = await rejected(tokens.get(), 'sign_in_required');
      return [text, params['days']];
    };
    try {
      service.onRequest(() => ({ body: { access_token: 'A', expires_in: 3_600 } }));
      await tokens.get();
      clock.elapse(7 * DAY);
      should(await fail()).deepEqual(['sign_in_required_testing', 7]);
      tokens.replace({ accessToken: '', refreshToken: 'R2' }, clock.now());
      should(await fail()).deepEqual(['sign_in_required_ended_today', 0]);
      tokens.replace({ accessToken: '', refreshToken: 'R3' });
      should(await fail()).deepEqual(['sign_in_required_ended', undefined]);
    } finally {
      http.close();
      await service.close();
    }
  });
});
