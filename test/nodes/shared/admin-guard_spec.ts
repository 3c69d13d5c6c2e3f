/** Protection of the admin API against other sites, over HTTP: docs/security.md, "Who may do what". */
import { once } from 'node:events';
import { type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { NodeAPI } from 'node-red';
import should from 'should';
import {
  handle,
  handleRequestError,
  rejectCrossSite,
  requireJson,
} from '../../../nodes/shared/admin/admin-guard';
import { driveError } from '../../support/client/drive-error';

/** Texts are those of the English catalogue. */
const RED = { _: (key: string) => key } as unknown as NodeAPI;

describe('admin routes', () => {
  let server: Server;
  let port: number;
  let thrown: unknown;

  before(async () => {
    const app = express();
    app.use(rejectCrossSite(RED));
    app.post(
      '/json',
      requireJson(RED),
      express.json(),
      handle(RED, () => ({ fine: true }), { status: 201 }),
    );
    app.get(
      '/nothing',
      handle(RED, () => undefined),
    );
    app.get(
      '/throws',
      handle(RED, () => Promise.reject(thrown as Error)),
    );
    app.get(
      '/described',
      handle(RED, () => Promise.reject(thrown as Error), { describe: () => ({ own: 'text' }) }),
    );
    app.get('/passes', () => {
      throw thrown;
    });
    app.use(handleRequestError(RED));
    app.use(
      ((error, _request, response, _next) =>
        void response.status(599).json({ passedOn: String(error) })) as express.ErrorRequestHandler,
    );
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  const call = (
    target: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<{ status: number | undefined; text: string }> =>
    new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const request = send({ host: '127.0.0.1', port, path: target, method, headers, agent: false });
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      request.end(body);
    });

  const origins: [string, Record<string, string>, number][] = [
    ['without an origin', {}, 204],
    ['of the same site', { 'Sec-Fetch-Site': 'same-origin' }, 204],
    ['that the browser marks as cross-site', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['of another site', { Origin: 'https://evil.example' }, 403],
    ['of the same host in capital letters', { Origin: 'http://RED.example', Host: 'red.example' }, 204],
    ['of another port of the host', { Origin: 'http://red.example:81', Host: 'red.example' }, 403],
    [
      'of a host behind two reverse proxies',
      { Origin: 'https://red.example', 'X-Forwarded-Host': 'inner, red.example' },
      204,
    ],
    ['with an origin that is no URL', { Origin: 'red.example' }, 403],
    ['with the origin of a sandboxed page', { Origin: 'null' }, 403],
    ['with an origin that has no host', { Origin: 'file:///' }, 403],
  ];
  for (const [description, headers, status] of origins) {
    it(`a request ${description} gets ${status}`, async () => {
      const response = await call('/nothing', headers);
      should(response.status).equal(status);
      if (status === 403) should(JSON.parse(response.text)).match({ error: { code: 'permission_denied' } });
    });
  }

  it('a body must be JSON, which other sites can send only after a preflight request', async () => {
    const json = { 'Content-Type': 'application/json' };
    should(await call('/json', json, '{}')).deepEqual({ status: 201, text: '{"fine":true}' });
    should(await call('/json', { 'Content-Type': 'text/plain' }, '{}')).match({ status: 415 });
    const malformed = await call('/json', json, '{"a":');
    should(malformed.status).equal(400);
    should(JSON.parse(malformed.text)).match({ error: { code: 'invalid_input' } });
  });

  it('a path with malformed percent-encoding gets 400', async () => {
    thrown = Object.assign(new URIError('malformed'), { status: 400 });
    const { status, text } = await call('/passes');
    should(status).equal(400);
    should(text)
      .match(/URL/)
      .and.not.match(/malformed/);
  });

  const passedOn: [string, unknown][] = [
    ['an error without a status', new Error('bug')],
    ['an error of the server', Object.assign(new Error('bug'), { status: 500 })],
    ['a text', 'bug'],
    ['an object without a status', {}],
  ];
  for (const [description, error] of passedOn) {
    it(`${description} is left to the next error handler`, async () => {
      thrown = error;
      should(await call('/passes')).deepEqual({
        status: 599,
        text: JSON.stringify({ passedOn: String(error) }),
      });
    });
  }

  const statuses: [string, unknown, number][] = [
    ['not_found', driveError('not_found'), 404],
    ['a code without a status of its own', driveError('checksum_mismatch'), 500],
    ['an error that is a bug', new TypeError('secret detail'), 500],
  ];
  for (const [description, error, status] of statuses) {
    it(`${description} of a route gets ${status} and an error without details`, async () => {
      thrown = error;
      const response = await call('/throws');
      should(response.status).equal(status);
      should(JSON.parse(response.text)).have.propertyByPath('error', 'code');
      response.text.should.not.match(/secret detail/);
    });
  }

  it('a route may describe its errors itself', async () => {
    thrown = driveError('not_found');
    should(await call('/described')).deepEqual({ status: 404, text: '{"error":{"own":"text"}}' });
  });
});
