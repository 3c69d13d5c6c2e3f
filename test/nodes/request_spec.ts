/** The drive request node as docs/nodes/request.md describes it, compared with Google's official client. */
import type { drive_v3 } from '@googleapis/drive';
import should from 'should';
import { ACCESS_TOKEN, CLIENT } from '../support/node-red/account';
import { fileRequests, nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { useGoogleClient } from '../support/node-red/google-client';
import { useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

describe('drive request node', () => {
  useNodeRed();
  const drive = useDrive({ clients: [{ ...CLIENT }], token: ACCESS_TOKEN });
  const google = useGoogleClient(drive);
  const run = nodeRunner('request', drive, { service: 'google' }, () => ({ topic: 'mine' }));

  it('request without settings lists files like Google’s client', async () => {
    await drive().files.add({ name: 'a.txt', content: 'x' });
    const sent = passed(await run({}));
    const { data, status } = await google().files.list({ supportsAllDrives: true });
    should(sent).containEql({ topic: 'mine', payload: data, statusCode: status });
    should(data.files!.length).be.above(0);
  });

  it('request joins all pages to the same array that Google’s client gets page by page', async () => {
    const parent = await drive().files.addFolder('pages');
    for (const name of ['a', 'b', 'c', 'd', 'e']) await drive().files.add({ name, parent });
    const query = { q: `'${parent}' in parents`, pageSize: 2, fields: 'files(id,name)', orderBy: 'name' };
    const sent = passed(await run({ query: JSON.stringify(query), pages: true }));
    const files: drive_v3.Schema$File[] = [];
    let pageToken: string | undefined;
    do {
      const params = { ...query, fields: 'nextPageToken,files(id,name)', ...(pageToken && { pageToken }) };
      const { data } = await google().files.list(params);
      files.push(...data.files!);
      pageToken = data.nextPageToken ?? undefined;
    } while (pageToken);
    should(sent.payload).eql(files);
    files.length.should.equal(5);
  });

  it('request creates, changes, reads and deletes a file with values from the message', async () => {
    const fromMessage = { pathType: 'msg', path: 'path', queryType: 'msg', query: 'query', bodyType: 'msg' };
    const node = { ...fromMessage, body: 'payload' };
    const query = { fields: 'id,name,description' };
    const created = passed(
      await run(
        { ...node, method: 'POST' },
        { path: '/files', query, payload: { name: 'r', description: 'd' } },
      ),
    ).payload as drive_v3.Schema$File;
    should(created).match({ name: 'r', description: 'd' });
    const path = `files/${created.id}`;
    passed(await run({ ...node, method: 'PATCH' }, { path, query, payload: '{"description": "new"}' }));
    should(passed(await run(node, { path, query })).payload).eql({ ...created, description: 'new' });
    const { data } = await google().files.get({ fileId: created.id!, ...query });
    should(data).eql({ ...created, description: 'new' });
    const deleted = passed(await run({ ...node, method: 'DELETE' }, { path, query: {}, payload: 'no body' }));
    should(deleted).containEql({ payload: '', statusCode: 204 });
    failed(await run(node, { path, query }), 'not_found');
  });

  it('request gets the content of a file as a Buffer', async () => {
    const id = await drive().files.add({ name: 'a.json', content: '{"a":1}', mimeType: 'application/json' });
    const sent = passed(await run({ path: `files/${id}`, query: '{"alt":"media"}', queryType: 'json' }));
    should(sent.payload).eql(Buffer.from('{"a":1}'));
  });

  it('request empties the trash of a shared drive', async () => {
    const driveId = await drive().files.addSharedDrive('Team');
    const id = await drive().files.add({ name: 'old', parent: driveId, trashed: true });
    const sent = passed(
      await run({ method: 'DELETE', path: 'files/trash', query: JSON.stringify({ driveId }) }),
    );
    should(sent).containEql({ payload: '', statusCode: 204 });
    failed(await run({ path: `files/${id}` }), 'not_found');
  });

  it('request reaches nothing above /drive/v3/', async () => {
    failed(await run({ path: '../about' }), 'invalid_input', "isn't below /drive/v3/");
    drive().requests.all.should.be.empty();
  });

  const rejected: [string, object, Record<string, unknown>, string][] = [
    ['a URL', { path: 'https://evil.example/' }, {}, 'path'],
    ['a missing path', { path: 'x', pathType: 'msg' }, {}, 'path (msg.x)'],
    ['a path that is an object', { path: 'x', pathType: 'msg' }, { x: { a: 1 } }, 'path (msg.x)'],
    ['a missing query', { query: 'x', queryType: 'msg' }, {}, 'query (msg.x)'],
    ['a query that is an array', { query: '[1]' }, {}, 'query (str)'],
    ['a query that is no JSON', { query: 'fields=*' }, {}, 'query (str)'],
    ['a nested query', { query: '{"a":{}}' }, {}, '“a”'],
    ['a missing body', { method: 'POST', body: 'x', bodyType: 'msg' }, {}, 'body (msg.x)'],
    ['a Buffer as body', { method: 'PUT', body: 'x', bodyType: 'msg' }, { x: Buffer.from('{}') }, 'Buffer'],
    ['a date as body', { method: 'PATCH', body: 'x', bodyType: 'msg' }, { x: new Date() }, 'Date'],
    ['an unknown method', { method: 'TRACE' }, {}, 'method'],
  ];
  for (const [description, more, msg, words] of rejected) {
    it(`request rejects ${description} without any request`, async () => {
      failed(await run(more, msg), 'invalid_input', words);
      fileRequests(drive()).should.be.empty();
    });
  }

  it('request does not use a body with GET and DELETE, nor pages with POST', async () => {
    passed(await run({ method: 'GET', path: 'about', query: '{"fields":"kind"}', body: 'no JSON' }));
    const sent = passed(await run({ method: 'POST', pages: true, body: '{"name":"x"}' }));
    should(sent.payload).have.property('name', 'x');
  });

  it('request reports an error of the service with its status and reason', async () => {
    const { cause } = failed(await run({ path: 'about' }), 'bad_response', 'rejected the request');
    should(cause).containEql({ status: 400, retryable: false });
  });

  it('request reports an error in the words of Google Drive', async () => {
    const id = await drive().files.add({ name: 'a.txt', content: 'x' });
    for (const [more, code, words] of [
      [{ query: '{"q": "color = blue"}' }, 'bad_response', 'says: “Invalid Value (q)”'],
      [{ path: `files/${id}/permissions/P` }, 'not_found', 'Permission not found: P'],
      [
        { path: `files/${id}`, method: 'PATCH', body: '{"size": "5"}' },
        'bad_response',
        'not directly writable',
      ],
    ] as const) {
      failed(await run(more), code, words);
    }
  });

  it('request says that a POST may have been carried out although its response was lost', async () => {
    const id = await drive().files.add({ name: 'a.txt', content: 'x' });
    const post = {
      method: 'POST',
      path: `files/${id}/comments`,
      query: '{"fields": "id"}',
      body: '{"content": "c"}',
    };
    const match = { method: 'POST', path: /comments/ };
    const unknown = 'unknown whether the request was carried out';
    drive().faults.add({ kind: 'lostResponse', match });
    failed(await run(post), 'network', unknown);
    drive().faults.add({ kind: 'error', reason: 'backendError', status: 503, match });
    failed(await run(post), 'service_unavailable', unknown);
    const { data } = await google().comments.list({ fileId: id, fields: 'comments(content)' });
    should(data.comments).eql([{ content: 'c' }]);
    // Nothing was carried out.
    drive().faults.add({ kind: 'error', reason: 'forbidden', match });
    failed(await run(post), 'permission_denied').message.should.not.containEql(unknown);
    drive().faults.add({ kind: 'reset', match: { method: 'PATCH' }, times: 99 });
    const patch = { ...post, method: 'PATCH', path: `files/${id}`, body: '{"name": "b"}' };
    failed(await run(patch, {}, { account: { retryFor: 0 } }), 'network').message.should.not.containEql(
      unknown,
    );
    drive().faults.clear();
  });
});
