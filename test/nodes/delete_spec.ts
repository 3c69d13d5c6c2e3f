/** What docs/nodes/delete.md says. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { fileRequests, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const remove = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-delete', ...more });

describe('delete node', () => {
  useNodeRed();
  const drive = useDrive();
  const add = (): Promise<string> => drive().files.add({ name: 'a', content: 'x' });
  const methods = (): string[] =>
    drive()
      .requests.to('', '/drive/v3/')
      .map(({ method }) => method);

  for (const service of ['custom', 'google'] as const) {
    it(`deletes for ever by default at a ${service} service`, async () => {
      const id = await add();
      const flow = await load([remove()], { url: drive().url, service });
      const sent = passed(await flow.run('n', { payload: id, topic: 't', filename: 'f' }));
      should(sent).match({ payload: { id, result: 'deleted' }, topic: 't', filename: 'f' });
      should(drive().files.find(id)).be.undefined();
      const [request] = drive().requests.to('DELETE');
      should(request?.headers['content-type']).equal('application/json');
      should(request?.bytes).equal(0);
    });

    it(`trashes at a ${service} service`, async () => {
      const id = await add();
      const flow = await load([remove({ mode: 'trash' })], { url: drive().url, service });
      should(passed(await flow.run('n', { payload: id })).payload).eql({ id, result: 'trashed' });
      should(drive().files.find(id)?.trashed).be.true();
      drive().requests.to('DELETE').should.be.empty();
    });
  }

  it('takes an id, an object with fileId or id', async () => {
    const flow = await load([remove()], { url: drive().url });
    for (const given of [(id: string) => id, (id: string) => ({ id }), (fileId: string) => ({ fileId })]) {
      const id = await add();
      should(passed(await flow.run('n', { payload: given(id) })).payload).eql({ id, result: 'deleted' });
    }
  });

  it('needs no metadata request for what carries its mimeType', async () => {
    const id = await add();
    const flow = await load([remove()], { url: drive().url });
    passed(await flow.run('n', { payload: { id, mimeType: 'text/plain' } }));
    methods().should.eql(['DELETE']);
  });

  it('asks what a file is where that is not known', async () => {
    const id = await add();
    const flow = await load([remove()], { url: drive().url });
    passed(await flow.run('n', { payload: id }));
    methods().should.eql(['GET', 'DELETE']);
  });

  describe('a file that is gone', () => {
    for (const service of ['custom', 'google'] as const) {
      it(`is not_found by default at a ${service} service`, async () => {
        const flow = await load([remove()], { url: drive().url, service });
        failed(await flow.run('n', { payload: 'gone' }), 'not_found');
      });
      for (const mode of ['permanent', 'trash']) {
        it(`counts as done if it may be missing, ${mode}, at a ${service} service`, async () => {
          const flow = await load([remove({ missing: 'ignore', mode })], { url: drive().url, service });
          const { payload } = passed(await flow.run('n', { payload: 'gone' }));
          should(payload).eql({ id: 'gone', result: 'missing' });
        });
      }
    }

    it('is the only error that may be ignored', async () => {
      drive().faults.add({ kind: 'error', reason: 'forbidden', match: { method: 'DELETE' } });
      const id = await add();
      const flow = await load([remove({ missing: 'ignore' })], { url: drive().url });
      failed(await flow.run('n', { payload: id }), 'permission_denied');
      should(drive().files.find(id)).be.ok();
    });
  });

  describe('a folder', () => {
    for (const service of ['custom', 'google'] as const) {
      it(`is refused unless it is allowed, at a ${service} service`, async () => {
        const id = await drive().files.addFolder('folder');
        const flow = await load([remove()], { url: drive().url, service });
        for (const payload of [id, { id, mimeType: 'application/vnd.google-apps.folder' }]) {
          failed(await flow.run('n', { payload }), 'invalid_input', 'folder');
        }
        drive().requests.to('DELETE').should.be.empty();
        should(drive().files.find(id)).be.ok();
      });

      it(`is deleted with what is in it where it is allowed, at a ${service} service`, async () => {
        const id = await drive().files.addFolder('folder');
        const inside = await drive().files.add({ name: 'inside', content: 'x', parent: id });
        const flow = await load([remove({ allowFolders: true })], { url: drive().url, service });
        should(passed(await flow.run('n', { payload: id })).payload).eql({ id, result: 'deleted' });
        should(drive().files.find(inside)).be.undefined();
      });
    }
    it('is refused as trash too', async () => {
      const id = await drive().files.addFolder('folder');
      const flow = await load([remove({ mode: 'trash' })], { url: drive().url });
      failed(await flow.run('n', { payload: id }), 'invalid_input');
      should(drive().files.find(id)?.trashed).be.false();
    });
  });

  describe('the root', () => {
    for (const [what, more] of [
      ['', {}],
      [', folders allowed', { allowFolders: true }],
      [', as trash', { allowFolders: true, mode: 'trash' }],
    ] as const) {
      it(`is never deleted by its alias or what else stands for more than a file${what}`, async () => {
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

      it(`is never deleted by its own id${what}`, async () => {
        const { rootId } = drive().files;
        for (const service of ['custom', 'google'] as const) {
          const flow = await load([remove(more)], { url: drive().url, service });
          failed(await flow.run('n', { payload: rootId }), 'invalid_input');
          const whole = { id: rootId, mimeType: 'application/vnd.google-apps.folder' };
          failed(await flow.run('n', { payload: whole }), 'invalid_input');
          await helper.unload();
        }
        drive().requests.to('DELETE').should.be.empty();
        drive().requests.to('PATCH').should.be.empty();
      });
    }

    it("is never deleted by the shared drive's id, nor is anything else sent", async () => {
      const options = { url: drive().url, account: { driveId: '0ADrive' } };
      const flow = await load([remove({ allowFolders: true })], options);
      for (const payload of ['0ADrive', 'root', { id: '0ADrive', mimeType: 'text/plain' }]) {
        failed(await flow.run('n', { payload }), 'invalid_input', 'root');
      }
      drive().requests.all.should.be.empty();
    });
  });

  describe('an array', () => {
    it('shows how far it is', async () => {
      const payload = [await add(), await add()];
      const flow = await load([remove()], { url: drive().url });
      passed(await flow.run('n', { payload }));
      should(flow.statuses('n')).containEql({ fill: 'blue', shape: 'dot', text: '0 / 2' });
    });

    it('is answered with an array in its order', async () => {
      const ids = [await add(), await add(), await add()];
      const flow = await load([remove()], { url: drive().url });
      const { payload } = passed(
        await flow.run('n', { payload: [ids[0], { id: ids[1] }, { fileId: ids[2] }] }),
      );
      should(payload).eql(ids.map((id) => ({ id, result: 'deleted' })));
    });

    it('of one is answered with an array of one', async () => {
      const id = await add();
      const flow = await load([remove({ mode: 'trash' })], { url: drive().url });
      should(passed(await flow.run('n', { payload: [id] })).payload).eql([{ id, result: 'trashed' }]);
    });

    it('of which some fail is partial_failure with all results, and the rest is deleted', async () => {
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
      should(results[2]?.error?.message).match(/deleted, the id is wrong/);
      should(ending.msg.topic).equal('t');
      should(drive().files.find(last)).be.undefined();
      passed(await flow.run('n', { payload: await add() }));
    });

    it('is refused whole, and nothing sent, where an item is none: the place is told', async () => {
      const id = await add();
      const flow = await load([remove()], { url: drive().url });
      failed(await flow.run('n', { payload: [id, { name: 'x' }] }), 'invalid_input', 'msg.payload[1]');
      failed(await flow.run('n', { payload: [id, id, 'root'] }), 'invalid_input', 'msg.payload[2]');
      failed(await flow.run('n', { payload: [] }), 'invalid_input', 'array[0]');
      fileRequests(drive()).should.be.empty();
    });

    it('may have missing ones', async () => {
      const id = await add();
      const flow = await load([remove({ missing: 'ignore' })], { url: drive().url });
      should(passed(await flow.run('n', { payload: ['gone', id] })).payload).eql([
        { id: 'gone', result: 'missing' },
        { id, result: 'deleted' },
      ]);
    });
  });
});
