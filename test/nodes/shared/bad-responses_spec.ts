/** Every node at a service with malformed responses: docs/errors.md, `bad_response`. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import type { Fault } from '../../local-drive';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, node, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

describe('nodes with malformed responses', () => {
  useNodeRed();
  const drive = useDrive();
  const list = { method: 'GET', path: '/drive/v3/files$' };
  const metadata = { method: 'GET', query: 'fields=' };
  const FILE = { id: 'i', name: 'n' };

  /** A node, the request with the malformed response, and responses without a member or with one of the wrong type. */
  const TESTED: [string, NonNullable<Fault['match']>, object[]][] = [
    [
      'about',
      { path: 'about' },
      [
        { user: 'me', storageQuota: {} },
        { user: {}, storageQuota: [] },
      ],
    ],
    [
      'list-folders',
      list,
      [
        {},
        { files: {} },
        { files: ['x'] },
        { files: [{ ...FILE, name: 5 }] },
        { files: [], nextPageToken: 5 },
      ],
    ],
    [
      'search-files',
      list,
      [
        {},
        { files: null },
        { files: [null] },
        { files: [{ ...FILE, size: 5 }] },
        { files: [], incompleteSearch: 'no' },
      ],
    ],
    ['download', metadata, [{}, { id: 5 }, { id: 'x', size: 'large' }, { id: 'x', md5Checksum: 7 }]],
    ['delete', metadata, [{}, { id: 5 }, { id: 'x', mimeType: {} }]],
    [
      'upload',
      { method: 'POST', path: '/upload/' },
      [{}, { id: '' }, { id: 'x', parents: 'y' }, { id: 'x', size: -1 }],
    ],
    [
      'create-folder',
      { method: 'POST', path: '/drive/v3/files$' },
      [{}, { id: null }, { id: 'x', name: [] }],
    ],
  ];

  for (const [type, match, bodies] of TESTED) {
    const responses: [string, object | string, Record<string, string>?][] = [
      ['HTML', '<html>Login</html>', { 'Content-Type': 'text/html' }],
      ['an empty body', ''],
      ['truncated JSON', '{"id": "x', { 'Content-Type': 'application/json' }],
      ['an array', []],
      ['null', 'null'],
      ...bodies.map((body) => [JSON.stringify(body), body] as [string, object]),
    ];
    for (const [description, body, headers] of responses) {
      it(`cloud-drive-${type} fails with bad_response after ${description} and handles the next message`, async () => {
        // A file, a text to search for, a content and a name.
        const payload = await drive().files.add({ name: 'a', content: 'x' });
        const message = { payload, filename: 'a' };
        const flow = await load([node(type)], { url: drive().url });
        drive().faults.add({ kind: 'response', match, body, headers });
        failed(await flow.run('n', message), 'bad_response');
        passed(await flow.run('n', message));
      });
    }
  }

  for (const body of [{}, { access_token: '' }, { access_token: 5 }, '<html>', { access_token: null }]) {
    it(`a token response of ${JSON.stringify(body)} is bad_response, without further requests`, async () => {
      drive().faults.add({ kind: 'response', match: { path: '/token' }, body });
      const flow = await load([node('about')], { url: drive().url, account: { retryFor: 0 } });
      const { message } = failed(await flow.run('n'), 'bad_response');
      message.should.not.containEql('<html>');
      drive().requests.to('', '/drive/').should.be.empty();
      passed(await flow.run('n'));
    });
  }

  it('a malformed response never appears in the error or the log', async () => {
    drive().faults.add({ kind: 'response', match: { path: 'about' }, body: '<html>canary-body</html>' });
    const flow = await load([node('about')], { url: drive().url });
    const { error } = await flow.run('n');
    JSON.stringify(error).should.not.containEql('canary');
    flow.logged().join().should.not.containEql('canary');
  });

  it('the cause of an error contains the status and reason of the service', async () => {
    for (const [reason, status, code] of [
      ['insufficientFilePermissions', 403, 'permission_denied'],
      ['badRequest', 400, 'bad_response'],
      ['dailyLimitExceeded', 403, 'quota_exceeded'],
      ['conflict', 409, 'conflict'],
    ] as const) {
      drive().faults.add({ kind: 'error', reason, match: { path: 'about' } });
      const flow = await load([node('about')], { url: drive().url });
      const { cause } = failed(await flow.run('n'), code);
      should(cause).eql({ code, status, reason, retryable: false });
      await helper.unload();
    }
  });

  it('a temporary error is retryable after the retry budget is used up', async () => {
    for (const [fault, cause] of [
      [
        { kind: 'error', reason: 'backendError', status: 503 },
        { code: 'service_unavailable', status: 503, reason: 'backendError' },
      ],
      [
        { kind: 'error', reason: 'rateLimitExceeded', status: 429 },
        { code: 'rate_limited', status: 429, reason: 'rateLimitExceeded' },
      ],
      [{ kind: 'reset' }, { code: 'network', reason: 'ECONNRESET' }],
    ] as const) {
      drive().faults.add({ ...fault, match: { path: 'about' } });
      const flow = await load([node('about')], { url: drive().url, account: { retryFor: 0 } });
      should(failed(await flow.run('n'), cause.code).cause).eql({ ...cause, retryable: true });
      await helper.unload();
    }
  });
});
