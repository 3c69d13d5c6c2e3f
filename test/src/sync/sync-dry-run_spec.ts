/** Cases in which a dry run has to find out what the random trees of sync-properties_spec.ts don't contain. */
import 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { SyncRequest, SyncResult } from '../../../src/index';
import { syncFixture } from '../../support/sync/sync-fixture';
import { planOf } from '../../support/sync/trees';

const DOCUMENT = 'application/vnd.google-apps.document';
const FORM = 'application/vnd.google-apps.form';
const SHEET = 'application/vnd.google-apps.spreadsheet';

describe('a dry run', () => {
  const fixture = syncFixture();

  async function planAndRun(
    direction: 'up' | 'down',
    more: Partial<SyncRequest>,
  ): Promise<Record<'plan' | 'run', SyncResult>> {
    const plan = await fixture[direction]({ ...more, dryRun: true });
    fixture.drive.requests.all.every(({ method }) => method === 'GET').should.be.true();
    return { plan, run: await fixture[direction](more) };
  }

  it('skips Workspace documents without the format, asking for the formats once', async () => {
    const parents = [fixture.folderId, await fixture.drive.files.addFolder('d', fixture.folderId)];
    for (const parent of parents) {
      for (const mimeType of [DOCUMENT, FORM, SHEET])
        await fixture.drive.files.add({ name: mimeType.slice(28), parent, mimeType });
    }
    await fixture.writeDisk({ 'form.csv': 'stays' });
    const { plan, run } = await planAndRun('down', { exportFormat: 'csv', extra: 'delete' });
    planOf(plan).should.eql(planOf(run));
    plan.summary.should.containEql({ created: 2, skipped: 4, removed: 0 });
    const reasons = plan.changes.map(({ path, reason }) => `${path} ${reason ?? ''}`);
    reasons.should.containEql('document.csv no_export_format');
    const requests = fixture.requests();
    requests['GET about']?.should.equal(2, 'one request for each run');
  });

  it('asks for no export formats without documents, without a format, and when uploading', async () => {
    await fixture.writeDrive({ 'a.txt': 'a' });
    await fixture.down({ exportFormat: 'pdf', dryRun: true });
    await fixture.add('Doc', { mimeType: DOCUMENT });
    await fixture.down({ dryRun: true });
    await fixture.up({ exportFormat: 'pdf', dryRun: true });
    Object.keys(fixture.requests()).should.eql(['GET files']);
  });

  it('reports files that can not be read, and removes nothing then', async function () {
    // Not even root can read this file.
    if (process.platform !== 'linux') this.skip('needs Linux');
    await fixture.writeDrive({ 'extra.txt': 'x' });
    const request = {
      localPath: '/proc/sys/vm',
      include: ['compact_memory', 'extra.txt'],
      extra: 'trash',
    } as const;
    const { plan, run } = await planAndRun('up', request);
    planOf(plan).should.eql(planOf(run));
    plan.summary.should.containEql({ created: 0, failed: 1, removed: 0 });
    plan.error?.code.should.equal('partial_failure');
  });

  it('removes no file from the drive that has the name of a part file on disk', async () => {
    const part = '.a.txt.0123456789abcdef.1-0a0b0c0d.part';
    await fixture.writeDisk({ 'a.txt': 'a', [part]: 'half' });
    await fixture.writeDrive({ 'b.txt': 'b', [part]: 'half' });
    const { plan, run } = await planAndRun('up', { extra: 'trash' });
    planOf(plan).should.eql(planOf(run));
    plan.summary.removed.should.equal(1);
  });
});

describe('a dry run with a custom service', () => {
  const fixture = syncFixture({ service: { can: CAPABILITIES.custom } });

  it('expects no times that the service has refused to set', async () => {
    await fixture.writeDrive({ 'a.txt': 'same @1600000000' });
    await fixture.writeDisk({ 'a.txt': 'same @1600000001' });
    (await fixture.up({ dryRun: true })).changes.map(({ reason }) => reason).should.eql(['time']);
    fixture.drive.faults.add({ kind: 'response', status: 405, times: 99, match: { method: 'PATCH' } });
    const run = await fixture.up();
    run.summary.should.containEql({ updated: 0, unchanged: 1 });
    planOf(await fixture.up({ dryRun: true })).should.eql(planOf(run));
  });

  it('exports documents although the service reports no export formats', async () => {
    await fixture.add('Doc', { mimeType: DOCUMENT });
    for (const status of [400, 404, 501]) {
      fixture.drive.faults.add({ kind: 'response', status, match: { path: /about$/ } });
      const { summary } = await fixture.down({ exportFormat: 'pdf', dryRun: true });
      summary.should.containEql({ created: 1 });
    }
  });
});
