/** Random responses: always a valid result or a coded error, over real HTTP. */
import fc from 'fast-check';
import 'should';
import { startDeviceFlow } from '../../../src/auth/device-flow';
import { refreshTokens } from '../../../src/auth/token-endpoint';
import { isDriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { FakeClock } from '../../support/clock';
import { collectFiles } from '../../support/client/drive-fixture';
import { checkAsyncProperty } from '../../support/property';
import { ScriptedService } from '../../support/http/scripted-service';
import { closeAll } from '../../support/close-all';

/** Objects with the given members, whose values are mostly valid. */
const responseOf = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue() },
    {
      weight: 4,
      arbitrary: fc.record(
        Object.fromEntries(
          Object.entries(members).map(([name, valid]) => [
            name,
            fc.oneof({ weight: 5, arbitrary: valid }, { weight: 1, arbitrary: fc.jsonValue() }),
          ]),
        ),
        { requiredKeys: [] },
      ),
    },
  );

const word = fc.string({ minLength: 1 });
const file = responseOf({
  id: word,
  name: fc.string(),
  mimeType: fc.string(),
  size: fc.nat().map(String),
  parents: fc.array(word),
  trashed: fc.boolean(),
});
const status = fc.oneof(
  { weight: 5, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
);

describe('random responses', () => {
  let service: ScriptedService;
  let testClient: TestClient;
  let http: HttpClient;

  before(async () => {
    service = await ScriptedService.start();
    testClient = createTestClient(service.url, { retryFor: 0 });
    http = new HttpClient({ timeout: 2_000 });
  });
  after(() => closeAll(http, testClient, service));

  /** Fails unless the work has a valid result or throws a coded error. */
  const checkOutcome = async (work: Promise<unknown>, isValid: (result: never) => boolean): Promise<void> => {
    let result: unknown;
    try {
      result = await work;
    } catch (error) {
      if (!isDriveError(error)) throw error;
      return;
    }
    isValid(result as never).should.equal(true, JSON.stringify(result));
  };
  const respond = (body: unknown, code: number): void =>
    service.onRequest(() => ({ status: code, body: JSON.stringify(body) }));

  const isText = (value: unknown): boolean =>
    value === undefined || value === null || typeof value === 'string';
  const isFile = (found: Record<string, unknown>): boolean =>
    ['id', 'name', 'mimeType', 'size'].every((name) => isText(found[name])) &&
    (found['size'] === undefined || found['size'] === null || /^\d+$/.test(found['size'] as string)) &&
    [undefined, null, true, false].includes(found['trashed'] as boolean | undefined);

  it('a random token response yields valid tokens or a coded error', () =>
    checkAsyncProperty(
      fc.asyncProperty(
        responseOf({
          access_token: word,
          refresh_token: fc.string(),
          expires_in: fc.integer(),
          scope: fc.string(),
          error: fc.constantFrom('invalid_grant', 'slow_down', 'x'),
        }),
        status,
        async (body, code) => {
          respond(body, code);
          const client = { clientId: 'id', clientSecret: 's', tokenUrl: service.url };
          await checkOutcome(
            refreshTokens({ http, clock: new FakeClock() }, client, 'R'),
            (tokens: { accessToken: unknown; refreshToken: unknown; expiresAt?: unknown; scope?: unknown }) =>
              code < 300 &&
              typeof tokens.accessToken === 'string' &&
              tokens.accessToken !== '' &&
              typeof tokens.refreshToken === 'string' &&
              tokens.refreshToken !== '' &&
              (tokens.expiresAt === undefined || Number.isFinite(tokens.expiresAt)),
          );
        },
      ),
      200,
    ));

  it('a random device authorization response yields a valid device code or a coded error', () =>
    checkAsyncProperty(
      fc.asyncProperty(
        responseOf({
          device_code: word,
          user_code: word,
          verification_url: fc.constantFrom('https://x.example/d', 'javascript:alert(1)', 'x'),
          interval: fc.integer(),
          expires_in: fc.integer(),
        }),
        status,
        async (body, code) => {
          respond(body, code);
          await checkOutcome(
            startDeviceFlow(
              { http, clock: new FakeClock() },
              { deviceUrl: service.url, clientId: 'id', scope: 's' },
            ),
            (found: { interval: number; expiresIn: number; verificationUrl: string }) =>
              found.interval > 0 && found.expiresIn > 0 && found.verificationUrl.startsWith('https://'),
          );
        },
      ),
      200,
    ));

  it('a random list response yields valid files or a coded error', () =>
    checkAsyncProperty(
      fc.asyncProperty(responseOf({ files: fc.array(file) }), status, async (body, code) => {
        respond(body, code);
        const request = { text: '', kind: 'any' as const, includeTrashed: true, fields: 'id' };
        await checkOutcome(
          collectFiles(testClient.client.search(request)),
          (files: Record<string, unknown>[]) => files.every(isFile),
        );
      }),
      200,
    ));

  it('a random file response yields a file with an id or a coded error', () =>
    checkAsyncProperty(
      fc.asyncProperty(file, status, async (body, code) => {
        respond(body, code);
        await checkOutcome(
          testClient.client.getMetadata('F', 'id'),
          (found: Record<string, unknown>) =>
            isFile(found) && typeof found['id'] === 'string' && found['id'] !== '',
        );
      }),
      200,
    ));

  it('a response of random bytes yields a coded error', () =>
    checkAsyncProperty(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (body) => {
        service.onRequest(() => ({ body: Buffer.from(body) }));
        await checkOutcome(testClient.client.getMetadata('F', 'id'), () => false);
      }),
      200,
    ));
});
