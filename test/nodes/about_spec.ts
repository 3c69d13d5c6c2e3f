/** The about node as docs/nodes/about.md describes it. */
import should from 'should';
import { fileRequests, nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const node = { id: 'n', type: 'cloud-drive-about' };

describe('about node', () => {
  useNodeRed();
  const drive = useDrive({ quota: 1_000_000 });
  const run = nodeRunner('about', drive);

  it('about sends the user, the quota as the service returns it, and the free space as numbers', async () => {
    await drive().files.add({ name: 'a', content: Buffer.alloc(125_000) });
    const sent = passed(await run({}, { payload: 'ignored', topic: 'mine', filename: 'kept' }));
    const { _msgid, ...rest } = sent;
    should(_msgid).be.a.String();
    rest.should.containDeep({ topic: 'mine', filename: 'kept' });
    Object.keys(rest).sort().should.eql(['filename', 'payload', 'topic']);
    rest.payload?.should.have.keys('user', 'storageQuota', 'free', 'usedPercent');
    rest.payload?.should.containDeep({
      user: { emailAddress: 'user@local-drive.example' },
      storageQuota: { limit: '1000000', usage: '125000' },
      free: 875_000,
      usedPercent: 12.5,
    });
    fileRequests(drive()).should.eql(['GET /drive/v3/about?fields=user,storageQuota']);
  });

  it('about requests the configured fields', async () => {
    const { payload } = passed(await run({ fields: 'user' }));
    (payload as object).should.have.keys('user');
    fileRequests(drive()).should.eql(['GET /drive/v3/about?fields=user']);
  });

  it('about names fields that the service rejects', async () => {
    failed(
      await run({ fields: 'user,nope' }),
      'bad_response',
      "rejected fields (invalidParameter): 'user,nope'.",
    );
  });

  it('about requests the default fields if the field is empty', async () => {
    passed(await run({ fields: ' ' })).payload?.should.have.properties('user', 'storageQuota');
  });

  it('about sends no free space if the service returns no limit', async () => {
    const body = { user: {}, storageQuota: { usage: '12' } };
    drive().faults.add({ kind: 'response', match: { path: 'about' }, body });
    should(passed(await run()).payload).eql(body);
  });

  it('about sends 0 free bytes if more than the limit is used', async () => {
    const body = { storageQuota: { limit: '100', usage: '150' } };
    drive().faults.add({ kind: 'response', match: { path: 'about' }, body });
    should(passed(await run()).payload).eql({ ...body, free: 0, usedPercent: 150 });
  });

  it('about reports an error of the service and handles the next message', async () => {
    drive().faults.add({ kind: 'error', reason: 'accessNotConfigured', match: { path: 'about' } });
    const flow = await load([node], { url: drive().url });
    const { cause } = failed(await flow.run('n'), 'permission_denied', 'Enable');
    should(cause).eql({
      code: 'permission_denied',
      status: 403,
      reason: 'accessNotConfigured',
      retryable: false,
    });
    passed(await flow.run('n'));
  });
});
