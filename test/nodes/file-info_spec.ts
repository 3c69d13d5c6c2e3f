/** The file info node as docs/nodes/file-info.md describes it, compared with Google's official client. */
import type { drive_v3 } from '@googleapis/drive';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { ACCESS_TOKEN, CLIENT } from '../support/node-red/account';
import { fileRequests, nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { useGoogleClient } from '../support/node-red/google-client';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { MINE, minimalAccount, withMinimalService } from '../support/node-red/minimal-account';
import { failed, passed } from '../support/node-red/outcome';

const FIELDS = 'id,name,description,starred,modifiedTime,appProperties,properties,webViewLink';

describe('file info node', () => {
  useNodeRed();
  const drive = useDrive({ clients: [{ ...CLIENT }], token: ACCESS_TOKEN });
  const google = useGoogleClient(drive);
  let unique = 0;
  let folder: string;
  let id: string;

  beforeEach(async () => {
    folder = await drive().files.addFolder(`folder ${++unique}`);
    id = await drive().files.add({ name: 'a.txt', parent: folder, content: 'content' });
    drive().requests.clear();
  });

  const run = nodeRunner('file-info', drive, { service: 'google' }, () => ({ topic: 'mine', payload: id }));
  const fromGoogle = async (fileId: string, fields: string) =>
    (await google().files.get({ fileId, fields, supportsAllDrives: true })).data;

  it('file info sends the same fields as Google’s client, by id, path, object and browser URL', async () => {
    const path = `/folder ${unique}/a.txt`;
    const url = `https://drive.google.com/file/d/${id}/view?usp=sharing`;
    const expected = await fromGoogle(id, FIELDS);
    for (const payload of [id, path, { id }, { fileId: id, id: 'other' }, url]) {
      const sent = passed(await run({ fields: FIELDS }, { payload }));
      should(sent).containEql({ topic: 'mine', payload: expected });
    }
    should(passed(await run({ fields: '*' })).payload).eql(await fromGoogle(id, '*'));
    should(passed(await run({ fields: 'name' })).payload).eql({ name: 'a.txt' });
    failed(await run({ fields: 'nope' }), 'bad_response', "rejected fields (invalidParameter): 'nope'.");
    const changes = JSON.stringify({ description: 'new', properties: { a: '1', b: '2' } });
    const fields = 'name,properties(a)';
    should(passed(await run({ fields, changes })).payload).match({ name: 'a.txt', description: 'new' });
  });

  for (const service of ['google', 'custom'] as const) {
    it(`file info reads and changes a folder and the default fields at a ${service} service`, async () => {
      const sent = passed(
        await run({ changes: '{"starred":true}' }, { payload: `/folder ${unique}` }, { service }),
      );
      should(sent.payload).match({ id: folder, name: `folder ${unique}`, parents: [drive().files.rootId] });
      should(await fromGoogle(folder, 'starred')).eql({ starred: true });
    });
  }

  it('file info changes metadata like Google’s client', async () => {
    const other = await drive().files.add({ name: 'a.txt', parent: folder, content: 'content' });
    const steps = [
      { description: 'd', starred: true, modifiedTime: '2026-01-02T03:04:05.000Z', name: 'b.txt' },
      { properties: { a: '1', b: '2' }, appProperties: { c: '3' } },
      { properties: { a: null }, description: null, starred: false },
    ];
    for (const changes of steps) {
      const sent = passed(
        await run({ fields: FIELDS, changes: 'changes', changesType: 'msg' }, { payload: id, changes }),
      );
      const requestBody = changes as drive_v3.Schema$File;
      const { data } = await google().files.update({ fileId: other, requestBody, fields: FIELDS });
      const { id: _id, webViewLink: _link, modifiedTime, ...rest } = data;
      should(sent.payload).containEql(rest);
      if ('modifiedTime' in changes) should(sent.payload).have.property('modifiedTime', modifiedTime);
    }
    should(await fromGoogle(id, 'properties,appProperties')).eql({
      properties: { b: '2' },
      appProperties: { c: '3' },
    });
  });

  it('file info takes changes as JSON and a Date as a time, and sends only what is given', async () => {
    const modifiedTime = new Date(Date.UTC(2026, 0, 2));
    passed(await run({ changes: 'changes', changesType: 'msg' }, { payload: id, changes: { modifiedTime } }));
    should(await fromGoogle(id, 'modifiedTime')).eql({ modifiedTime: '2026-01-02T00:00:00.000Z' });
    passed(await run({ changes: '{"description":"text"}', changesType: 'json' }));
    should(await fromGoogle(id, 'description')).eql({ description: 'text' });
    passed(await run({ changes: '{}' }));
    const requests = fileRequests(drive()).filter(
      (each) => !each.includes('fields=modifiedTime&') && !each.includes('fields=description&'),
    );
    requests.map((each) => each.split(' ')[0]).should.eql(['PATCH', 'PATCH', 'GET']);
    const bodies = drive()
      .requests.to('PATCH')
      .map(({ body }) => String(body));
    bodies.should.eql(['{"modifiedTime":"2026-01-02T00:00:00.000Z"}', '{"description":"text"}']);
  });

  it('file info reads and changes a shortcut itself', async () => {
    const { data } = await google().files.create({
      requestBody: {
        name: 'to a',
        mimeType: 'application/vnd.google-apps.shortcut',
        shortcutDetails: { targetId: id },
      },
    });
    const node = { changes: '{"starred":true}', fields: 'id,starred,shortcutDetails' };
    const sent = passed(await run(node, { payload: '/to a' }));
    should(sent.payload).match({ id: data.id, starred: true, shortcutDetails: { targetId: id } });
    should(await fromGoogle(id, 'starred')).eql({ starred: false });
  });

  it('file info works on a shared drive', async () => {
    const driveId = await drive().files.addSharedDrive('Team');
    const file = await drive().files.add({ name: 'team.txt', parent: driveId });
    const sent = passed(
      await run({ changes: '{"description":"d"}', fields: 'description,driveId' }, { payload: file }),
    );
    should(sent.payload).eql({ description: 'd', driveId });
  });

  it('file info resolves a path again after it has renamed the file', async () => {
    const nodes: FlowNode[] = [
      { id: 'read', type: 'cloud-drive-file-info', fields: 'id' },
      { id: 'rename', type: 'cloud-drive-file-info', changes: '{"name":"renamed"}' },
    ];
    const flow = await load(nodes, { url: drive().url });
    const path = `/folder ${unique}/a.txt`;
    should(passed(await flow.run('read', { payload: path })).payload).eql({ id });
    passed(await flow.run('rename', { payload: folder }));
    failed(await flow.run('read', { payload: path }), 'not_found');
    should(passed(await flow.run('read', { payload: '/renamed/a.txt' })).payload).eql({ id });
    await helper.unload();
  });

  it('file info reports a missing file, and a file that may not be changed', async () => {
    for (const changes of ['', '{"starred":true}']) {
      for (const service of ['google', 'custom'] as const)
        failed(await run({ changes }, { payload: 'missing' }, { service }), 'not_found');
    }
    drive().faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match: { method: 'PATCH' } });
    failed(await run({ changes: '{"starred":true}' }), 'permission_denied');
  });

  const bigIntTime = { payload: 'any', x: { modifiedTime: 1n } };
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const circularHints = { payload: 'any', x: { contentHints: circular } };
  const rejected: [string, object, Record<string, unknown> | undefined, string][] = [
    ['a missing file', {}, { payload: undefined }, 'file (msg.payload)'],
    ['an invalid file', {}, { payload: 5 }, 'file (msg.payload)'],
    ['missing changes', { changes: 'x', changesType: 'msg' }, undefined, 'changes (msg.x)'],
    ['changes that are no JSON', { changes: 'starred' }, undefined, 'changes (str)'],
    ['an array of changes', { changes: '[]' }, undefined, 'changes (str)'],
    ['an unknown member', { changes: '{"colour":"red"}' }, undefined, '“colour”'],
    ['a read-only member', { changes: '{"starred":true,"size":"5"}' }, undefined, '“size”'],
    ['parents', { changes: '{"parents":["x"]}' }, undefined, '“parents”'],
    ['trashed', { changes: '{"trashed":true}' }, undefined, '“trashed”'],
    ['an inherited name', { changes: '{"toString":"x"}' }, undefined, '“toString”'],
    ['a boolean of the wrong type', { changes: '{"starred":"yes"}' }, undefined, '“starred”'],
    ['properties of the wrong type', { changes: '{"properties":["a"]}' }, undefined, '“properties”'],
    ['a property that is no string', { changes: '{"appProperties":{"a":1}}' }, undefined, '“appProperties”'],
    ['a date without time', { changes: '{"modifiedTime":"2026-11-22"}' }, undefined, '2026-11-22T02:30:00Z'],
    ['a BigInt as time', { changes: 'x', changesType: 'msg' }, bigIntTime, 'changes (msg.x)'],
    ['a circular object', { changes: 'x', changesType: 'msg' }, circularHints, 'circular reference'],
    ['unbalanced fields', { fields: 'id,owners(' }, undefined, 'fields'],
  ];
  for (const [description, more, msg, words] of rejected) {
    it(`file info rejects ${description} without any request`, async () => {
      failed(await run(more, msg ?? { payload: `/folder ${unique}/a.txt` }), 'invalid_input', words);
      fileRequests(drive()).should.be.empty();
    });
  }

  it('file info says that a service without metadata requests has none', () =>
    withMinimalService(async (service) => {
      const file = service.add({ name: 'a.txt', content: 'x' });
      for (const changes of ['', '{"starred":true}']) {
        const node = { id: 'n', type: 'cloud-drive-file-info', account: 'mine', changes };
        const flow = await load([node, minimalAccount(service)], { credentials: MINE });
        failed(
          await flow.run('n', { payload: file }),
          'bad_response',
          'The service returned no metadata for this file',
        );
        await helper.unload();
      }
    }));
});
