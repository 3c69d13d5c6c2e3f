/** What docs/nodes/about.md says. */
import should from 'should';
import { fileRequests, useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const node = { id: 'n', type: 'cloud-drive-about' };

describe('about node', () => {
  useNodeRed();
  const drive = useDrive({ quota: 1_000_000 });

  it('answers user and quota, sizes as the service has them, and what is left as numbers', async () => {
    await drive().files.add({ name: 'a', content: Buffer.alloc(125_000) });
    const flow = await load([node], { url: drive().url });
    const sent = passed(await flow.run('n', { payload: 'asked', topic: 'mine', filename: 'kept' }));
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

  it('asks for the fields it is given', async () => {
    const flow = await load([{ ...node, fields: 'user' }], { url: drive().url });
    const { payload } = passed(await flow.run('n'));
    (payload as object).should.have.keys('user');
    fileRequests(drive()).should.eql(['GET /drive/v3/about?fields=user']);
  });

  it('takes an empty list of fields for the default: the service answers 400 without any', async () => {
    const flow = await load([{ ...node, fields: ' ' }], { url: drive().url });
    passed(await flow.run('n')).payload?.should.have.properties('user', 'storageQuota');
  });

  it('gives no numbers where the service gives no limit', async () => {
    const answer = { user: {}, storageQuota: { usage: '12' } };
    drive().faults.add({ kind: 'response', match: { path: 'about' }, body: answer });
    const flow = await load([node], { url: drive().url });
    should(passed(await flow.run('n')).payload).eql(answer);
  });

  it('never has less than nothing left', async () => {
    const answer = { storageQuota: { limit: '100', usage: '150' } };
    drive().faults.add({ kind: 'response', match: { path: 'about' }, body: answer });
    const flow = await load([node], { url: drive().url });
    should(passed(await flow.run('n')).payload).eql({ ...answer, free: 0, usedPercent: 150 });
  });

  it('tells what the service refused, and goes on with the next message', async () => {
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
