/** Errors and cancellation in the middle of a synchronization. */
import should from 'should';
import { chmod, open, readdir, rm } from 'node:fs/promises';
import type { SyncProgress } from '../../../src/index';
import { MemorySessionStore } from '../../support/client/memory-session-store';
import { rejected } from '../../support/client/rejected';
import { FakeClock } from '../../support/clock';
import { syncFixture } from '../../support/sync/sync-fixture';

const FILES = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.txt`, `${index}`]));

describe('a synchronization that cannot complete', () => {
  const fixture = syncFixture({ maxTransfers: 2, clock: new FakeClock(), retryFor: 1_000 });

  it('a full drive stops the run at once and reports what was done', async () => {
    await fixture.writeDisk(FILES);
    fixture.drive.faults.add({
      kind: 'error',
      reason: 'storageQuotaExceeded',
      times: 99,
      match: { path: /upload/, nth: 5 },
    });
    const { summary, error, changes } = await fixture.up({ extra: 'trash' });
    error?.code.should.equal('quota_exceeded');
    summary.should.containEql({ created: 4, failed: 0 });
    changes.length.should.equal(4);
    (fixture.requests()['POST upload'] ?? 0).should.be.belowOrEqual(6);
    (await fixture.up()).error?.code.should.equal('quota_exceeded');
    fixture.drive.faults.clear();
    (await fixture.up()).summary.should.containEql({ created: 16, unchanged: 4 });
  });

  it('a service that fails for several files in a row stops the run', async () => {
    await fixture.writeDrive(FILES);
    fixture.drive.faults.add({
      kind: 'error',
      reason: 'backendError',
      times: 9_999,
      match: { query: /alt=media/ },
    });
    const { error, summary } = await fixture.down();
    error?.code.should.equal('service_unavailable');
    summary.should.containEql({ created: 0, failed: 2 });
    (await readdir(fixture.path())).should.eql([]);
  });

  it('missing permission for many files in a row stops the run', async () => {
    await fixture.writeDrive(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}`, 'x'])));
    const reason = 'insufficientFilePermissions';
    fixture.drive.faults.add({ kind: 'error', reason, times: 9_999, match: { query: /alt=media/ } });
    const { error, summary } = await fixture.down();
    error?.code.should.equal('permission_denied');
    summary.failed.should.equal(19);
  });

  it('a folder that cannot be created does not stop the files outside it', async () => {
    const inside = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`locked/${index}`, 'x']));
    await fixture.writeDisk({ ...inside, 'ok.txt': 'small' });
    const reason = 'insufficientFilePermissions';
    const path = /^\/drive\/v3\/files$/;
    fixture.drive.faults.add({ kind: 'error', reason, times: 99, match: { method: 'POST', path } });
    const { error, summary } = await fixture.up();
    error?.code.should.equal('partial_failure');
    summary.should.containEql({ created: 1, failed: 26 });
  });

  it('a cancelled run reports what was done, and the next one continues', async () => {
    await fixture.writeDisk(FILES);
    const aborter = new AbortController();
    const onProgress = ({ done }: SyncProgress): void => {
      if (done === 6) aborter.abort();
    };
    const { summary, error } = await fixture.up({ onProgress }, { signal: aborter.signal });
    error?.code.should.equal('cancelled');
    summary.created.should.be.within(6, 8);
    summary.failed.should.equal(0);
    const next = (await fixture.up()).summary;
    (next.created + next.unchanged).should.equal(20);
    (await fixture.readDrive()).should.eql(await fixture.readDisk());
  });

  for (const direction of ['up', 'down'] as const) {
    it(`a run ${direction} that is cancelled after its last transfer removes nothing`, async () => {
      const extra = { 'x.txt': 'x', 'd/y.txt': 'y', 'e/': '' };
      await fixture.writeDisk(direction === 'up' ? { 'a.txt': 'a' } : extra);
      await fixture.writeDrive(direction === 'up' ? extra : { 'a.txt': 'a' });
      const aborter = new AbortController();
      const onProgress = ({ done }: SyncProgress): void => {
        if (done === 1) aborter.abort();
      };
      const options = { extra: 'delete', onProgress } as const;
      const { summary, error } = await fixture[direction](options, { signal: aborter.signal });
      error?.code.should.equal('cancelled');
      summary.should.containEql({ created: 1, removed: 0, failed: 0 });
      const left = direction === 'up' ? await fixture.readDrive() : await fixture.readDisk();
      Object.keys(left)
        .sort()
        .should.eql(['a.txt', ...Object.keys(extra), 'd/'].sort());
    });
  }

  it('progress counts files and bytes of the plan', async () => {
    await fixture.writeDisk({ 'a.txt': 'aaaa', 'b.txt': 'bb', 'c.txt': 'same' });
    await fixture.writeDrive({ 'c.txt': 'same @1600000000' });
    const reports: SyncProgress[] = [];
    await fixture.up({ onProgress: (progress) => reports.push(progress) });
    const last = reports.at(-1);
    [last?.done, last?.total, last?.bytes, last?.totalBytes].should.eql([3, 3, 6, 6]);
    should(last?.resumedBytes).equal(0);
  });

  it('a folder that cannot be read fails, and nothing is removed', async function () {
    if (process.getuid?.() === 0) this.skip('not as root');
    await fixture.writeDisk({ 'a.txt': 'a', 'secret/b.txt': 'b' });
    await fixture.writeDrive({ 'extra.txt': 'x', 'secret/c.txt': 'c' });
    await chmod(fixture.path('secret'), 0);
    const { summary, changes, error } = await fixture.up({ extra: 'trash' });
    await chmod(fixture.path('secret'), 0o700);
    error?.code.should.equal('partial_failure');
    summary.should.containEql({ created: 1, failed: 1, removed: 0 });
    changes
      .filter(({ action }) => action === 'failed')
      .map(({ path }) => path)
      .should.eql(['secret/']);
  });

  it('a source that is removed while the run starts is local_file', async function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    await fixture.writeDrive({ 'a.txt': 'a' });
    const handle = await open(fixture.path());
    await rm(fixture.path(), { recursive: true });
    // The folder still exists for this process, but has no path.
    const localPath = `/proc/self/fd/${handle.fd}`;
    await rejected(fixture.up({ localPath }), 'local_file');
    await rejected(fixture.up({ localPath, dryRun: true }), 'local_file');
    await handle.close();
  });

  it('a file that cannot be read does not stop the others', async function () {
    if (process.getuid?.() === 0) this.skip('not as root');
    await fixture.writeDisk({ 'a.txt': 'a', 'b.txt': 'b' });
    await chmod(fixture.path('a.txt'), 0);
    (await fixture.up()).summary.should.containEql({ created: 1, failed: 1 });
  });
});

describe('a synchronization that continues an earlier one', () => {
  const fixture = syncFixture({ uploadSessions: new MemorySessionStore() });

  for (const direction of ['up', 'down'] as const) {
    it(`progress says which bytes an earlier run ${direction} has transferred`, async () => {
      const files = { 'large.bin': 'x'.repeat(8_000_000) };
      await (direction === 'up' ? fixture.writeDisk(files) : fixture.writeDrive(files));
      const aborter = new AbortController();
      const onProgress = ({ bytes, resumedBytes }: SyncProgress): void => {
        resumedBytes.should.equal(0);
        if (bytes >= 4_000_000) aborter.abort();
      };
      const { error } = await fixture[direction]({ onProgress }, { signal: aborter.signal });
      error?.code.should.equal('cancelled');
      const reports: SyncProgress[] = [];
      await fixture[direction]({ onProgress: (progress) => reports.push(progress) });
      const last = reports.at(-1);
      [last?.bytes, last?.totalBytes].should.eql([8_000_000, 8_000_000]);
      should(last?.resumedBytes).be.within(1, 7_999_999);
      should(reports.every(({ bytes, resumedBytes }) => bytes >= resumedBytes)).be.true();
    });
  }
});
