/** The delete node as docs/nodes/delete.md describes it. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { fileRequests, nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const remove = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-delete', ...more });

describe('delete node', () => {
  useNodeRed();
  const drive = useDrive();
  const run = nodeRunner('delete', drive);
  const add = (): Promise<string> => drive().files.add({ name: 'a', content: 'x' });
  const methods = (): string[] =>
    drive()
      .requests.to('', '/drive/v3/')
      .map(({ method }) => method);

  for (const service of ['custom', 'google'] as const) {
    it(`delete deletes permanently by default at a ${service} service`, async () => {
      const id = await add();
      const sent = passed(await run({}, { payload: id, topic: 't', filename: 'f' }, { service }));
      should(sent).match({ payload: { id, result: 'deleted' }, topic: 't', filename: 'f' });
      should(drive().files.find(id)).be.undefined();
      const [request] = drive().requests.to('DELETE');
      should(request?.headers['content-type']).equal('application/json');
      should(request?.bytes).equal(0);
    });

    it(`delete moves a file to the trash at a ${service} service`, async () => {
      const id = await add();
      should(passed(await run({ mode: 'trash' }, { payload: id }, { service })).payload).eql({
        id,
        result: 'trashed',
      });
      should(drive().files.find(id)?.trashed).be.true();
      drive().requests.to('DELETE').should.be.empty();
    });
  }

  it('delete accepts an id, or an object with fileId or id', async () => {
    const flow = await load([remove()], { url: drive().url });
    for (const toPayload of [
      (id: string) => id,
      (id: string) => ({ id }),
      (fileId: string) => ({ fileId }),
    ]) {
      const id = await add();
      should(passed(await flow.run('n', { payload: toPayload(id) })).payload).eql({ id, result: 'deleted' });
    }
  });

  it('delete sends no metadata request for a file object with a MIME type', async () => {
    const id = await add();
    passed(await run({}, { payload: { id, mimeType: 'text/plain' } }));
    methods().should.eql(['DELETE']);
  });

  it('delete requests the MIME type of a bare id', async () => {
    const id = await add();
    passed(await run({}, { payload: id }));
    methods().should.eql(['GET', 'DELETE']);
  });

  describe('with everything in the trash', () => {
    for (const service of ['custom', 'google'] as const) {
      it(`delete empties the trash in one request, whatever the message contains, at a ${service} service`, async () => {
        const [kept, trashed] = [await add(), await drive().files.add({ name: 'b', trashed: true })];
        const flow = await load([remove({ what: 'trash' })], { url: drive().url, service });
        for (const payload of [kept, undefined]) {
          drive().requests.clear();
          should(passed(await flow.run('n', { payload })).payload).eql({ result: 'emptied' });
          methods().should.eql(['DELETE']);
        }
        should(drive().files.find(kept)).be.ok();
        should(drive().files.find(trashed)).be.undefined();
      });
    }

    it("delete empties the trash of the account's shared drive only", async () => {
      const driveId = await drive().files.addSharedDrive('Team');
      const mine = await drive().files.add({ name: 'mine', trashed: true });
      const theirs = await drive().files.add({ name: 'theirs', parent: driveId, trashed: true });
      const options = { url: drive().url, service: 'google', account: { driveId } } as const;
      passed(await (await load([remove({ what: 'trash' })], options)).run('n', {}));
      should(drive().files.find(mine)).be.ok();
      should(drive().files.find(theirs)).be.undefined();
    });

    it('delete fails at a custom service that has no trash', async () => {
      drive().faults.add({ kind: 'response', status: 405, match: { method: 'DELETE' } });
      failed(await run({ what: 'trash' }, {}), 'bad_response', 'trash');
    });
  });

  describe('with a missing file', () => {
    for (const service of ['custom', 'google'] as const) {
      it(`delete fails with not_found by default at a ${service} service`, async () => {
        failed(await run({}, { payload: 'gone' }, { service }), 'not_found');
      });
      for (const mode of ['permanent', 'trash']) {
        it(`delete reports a missing file as missing with missing ignore, mode ${mode}, at a ${service} service`, async () => {
          const { payload } = passed(
            await run({ missing: 'ignore', mode }, { payload: 'gone' }, { service }),
          );
          should(payload).eql({ id: 'gone', result: 'missing' });
        });
      }
    }

    it('delete ignores no other error than not_found', async () => {
      drive().faults.add({ kind: 'error', reason: 'forbidden', match: { method: 'DELETE' } });
      const id = await add();
      failed(await run({ missing: 'ignore' }, { payload: id }), 'permission_denied');
      should(drive().files.find(id)).be.ok();
    });
  });

  describe('with a folder', () => {
    for (const service of ['custom', 'google'] as const) {
      it(`delete rejects a folder unless folders are allowed, at a ${service} service`, async () => {
        const id = await drive().files.addFolder('folder');
        const flow = await load([remove()], { url: drive().url, service });
        for (const payload of [id, { id, mimeType: 'application/vnd.google-apps.folder' }]) {
          failed(await flow.run('n', { payload }), 'invalid_input', 'folder');
        }
        drive().requests.to('DELETE').should.be.empty();
        should(drive().files.find(id)).be.ok();
      });

      it(`delete deletes a folder with its content if folders are allowed, at a ${service} service`, async () => {
        const id = await drive().files.addFolder('folder');
        const inside = await drive().files.add({ name: 'inside', content: 'x', parent: id });
        should(passed(await run({ allowFolders: true }, { payload: id }, { service })).payload).eql({
          id,
          result: 'deleted',
        });
        should(drive().files.find(inside)).be.undefined();
      });
    }
    it('delete rejects a folder with mode trash too', async () => {
      const id = await drive().files.addFolder('folder');
      failed(await run({ mode: 'trash' }, { payload: id }), 'invalid_input');
      should(drive().files.find(id)?.trashed).be.false();
    });
  });

  describe('with the root', () => {
    for (const [description, more] of [
      ['', {}],
      [' with folders allowed', { allowFolders: true }],
      [' with mode trash', { allowFolders: true, mode: 'trash' }],
    ] as const) {
      it(`delete rejects the aliases root and trash${description}`, async () => {
        const flow = await load([remove(more)], { url: drive().url });
        for (const payload of [
          'root',
          { id: 'root' },
          { fileId: 'root', mimeType: 'text/plain' },
          ['root'],
          'trash',
        ]) {
          failed(await flow.run('n', { payload }), 'invalid_input');
        }
        drive().requests.all.should.be.empty();
      });

      it(`delete rejects the id of the root${description}`, async () => {
        const { rootId } = drive().files;
        for (const service of ['custom', 'google'] as const) {
          const flow = await load([remove(more)], { url: drive().url, service });
          failed(await flow.run('n', { payload: rootId }), 'invalid_input');
          const folder = { id: rootId, mimeType: 'application/vnd.google-apps.folder' };
          failed(await flow.run('n', { payload: folder }), 'invalid_input');
          await helper.unload();
        }
        drive().requests.to('DELETE').should.be.empty();
        drive().requests.to('PATCH').should.be.empty();
      });
    }

    it('delete rejects the id of a shared drive without any request', async () => {
      const options = { url: drive().url, account: { driveId: '0ADrive' } };
      const flow = await load([remove({ allowFolders: true })], options);
      for (const payload of ['0ADrive', 'root', { id: '0ADrive', mimeType: 'text/plain' }]) {
        failed(await flow.run('n', { payload }), 'invalid_input', 'root');
      }
      drive().requests.all.should.be.empty();
    });
  });

  describe('with an array', () => {
    it('delete shows its progress', async () => {
      const payload = [await add(), await add()];
      const flow = await load([remove()], { url: drive().url });
      passed(await flow.run('n', { payload }));
      should(flow.statuses('n')).containEql({ fill: 'blue', shape: 'dot', text: '0 / 2' });
    });

    it('delete sends an array of results in the order of the array', async () => {
      const ids = [await add(), await add(), await add()];
      const { payload } = passed(await run({}, { payload: [ids[0], { id: ids[1] }, { fileId: ids[2] }] }));
      should(payload).eql(ids.map((id) => ({ id, result: 'deleted' })));
    });

    it('delete sends an array of one result for an array of one', async () => {
      const id = await add();
      should(passed(await run({ mode: 'trash' }, { payload: [id] })).payload).eql([
        { id, result: 'trashed' },
      ]);
    });

    it('delete fails with partial_failure and all results if some items fail', async () => {
      const [first, folder, last] = [await add(), await drive().files.addFolder('f'), await add()];
      const flow = await load([remove()], { url: drive().url });
      const ending = await flow.run('n', { payload: [first, folder, 'gone', last], topic: 't' });
      const { cause } = failed(ending, 'partial_failure', '2 of 4');
      should(cause).eql({ code: 'partial_failure', retryable: false });
      const results = ending.msg.payload as { error?: { message: string } }[];
      should(results).match([
        { id: first, result: 'deleted' },
        { id: folder, result: 'failed', error: { code: 'invalid_input' } },
        { id: 'gone', result: 'failed', error: { code: 'not_found' } },
        { id: last, result: 'deleted' },
      ]);
      Object.keys(results[2] ?? {}).should.eql(['id', 'result', 'error']);
      Object.keys(results[2]?.error ?? {}).should.eql(['code', 'message']);
      should(results[2]?.error?.message).match(/was deleted, the ID is wrong/);
      should(ending.msg.topic).equal('t');
      should(drive().files.find(last)).be.undefined();
      passed(await flow.run('n', { payload: await add() }));
    });

    it('delete rejects an array with an invalid item, naming its index, without any request', async () => {
      const id = await add();
      const flow = await load([remove()], { url: drive().url });
      failed(await flow.run('n', { payload: [id, { name: 'x' }] }), 'invalid_input', 'msg.payload[1]');
      failed(await flow.run('n', { payload: [id, id, 'root'] }), 'invalid_input', 'msg.payload[2]');
      failed(await flow.run('n', { payload: [] }), 'invalid_input', 'an empty array');
      const withGap = [id];
      withGap[2] = id;
      failed(await flow.run('n', { payload: withGap }), 'invalid_input', 'msg.payload[1]');
      fileRequests(drive()).should.be.empty();
    });

    it('delete accepts missing items with missing ignore', async () => {
      const id = await add();
      should(passed(await run({ missing: 'ignore' }, { payload: ['gone', id] })).payload).eql([
        { id: 'gone', result: 'missing' },
        { id, result: 'deleted' },
      ]);
    });
  });
});
