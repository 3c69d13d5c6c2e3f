/** Any request of the Drive API: https://developers.google.com/workspace/drive/api/reference/rest/v3 */
import { gzipSync } from 'node:zlib';
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { RawRequest } from '../../../src/index';
import { rejected } from '../../support/client/rejected';
import { type TestClient, TOKEN, createTestClient } from '../../support/client/test-client';
import { ScriptedService, errorResponse, useScriptedService } from '../../support/http/scripted-service';

const JSON_TYPE = { 'Content-Type': 'application/json; charset=UTF-8' };

describe('DriveClient.request', () => {
  const service = useScriptedService();
  let testClient: TestClient;

  beforeEach(() => (testClient = createTestClient(service.url)));
  afterEach(() => testClient.close());

  const request = (more: Partial<RawRequest> = {}) =>
    testClient.client.request({ method: 'GET', path: 'files', query: {}, ...more });
  const urls = (): string[] => service.requests.map(({ method, url }) => `${method} ${url}`);

  const WRONG_PATHS = [
    ...['', '/', '//evil.example/x', '///x', 'https://evil.example/x', 'http:evil', 'files//x', 'files/'],
    ...[
      '..',
      '../../gmail/v1',
      'files/..',
      'files/../about',
      '/../x',
      './files',
      'files/.',
      'files/%2e%2e/about',
    ],
    ...['files/%2E%2e', 'files/.%2e/x', 'files/%2e', 'files/a%2F..%2Fb', 'files/a%2fb', 'files/%5c..%5cx'],
    ...['files/%252e%252e/x', 'files\\..\\x', '\\\\evil.example\\x', 'files/a\\b', 'files/a b', 'files/é'],
    ...['files\r\nHost: evil.example', 'files/%0d%0aX', 'files/\0', 'files/%00', 'files\t/x'],
    ...[
      'files?alt=media',
      'files/x#y',
      '?x',
      '#x',
      'files/%',
      'files/%zz',
      'files/%ff',
      '@evil.example:80/x:',
    ],
    ...['drive/v3/files', '/drive/v3/files', ' files', 'files\u2028'],
  ];
  it('request refuses each path that is not below /drive/v3/, before anything is sent', async () => {
    for (const path of WRONG_PATHS) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        await rejected(request({ method, path }), 'invalid_input', 'invalid_input_api_path');
      }
    }
    service.requests.should.be.empty();
  });

  it('request refuses query values and bodies that it cannot send', async () => {
    for (const value of [{}, [{}], [[1]], null, NaN, 1n, () => 1]) {
      await rejected(request({ query: { fields: value } }), 'invalid_input', 'invalid_input_query_value');
    }
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const body of [circular, { big: 1n }]) {
      await rejected(request({ method: 'POST', body }), 'invalid_input', 'invalid_input_not_json');
    }
    service.requests.should.be.empty();
  });

  it('request sends method, path, query, JSON body and token', async () => {
    service.onRequest(() => ({ headers: JSON_TYPE, body: { id: 'C' } }));
    const query = { fields: 'id,content', tag: ['a', 'b c'], draft: false, n: 3, absent: undefined };
    const sent = await request({ method: 'POST', path: '/files/a%20b/comments', query, body: [{ x: 'ü' }] });
    should(sent).eql({ status: 200, body: { id: 'C' } });
    urls().should.eql([
      'POST /drive/v3/files/a%20b/comments?fields=id%2Ccontent&tag=a&tag=b+c&draft=false&n=3',
    ]);
    const [{ headers, body }] = service.requests as [(typeof service.requests)[0]];
    headers.should.containEql({ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' });
    body.toString().should.equal('[{"x":"ü"}]');
  });

  it('request adds supportsAllDrives where Google has it, unless the query contains it', async () => {
    service.onRequest(() => ({ status: 204 }));
    const withParameter = [
      ...[
        'files',
        'files/ID',
        'files/ID/copy',
        'files/ID/watch',
        'files/ID/permissions',
        'files/ID/permissions/P',
      ],
      ...['changes', 'changes/startPageToken', 'changes/watch'],
    ];
    const without = [
      ...[
        'about',
        'drives',
        'files/generateIds',
        'files/trash',
        'files/ID/export',
        'files/ID/revisions',
        'apps',
      ],
      ...['files/ID/comments/C', 'channels/stop', 'files/ID/listLabels'],
    ];
    for (const path of [...withParameter, ...without]) await request({ path });
    await request({ query: { supportsAllDrives: false } });
    urls().should.eql([
      ...withParameter.map((path) => `GET /drive/v3/${path}?supportsAllDrives=true`),
      ...without.map((path) => `GET /drive/v3/${path}`),
      'GET /drive/v3/files?supportsAllDrives=false',
    ]);
    testClient = createTestClient(service.url, { service: { can: CAPABILITIES.custom } });
    await request();
    urls().at(-1)!.should.equal('GET /drive/v3/files');
  });

  it('request returns JSON of any type, an empty string without content, and a Buffer for the rest', async () => {
    const content = Buffer.from([0, 255, 128]);
    const responses: [object, unknown][] = [
      [{ headers: JSON_TYPE, body: '[1]' }, [1]],
      [{ headers: JSON_TYPE, body: '"x"' }, 'x'],
      [{ headers: JSON_TYPE, body: '' }, ''],
      [{ status: 204 }, ''],
      [{ status: 200, body: '' }, ''],
      [{ headers: { 'Content-Type': 'text/csv' }, body: 'a,b' }, Buffer.from('a,b')],
      [{ headers: { 'Content-Type': 'image/png' }, body: content }, content],
    ];
    for (const [response, body] of responses) {
      service.onRequest(() => response);
      should((await request()).body).eql(body);
    }
    service.onRequest(() => ({ headers: JSON_TYPE, body: '{' }));
    await rejected(request(), 'bad_response', 'bad_response_no_json');
  });

  it('request returns the content of a file as it is stored, also of JSON and of compressed files', async () => {
    const query = { alt: 'media' };
    for (const content of [Buffer.from('{"a":1}'), gzipSync('x'), Buffer.alloc(0)]) {
      service.onRequest(() => ({ headers: JSON_TYPE, body: content }));
      should((await request({ path: 'files/F', query })).body).eql(content);
    }
    should(service.requests[0]!.headers['accept-encoding']).equal('identity');
    service.onRequest(() => ({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync('x') }));
    await rejected(request({ path: 'files/F', query }), 'bad_response', 'bad_response_encoding');
  });

  it('request fails with too_large above 10 MiB that are not JSON', async () => {
    const most = Buffer.alloc(10 * 1024 * 1024);
    service.onRequest(() => ({ body: most }));
    should((await request()).body).have.length(most.length);
    service.onRequest(() => ({ body: Buffer.concat([most, Buffer.from('x')]) }));
    await rejected(request(), 'too_large', 'too_large_response');
  });

  it('request joins the lists of all pages, whatever their name, and asks for the page token', async () => {
    service.respondInOrder(
      {
        headers: JSON_TYPE,
        body: { kind: 'drive#revisionList', nextPageToken: 'two', revisions: [{ id: 1 }] },
      },
      { headers: JSON_TYPE, body: { nextPageToken: 'three' } },
      { headers: JSON_TYPE, body: { revisions: [{ id: 2 }, { id: 3 }] } },
    );
    const query = { fields: 'revisions(id)', pageSize: 1 };
    const sent = await request({ path: 'files/F/revisions', query, pages: true });
    should(sent).eql({ status: 200, body: [{ id: 1 }, { id: 2 }, { id: 3 }] });
    service.requests
      .map(({ query: sentQuery }) => sentQuery.get('pageToken'))
      .should.eql([null, 'two', 'three']);
    for (const each of service.requests) {
      should(each.query.get('fields')).equal('revisions(id),nextPageToken');
      should(each.query.get('pageSize')).equal('1');
    }
  });

  it('request prefers the array of objects in a page, and takes a page without an array as empty', async () => {
    service.onRequest(() => ({ headers: JSON_TYPE, body: { defaultAppIds: ['a'], items: [{ id: 'a' }] } }));
    should((await request({ path: 'apps', pages: true })).body).eql([{ id: 'a' }]);
    service.onRequest(() => ({ headers: JSON_TYPE, body: { kind: 'drive#fileList' } }));
    should((await request({ pages: true })).body).eql([]);
  });

  it('request ends a list that repeats itself or has only empty pages', async () => {
    const page = { files: [{ id: 'F' }], nextPageToken: 'again' };
    service.onRequest(() => ({ headers: JSON_TYPE, body: page }));
    await rejected(request({ pages: true }), 'bad_response', 'bad_response_page_token');
    let count = 0;
    service.onRequest(() => ({ headers: JSON_TYPE, body: { files: [], nextPageToken: `${++count}` } }));
    await rejected(request({ pages: true }), 'bad_response', 'bad_response_empty_pages');
    service.onRequest(() => ({ body: '<html>' }));
    const error = await rejected(request({ pages: true }), 'bad_response', 'bad_response_no_json');
    should(error.params).eql({ address: new URL(service.url).host });
  });

  it('request repeats a POST after a rate limit, but not if it may have been processed', async () => {
    const post = { method: 'POST', path: 'files/F/comments', body: {} } as const;
    const ok = { headers: JSON_TYPE, body: { id: 'C' } };
    service.respondInOrder(
      errorResponse(429, 'rateLimitExceeded'),
      errorResponse(403, 'rateLimitExceeded'),
      ok,
    );
    should((await request(post)).body).eql({ id: 'C' });
    service.requests.length.should.equal(3);
    for (const [reply, code] of [
      ['reset', 'network'],
      [errorResponse(503, 'backendError'), 'service_unavailable'],
      [{ status: 408 }, 'timeout'],
      [{ ...ok, cutAfter: 2 }, 'network'],
    ] as const) {
      service.requests.length = 0;
      service.respondInOrder(reply, ok);
      await rejected(request(post), code);
      service.requests.length.should.equal(1);
      service.requests.length = 0;
      service.respondInOrder(reply, ok);
      should((await request({ ...post, repeatable: true })).body).eql({ id: 'C' });
      service.requests.length.should.equal(2);
    }
  });

  for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'] as const) {
    it(`request repeats a ${method} after temporary errors`, async () => {
      service.respondInOrder('reset', errorResponse(503, 'backendError'), { status: 204 });
      should(await request({ method, path: 'files/F' })).eql({ status: 204, body: '' });
      service.requests.length.should.equal(3);
    });
  }

  it('request takes a missing file as deleted only after a DELETE whose response was lost', async () => {
    const remove = { method: 'DELETE', path: 'files/F' } as const;
    service.respondInOrder('reset', errorResponse(404, 'notFound'));
    should(await request(remove)).eql({ status: 204, body: '' });
    service.respondInOrder(errorResponse(404, 'notFound'));
    await rejected(request(remove), 'not_found');
    service.respondInOrder(errorResponse(429, 'rateLimitExceeded'), errorResponse(404, 'notFound'));
    await rejected(request(remove), 'not_found');
  });

  it('request says that a POST may have been carried out, also if a repetition finds nothing', async () => {
    const post = { method: 'POST', path: 'files/F/comments', body: {}, repeatable: true } as const;
    service.respondInOrder('reset', errorResponse(404, 'notFound'));
    const lost = await rejected(request(post), 'not_found', 'not_found_request');
    lost.isOutcomeUnknown.should.be.true();
    service.respondInOrder(errorResponse(404, 'notFound'));
    const missing = await rejected(request(post), 'not_found', 'not_found_request');
    missing.isOutcomeUnknown.should.be.false();
  });

  it('request sends the token to no other origin', async () => {
    const other = await ScriptedService.start();
    try {
      service.onRequest(() => ({ status: 302, headers: { Location: `${other.url}/drive/v3/files` } }));
      for (const query of [{}, { alt: 'media' }]) {
        for (const method of ['GET', 'POST', 'PATCH', 'DELETE'] as const) {
          await rejected(request({ method, query }), 'bad_response', 'bad_response_redirect');
        }
      }
      other.requests.should.be.empty();
    } finally {
      await other.close();
    }
  });
});
