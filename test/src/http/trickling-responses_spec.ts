/** Responses that trickle in are never idle. Headers and JSON bodies are bounded in time; the content of a file is not. */
import { constants, createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { startDeviceFlow } from '../../../src/auth/device-flow';
import { TokenSource } from '../../../src/auth/token-source';
import { HttpClient } from '../../../src/http/client';
import type { JsonObject } from '../../../src/core/validator';
import { discard, readAll } from '../../../src/http/json';
import { bytes } from '../../support/content';
import { createTestEngine } from '../../support/client/test-engine';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { type Reply, useScriptedService } from '../../support/http/scripted-service';

const TIMEOUT = 100;

describe('trickling responses', () => {
  const service = useScriptedService();
  let http: HttpClient;

  beforeEach(() => {
    http = new HttpClient({ timeout: TIMEOUT });
  });

  /** Sends a space every few ms, compressed or not: JSON allows spaces before its text, so it may still become valid. */
  function trickle(status = 200, headers: Record<string, string> = {}, end = Infinity): void {
    service.onRequest((_seen, { response }): Reply => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      const out = headers['Content-Encoding'] ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : undefined;
      out?.pipe(response);
      let count = 0;
      const timer = setInterval(() => {
        if (++count > end) response.end('{}');
        else (out ?? response).write(' ');
      }, TIMEOUT / 5);
      response.on('close', () => clearInterval(timer));
      return 'handled';
    });
  }
  /** Resolves when all connections are closed. */
  async function untilClosed(): Promise<void> {
    while ((await service.connections) > 0) await new Promise(setImmediate);
  }
  const about = (retryFor: number, onWait: () => void = () => undefined): Promise<JsonObject> => {
    const { engine } = createTestEngine(service.url, { http, retryFor });
    return engine.requestJson({ method: 'GET', url: `${service.url}/about` }, { onWait });
  };

  for (const headers of [{}, { 'Content-Encoding': 'gzip' }] as Record<string, string>[]) {
    it(`a trickling JSON response times out, headers ${JSON.stringify(headers)}`, async () => {
      trickle(200, headers);
      (await rejected(about(0), 'timeout')).retryable.should.be.true();
      service.requests.length.should.equal(1);
      await untilClosed();
    });
  }

  it('a trickling JSON response is requested again after its timeout', async () => {
    trickle();
    const onWait = (): void => service.onRequest(() => ({ body: { user: {} } }));
    (await about(60_000, onWait)).should.deepEqual({ user: {} });
    service.requests.length.should.equal(2);
  });

  it('a JSON response that takes longer than the idle timeout but ends is read', async () => {
    trickle(200, {}, 12);
    (await about(0)).should.deepEqual({});
  });

  it('a trickling error response yields the error of its status', async () => {
    trickle(404);
    await rejected(about(0), 'not_found');
    await untilClosed();
  });

  const refreshToken = (): Promise<string> =>
    new TokenSource({
      ...{ http, clock: new FakeClock(), random: () => 0.5, retryFor: 0 },
      client: () => ({ clientId: 'id', clientSecret: 'secret', tokenUrl: `${service.url}/token` }),
      store: { load: () => ({ accessToken: '', refreshToken: 'R' }), save: () => undefined },
    }).get();

  it('a trickling token response times out', async () => {
    trickle();
    await rejected(refreshToken(), 'timeout');
    await untilClosed();
  });

  it('discard closes a trickling response', async () => {
    trickle();
    const { body } = await http.send({ method: 'GET', url: service.url });
    discard(body, 2 * TIMEOUT);
    await untilClosed();
  });

  it('trickling content has no time limit', async () => {
    const content = bytes(60);
    service.onRequest((_seen, { response }): Reply => {
      response.writeHead(200, { 'Content-Length': String(content.length) });
      let sent = 0;
      const timer = setInterval(() => {
        response.write(content.subarray(sent, ++sent));
        if (sent === content.length) clearInterval(timer);
      }, TIMEOUT / 5);
      return 'handled';
    });
    const { body, bodyTimeout } = await http.send({ method: 'GET', url: service.url });
    bodyTimeout.should.equal(10 * TIMEOUT);
    (await readAll(body, 1e6)).equals(content).should.be.true();
  });

  it('a request succeeds with a timeout that exceeds the longest timer', async () => {
    http.close();
    http = new HttpClient({ timeout: 2e9 });
    service.onRequest(() => ({ body: {} }));
    (await about(0)).should.deepEqual({});
  });

  describe('headers', () => {
    /** Sends a header that never ends, one byte every few ms. */
    function trickleHeaders(): void {
      service.onHeaders((_seen, { request }): Reply => {
        const { socket } = request;
        socket.write('HTTP/1.1 200 OK\r\nX-Endless: ');
        const timer = setInterval(() => socket.write('x'), TIMEOUT / 5);
        socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
        return 'handled';
      });
    }
    const download = (): Promise<Buffer> => {
      const { engine } = createTestEngine(service.url, { http, retryFor: 0 });
      const request = { method: 'GET', url: `${service.url}/file`, redirects: 'anywhere' } as const;
      return engine.requestWithoutRetry(request, {}, ({ body }) => readAll(body, 1e6));
    };
    const signIn = (): Promise<unknown> => {
      const request = { deviceUrl: `${service.url}/device`, clientId: 'id', scope: 'a' };
      return startDeviceFlow({ http, clock: new FakeClock() }, request);
    };

    beforeEach(trickleHeaders);

    for (const [what, work] of [
      ['request', () => about(0)],
      ['download', download],
      ['token refresh', refreshToken],
      ['sign-in request', signIn],
    ] as const) {
      it(`a ${what} whose response headers trickle in times out`, async () => {
        (await rejected(work(), 'timeout')).retryable.should.be.true();
        await untilClosed();
      });
    }

    it('an upload that the service stops reading while headers trickle in times out', async () => {
      const open = (): Readable => Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(1_000_000)));
      const request = { method: 'PUT', url: service.url, body: { length: 64e6, open } } as const;
      await rejected(http.send(request), 'timeout');
      await untilClosed();
    });

    it('an upload may take longer than the limit for headers', async () => {
      service.onHeaders(undefined);
      service.onRequest(() => ({ body: { fine: true } }));
      const steps = 30;
      async function* slowly(): AsyncGenerator<Buffer> {
        for (let step = 0; step < steps; step++) {
          await new Promise((resolve) => setTimeout(resolve, TIMEOUT / 2));
          yield Buffer.alloc(1);
        }
      }
      const open = (): Readable => Readable.from(slowly());
      const response = await http.send({ method: 'PUT', url: service.url, body: { length: steps, open } });
      response.status.should.equal(200);
      discard(response.body);
    });
  });
});
