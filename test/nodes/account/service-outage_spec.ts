/** Many messages during an outage of the service or its token endpoint, with a fake clock. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { tokenFingerprint } from '../../../nodes/account/accounts/stored-sign-in';
import { CREDENTIALS, REFRESH_TOKEN } from '../../support/node-red/account';
import { type Ending, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { useRuntimeClock } from '../../support/node-red/runtime-clock';
import { type Reply, useScriptedService, type ReceivedRequest } from '../../support/http/scripted-service';

const MANY = 50;
const MINUTE = 60_000;

describe('messages during an outage', () => {
  const clock = useRuntimeClock();
  useNodeRed();
  const service = useScriptedService();
  let flow: LoadedFlow;
  /** The times until which the two endpoints return 503. */
  let down: { token: number; about: number };

  beforeEach(() => {
    service.onRequest(respond);
    down = { token: 0, about: 0 };
  });

  let valid: string;
  function respond({ path, headers }: ReceivedRequest): Reply {
    const isToken = path === '/token';
    if (clock().now() < down[isToken ? 'token' : 'about']) return { status: 503 };
    if (isToken) {
      valid = `token-${service.requests.length}`;
      return { body: { access_token: valid, expires_in: 3_600 } };
    }
    return headers.authorization === `Bearer ${valid}` ? { body: { user: {} } } : { status: 401 };
  }

  /** @param lifetime remaining lifetime of the stored token in ms; unknown if omitted */
  async function loadAccount(lifetime?: number, account: Record<string, unknown> = {}): Promise<void> {
    valid = lifetime === undefined ? 'another' : 'stored';
    const expiry = lifetime === undefined ? {} : { expiresAt: clock().now() + lifetime };
    const signIn = { of: tokenFingerprint({ refreshToken: REFRESH_TOKEN }), ...expiry };
    const credentials = { account: { ...CREDENTIALS, accessToken: 'stored', signIn } };
    flow = await load([{ id: 'n', type: 'cloud-drive-about' }], { url: service.url, account, credentials });
  }
  const send = (): Promise<Ending[]> => Promise.all(Array.from({ length: MANY }, () => flow.run('n')));
  const refreshes = (): number => service.requests.filter(({ path }) => path === '/token').length;

  /** Asserts that each message ended once and with the same result. */
  function expectEndings(endings: Ending[], code: string | undefined): void {
    should(new Set(endings.map(({ error }) => error?.cause?.code))).deepEqual(new Set([code]));
    should(endings.filter(({ sent }) => sent.length !== (code === undefined ? 1 : 0))).be.empty();
    const ids = flow.messages('ended').map(({ _msgid }) => _msgid);
    should([ids.length, new Set(ids).size]).deepEqual([MANY, MANY]);
  }

  for (const [what, lifetime] of [
    ['is expired', -1],
    ['is rejected', undefined],
  ] as const) {
    it(`many messages cause one refresh if the token ${what}`, async () => {
      await loadAccount(lifetime);
      expectEndings(await clock().until(send()), undefined);
      should(refreshes()).equal(1);
    });
  }

  it('all messages succeed after the service was down for a minute', async () => {
    await loadAccount(10 * MINUTE);
    down.about = clock().now() + MINUTE;
    expectEndings(await clock().until(send()), undefined);
    should(clock().now()).be.aboveOrEqual(down.about);
    const waits = flow.statuses('n').filter(({ fill }) => fill === 'yellow');
    const text = 'node-red-contrib-cloud-drive/cloud-drive-account:status.retry_busy';
    should(waits[0]).eql({ fill: 'yellow', shape: 'ring', text });
    const warnings = flow.logged().filter((line) => line.includes('The request is retried'));
    should(warnings).have.length(1);
    should(warnings[0]).containEql('under “Retry for” in the account. ').and.containEql('503');
    should(refreshes()).equal(0);
  });

  it('all messages succeed after the token endpoint was down for a minute, with one token request at a time', async () => {
    await loadAccount(-1);
    down.token = clock().now() + MINUTE;
    expectEndings(await clock().until(send()), undefined);
    should(refreshes()).be.within(2, 40);
    should(service.requests.filter(({ path }) => path !== '/token')).have.length(MANY);
  });

  it('all messages fail with the cause once the retry budget is spent', async () => {
    for (const broken of ['about', 'token'] as const) {
      await loadAccount(broken === 'about' ? 10 * MINUTE : -1, { retryFor: 30 });
      down[broken] = Infinity;
      expectEndings(await clock().until(send()), 'service_unavailable');
      await helper.unload();
    }
  });

  it('messages don’t wait for an early refresh that fails', async () => {
    await loadAccount(4 * MINUTE);
    down.token = Infinity;
    // A tenth of the token lifetime remains.
    await clock().advance(4 * MINUTE - 20_000);
    const before = clock().now();
    expectEndings(await clock().until(send()), undefined);
    should(clock().now() - before).be.below(20_000);
    should(refreshes()).be.within(1, 8);
  });

  it('messages leave no timers or connections when the flow is stopped', async () => {
    await loadAccount(-1);
    down.token = Infinity;
    for (let count = 0; count < MANY; count++) flow.send('n');
    await flow.status('n', ({ fill }) => fill === 'yellow');
    await helper.unload();
    should(clock().sleeping).equal(0);
    const before = service.requests.length;
    await clock().advance(10 * MINUTE);
    should(service.requests).have.length(before);
  });
});
