/** A single request and its response: RFC 9110. */
import { gzipSync } from 'node:zlib';
import should from 'should';
import { driveError } from '../../support/client/drive-error';
import { HttpClient } from '../../../src/http/client';
import { readAll } from '../../../src/http/json';
import { bytes } from '../../support/content';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';
import { Readable } from 'node:stream';

describe('HttpClient', () => {
  const service = useScriptedService();
  let http: HttpClient;

  beforeEach(() => {
    service.onRequest(() => ({ body: 'fine' }));
    http = new HttpClient({ timeout: 2_000 });
  });

  const get = (signal?: AbortSignal) => http.send({ method: 'GET', url: service.url, signal });
  const read = async (path = '') => {
    const { body } = await http.send({ method: 'GET', url: service.url + path });
    return (await readAll(body, 1e6)).toString();
  };

  it('HttpClient returns responses of every status and follows no redirects', async () => {
    for (const status of [200, 204, 302, 308, 404, 500]) {
      service.onRequest(() => ({ status, headers: { Location: '/elsewhere' } }));
      const response = await get();
      response.status.should.equal(status);
      response.body.resume();
    }
    service.requests.map(({ path }) => path).should.matchEach('/');
  });

  it('HttpClient sends a DELETE with its header and without a body', async () => {
    service.onRequest(() => ({ status: 204 }));
    const headers = { 'Content-Type': 'application/json' };
    const { body } = await http.send({ method: 'DELETE', url: service.url, headers });
    body.resume();
    const [request] = service.requests;
    should(request?.headers['content-type']).equal('application/json');
    should(request?.headers['transfer-encoding']).be.undefined();
    should(request?.headers['content-length'] ?? '0').equal('0');
  });

  it('HttpClient reuses a connection', async () => {
    for (let index = 0; index < 5; index++) (await read()).should.equal('fine');
    (await service.connections).should.equal(1);
  });

  it('HttpClient reuses a connection after sending a whole body', async () => {
    const open = (): Readable => Readable.from([bytes(100_000)]);
    for (let index = 0; index < 3; index++) {
      const sent = await http.send({ method: 'PUT', url: service.url, body: { length: 100_000, open } });
      (await readAll(sent.body, 1e6)).toString().should.equal('fine');
    }
    (await service.connections).should.equal(1);
  });

  it('HttpClient opens a fresh connection on request and never reuses it', async () => {
    await read();
    const { body } = await http.send({ method: 'POST', url: service.url, body: '{}', freshConnection: true });
    (await readAll(body, 1e6)).toString().should.equal('fine');
    service.requests.map(({ headers }) => headers.connection).should.deepEqual(['keep-alive', 'close']);
    await read();
    while ((await service.connections) > 1) await new Promise(setImmediate);
  });

  it('HttpClient decompresses JSON but not content requested with identity encoding', async () => {
    service.onRequest(() => ({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync('fine') }));
    (await read()).should.equal('fine');
    const stored = await http.send({
      method: 'GET',
      url: service.url,
      headers: { 'Accept-Encoding': 'identity' },
    });
    (await readAll(stored.body, 1e6)).equals(gzipSync('fine')).should.be.true();
  });

  it('HttpClient reports why a connection failed', async () => {
    service.onRequest(() => 'reset');
    const reset = await rejected(get(), 'network');
    [reset.reason, reset.retryable].should.deepEqual(['ECONNRESET', true]);
    const refused = http.send({ method: 'GET', url: 'http://127.0.0.1:1' });
    const none = await rejected(refused, 'network', 'network_refused');
    none.params.should.deepEqual({ reason: 'ECONNREFUSED', host: '127.0.0.1:1' });
    const unknown = http.send({ method: 'GET', url: 'http://no-such-host.invalid/?secret' });
    const dns = await rejected(unknown, 'network', 'network_dns');
    [dns.retryable, dns.params['host']].should.deepEqual([true, 'no-such-host.invalid']);
  });

  it('HttpClient connects names below localhost to this machine', async () => {
    (
      await http.send({ method: 'GET', url: service.url.replace('127.0.0.1', 'drive.localhost') })
    ).body.resume();
    service.requests.length.should.equal(1);
  });

  it('HttpClient rejects at once when its signal is aborted, before and during the request', async () => {
    http.close();
    http = new HttpClient({ timeout: 60_000 });
    const abort = new AbortController();
    service.onRequest(() => {
      abort.abort();
      return 'handled';
    });
    await rejected(get(abort.signal), 'cancelled');
    service.requests.length.should.equal(1);
    await rejected(get(abort.signal), 'cancelled');
    service.requests.length.should.equal(1);
  });

  it('HttpClient throws the error of a request body unwrapped', async () => {
    const failing = (error: Error) => (): Readable =>
      new Readable({
        read() {
          this.destroy(error);
        },
      });
    const headers = { Authorization: 'Bearer SECRET' };
    for (const error of [driveError('local_file'), new TypeError('a mistake')]) {
      const body = { length: 10, open: failing(error) };
      const caught: unknown = await http
        .send({ method: 'PUT', url: service.url, headers, body })
        .catch((thrown: unknown) => thrown);
      should(caught).equal(error);
    }
  });

  it('HttpClient stops sending a body and closes the connection if the response comes first', async () => {
    let opened: Readable | undefined;
    service.onHeaders((_request, { response }) => {
      response.writeHead(401, { 'Content-Length': '0' }).end();
      return 'handled';
    });
    const open = (): Readable => (opened = Readable.from([bytes(1e6), bytes(1e6), bytes(8e6), bytes(1e6)]));
    const response = await http.send({ method: 'PUT', url: service.url, body: { length: 11e6, open } });
    response.status.should.equal(401);
    const closed = new Promise((resolve) => opened?.once('close', resolve));
    response.body.destroy();
    await closed;
    should(opened?.destroyed).be.true();
  });

  it('HttpClient sends Content-Length for a body of known length only', async () => {
    const open = (): Readable => Readable.from([Buffer.from('ab'), Buffer.from('cd')]);
    for (const length of [4, undefined]) {
      const { body } = await http.send({ method: 'POST', url: service.url, body: { length, open } });
      body.resume();
    }
    service.requests.map(({ body }) => body.toString()).should.deepEqual(['abcd', 'abcd']);
    service.requests.map(({ headers }) => headers['content-length']).should.deepEqual(['4', undefined]);
  });
});
