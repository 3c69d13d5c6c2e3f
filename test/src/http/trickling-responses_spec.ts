/** Answers that trickle in: never silent, never done. What is read whole is bounded in time; a file's content is not. */
import { constants, createGzip } from 'node:zlib';
import { TokenSource } from '../../../src/auth/token-source';
import { HttpClient } from '../../../src/http/client';
import { type JsonObject, discard, readAll } from '../../../src/http/json';
import { bytes } from '../../support/content';
import { createTestEngine } from '../../support/client/test-engine';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { type Reply, ScriptedService } from '../../support/http/scripted-service';

const TIMEOUT = 100;

describe('answers that trickle in', () => {
  let wire: ScriptedService;
  let http: HttpClient;

  beforeEach(async () => {
    wire = await ScriptedService.start();
    http = new HttpClient({ timeout: TIMEOUT });
  });
  afterEach(async () => {
    http.close();
    await wire.close();
  });

  /** A blank every few ms, packed or not: blanks before a JSON text are allowed, so it may still become one. */
  function trickle(status = 200, headers: Record<string, string> = {}, end = Infinity): void {
    wire.on((_seen, { response }): Reply => {
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
  /** Nothing is left of it. */
  async function gone(): Promise<void> {
    while ((await wire.connections) > 0) await new Promise(setImmediate);
  }
  const about = (retryFor: number, onWait: () => void = () => undefined): Promise<JsonObject> => {
    const { engine } = createTestEngine(wire.url, { http, retryFor });
    return engine.requestJson({ method: 'GET', url: `${wire.url}/about` }, { onWait });
  };

  for (const headers of [{}, { 'Content-Encoding': 'gzip' }] as Record<string, string>[]) {
    it(`time out as JSON ${JSON.stringify(headers)}`, async () => {
      trickle(200, headers);
      (await rejected(about(0), 'timeout')).retryable.should.be.true();
      wire.seen.length.should.equal(1);
      await gone();
    });
  }

  it('are asked for again as after any other time-out', async () => {
    trickle();
    const onWait = (): void => wire.on(() => ({ body: { user: {} } }));
    (await about(60_000, onWait)).should.deepEqual({ user: {} });
    wire.seen.length.should.equal(2);
  });

  it('are whole when they take longer than the time-out, and then come to an end', async () => {
    trickle(200, {}, 12);
    (await about(0)).should.deepEqual({});
  });

  it('say by their status alone what is wrong', async () => {
    trickle(404);
    await rejected(about(0), 'not_found');
    await gone();
  });

  it('time out as a token', async () => {
    trickle();
    const tokens = new TokenSource({
      ...{ http, clock: new FakeClock(), random: () => 0.5, retryFor: 0 },
      client: () => ({ clientId: 'id', clientSecret: 'secret', tokenUrl: `${wire.url}/token` }),
      store: { load: () => ({ accessToken: '', refreshToken: 'R' }), save: () => undefined },
    });
    await rejected(tokens.get(), 'timeout');
    await gone();
  });

  it('are not waited for where nobody needs them', async () => {
    trickle();
    const { body } = await http.send({ method: 'GET', url: wire.url });
    discard(body, 2 * TIMEOUT);
    await gone();
  });

  it('may take their time as content', async () => {
    const content = bytes(60);
    wire.on((_seen, { response }): Reply => {
      response.writeHead(200, { 'Content-Length': String(content.length) });
      let sent = 0;
      const timer = setInterval(() => {
        response.write(content.subarray(sent, ++sent));
        if (sent === content.length) clearInterval(timer);
      }, TIMEOUT / 5);
      return 'handled';
    });
    const { body, bodyTimeout } = await http.send({ method: 'GET', url: wire.url });
    bodyTimeout.should.equal(10 * TIMEOUT);
    (await readAll(body, 1e6)).equals(content).should.be.true();
  });

  it('have an end in time with the longest time-out too', async () => {
    http.close();
    http = new HttpClient({ timeout: 2e9 });
    wire.on(() => ({ body: {} }));
    (await about(0)).should.deepEqual({});
  });
});
