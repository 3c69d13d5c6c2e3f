/** kill -9 while a snapshot is taken, its repository is cleaned up, or it is restored. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import should from 'should';
import { type RecordedRequest, TestClock } from '../../../local-drive';
import { needsProgram } from '../../../support/archive/programs';
import { describeTree } from '../../../support/archive/tree';
import { TOKEN, type TestClient, createTestClient } from '../../../support/client/test-client';
import { FakeClock } from '../../../support/clock';
import { bytes } from '../../../support/content';
import { Random } from '../../../support/random';
import type { SnapshotJob } from '../../../support/snapshots/snapshot-child';
import { roundTimes } from '../../../support/snapshots/random-edits';
import { SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

const CHILD = require.resolve('../../../support/snapshots/snapshot-child');
const KILLS = Number(process.env['KILLS'] ?? 40);
const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
const FILES = 8;
/** s */
const HOUR = 3_600;

describe('a repository whose processes are killed', () => {
  const clock = new TestClock(Date.parse('2024-05-17T10:00:00Z'));
  const fixture = new SnapshotFixture({ clock });
  const random = new Random(SEED, 2);

  before(function () {
    needsProgram(this, 'restic');
  });

  /** Runs until it ends or `ms` have passed since its start. @returns what it printed, and how long it ran */
  async function runIn(ms: number, target?: string): Promise<{ output: string; duration: number }> {
    const { folderId, folder, source } = fixture;
    const job: SnapshotJob = { baseUrl: fixture.on.drive.url, folderId, folder, source };
    const args = ['--require', 'tsx/cjs', CHILD, JSON.stringify({ ...job, target })];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    await once(child.stdout, 'data');
    const start = performance.now();
    const ended = once(child, 'close');
    if (Number.isFinite(ms)) {
      await Promise.race([ended, sleep(ms)]);
      child.kill('SIGKILL');
    }
    await ended;
    return { output, duration: performance.now() - start };
  }

  /** @returns how many ms it ran */
  async function runToEnd(target?: string): Promise<number> {
    const { output, duration } = await runIn(Infinity, target);
    output.should.endWith('done\n');
    return duration;
  }

  /** Although a killed process may have left its lock, which restic removes with `unlock` only. */
  async function checkRepository(): Promise<void> {
    (await fixture.restic('check', '--read-data', '--no-lock')).should.match(/no errors were found/);
  }

  async function unreferencedPacks(): Promise<string[]> {
    const output = await fixture.restic('check', '--no-lock');
    return [...output.matchAll(/pack (\w+): not referenced/g)].map(([, pack]) => pack ?? '');
  }

  async function change(round: number): Promise<void> {
    for (let count = 0; count < 3; count++)
      await writeFile(
        path.join(fixture.source, `file${random.between(1, FILES)}`),
        bytes(random.between(1, 4_000_000), 100 * round + count),
      );
    roundTimes(fixture.source);
  }

  it(`${KILLS} kills of backups at any moment leave a repository without errors, and the next run ends well`, async function () {
    this.timeout(3_600_000);
    await change(0);
    let duration = await runToEnd();
    let kills = 0;
    for (let round = 1; kills < KILLS; round++) {
      await change(round);
      // Cleaning up takes an hour between its phases.
      clock.advance(random.chance(0.5) ? 2 * HOUR : 60);
      const { output } = await runIn(duration * random.fraction());
      if (!output.endsWith('done\n')) kills += 1;
      await checkRepository();
      clock.advance(60);
      duration = await runToEnd();
      await checkRepository();
      (await fixture.restored()).should.deepEqual(await describeTree(fixture.source));
      fixture.names('locks').should.be.empty();
    }
    const left = await unreferencedPacks();
    for (let run = 0; run < 2; run++) {
      clock.advance(2 * HOUR);
      await runToEnd();
    }
    // Each run may leave new ones, for an hour.
    fixture
      .packs()
      .filter((pack) => left.includes(pack))
      .should.be.empty();
  });

  it('kills of restores leave the old or the new tree, and the next run restores the new one', async function () {
    this.timeout(3_600_000);
    const area = path.join(fixture.folder, 'area');
    const target = path.join(area, 'target');
    await change(0);
    await runToEnd();
    const duration = await runToEnd(target);
    for (let round = 1; round <= KILLS / 4; round++) {
      const old = await describeTree(target);
      await change(round);
      // The newest snapshot is the one with the latest time.
      clock.advance(60);
      await runToEnd();
      const wanted = await describeTree(fixture.source);
      await runIn(duration * random.fraction(), target);
      const work = (await readdir(area)).filter((name) => name !== 'target');
      const inWork = await Promise.all(work.map((name) => readdir(path.join(area, name))));
      // In the instant between two renames only the journal knows the state.
      if (!inWork.flat().includes('journal')) [old, wanted].should.containDeep([await describeTree(target)]);
      await runToEnd(target);
      (await describeTree(target)).should.deepEqual(wanted);
      (await readdir(area)).should.deepEqual(['target']);
      await checkRepository();
    }
  });
});

describe('the first backups of two machines at once, of which any may be killed', () => {
  const clock = new FakeClock();
  const fixture = new SnapshotFixture({ clock, refreshToken: 'refresh', tokenLifetime: 1e9 });
  const HOSTS = ['a', 'b'] as const;
  type Host = (typeof HOSTS)[number];
  const tokens: Record<Host, string> = { a: TOKEN, b: '' };

  before(async function () {
    needsProgram(this, 'restic');
    const grant = { grant_type: 'refresh_token', refresh_token: 'refresh' };
    const body = new URLSearchParams({ client_id: 'local-client', client_secret: 'local-secret', ...grant });
    const response = await fetch(`${fixture.on.drive.url}/token`, { method: 'POST', body });
    tokens.b = ((await response.json()) as { access_token: string }).access_token;
  });

  function machine(host: Host, retryFor: number): TestClient {
    const token = (): Promise<string> => Promise.resolve(tokens[host]);
    const options = { tokens: { get: token, renew: token }, clock };
    return createTestClient(fixture.on.drive.url, { ...options, retryFor });
  }

  /** @returns the ID of the snapshot, after its process has sent this many requests at most */
  async function backUp(host: Host, requests = Infinity): Promise<string> {
    const own = machine(host, requests === Infinity ? 60_000 : 0);
    let sent = 0;
    const when = ({ headers }: RecordedRequest): boolean =>
      headers.authorization === `Bearer ${tokens[host]}` && ++sent > requests;
    const killed = fixture.on.drive.faults.add({ kind: 'reset', match: { when }, times: Infinity });
    const cacheFolder = path.join(fixture.folder, `cache-${host}`);
    try {
      const { snapshot, laterError } = await fixture.backUp({ host, cacheFolder }, {}, own.client);
      if (laterError && requests === Infinity) throw laterError;
      return snapshot.id;
    } finally {
      killed.remove();
      own.close();
    }
  }

  async function restoredBy(host: Host, id: string): Promise<Record<string, string>> {
    const own = machine(host, 60_000);
    const target = path.join(fixture.folder, 'target');
    await rm(target, { recursive: true, force: true });
    const choice = { which: 'id', id, sources: 'any', host, allowIncomplete: false } as const;
    const query = { ...fixture.query(), choice, cacheFolder: path.join(fixture.folder, `cache-${host}`) };
    const place = { path: target, overwrite: 'error', stripTop: true } as const;
    await own.client.restoreSnapshot({ ...query, ...place }).finally(() => own.close());
    return describeTree(target);
  }

  async function round(late: number, random: Random, killed: readonly Host[]): Promise<void> {
    const { drive } = fixture.on;
    await fixture.useEmptyFolder();
    roundTimes(fixture.source);
    for (const host of HOSTS)
      await rm(path.join(fixture.folder, `cache-${host}`), { recursive: true, force: true });
    const until = async (): Promise<void> => {
      clock.elapse(random.between(0, 100));
      for (let turns = random.between(0, 20); turns > 0; turns--) await nextTurn();
    };
    drive.faults.add({ kind: 'delay', until, times: Infinity });
    drive.faults.add({ kind: 'lateList', ms: late, match: { method: 'GET' }, times: Infinity });
    const runs = await Promise.allSettled(
      HOSTS.map((host) => backUp(host, killed.includes(host) ? random.between(0, 35) : Infinity)),
    );
    const stored = runs.flatMap((run) => (run.status === 'fulfilled' ? [run.value] : []));
    runs.forEach((run, index) => {
      if (run.status === 'rejected' && !killed.includes(HOSTS[index] as Host))
        should(run.reason).have.property('code', 'conflict');
    });
    for (const host of HOSTS) {
      // Until the lock of a killed process doesn't count any more.
      clock.elapse(HOUR * 1_000);
      stored.push(await backUp(host));
    }
    drive.faults.clear();
    fixture.names('snapshots').should.containDeep(stored);
    drive.files
      .untrashedNames(fixture.folderId)
      .filter((name) => name === 'config')
      .should.have.length(1);
    await fixture.check();
    const tree = await describeTree(fixture.source);
    for (const id of fixture.names('snapshots')) should(await fixture.restored(id)).deepEqual(tree);
    for (const host of HOSTS) should(await restoredBy(host, stored.at(-1) ?? '')).deepEqual(tree);
  }

  for (const late of [0, 50, 1_000, 20_000])
    it(`lists are ${late} ms late: one config decides, and both can be restored`, async function () {
      this.timeout(3_600_000);
      for (let number = 0; number < KILLS / 4; number++) {
        const random = new Random(SEED, number);
        const killed = HOSTS.filter(() => random.chance(0.5));
        await round(late, random, killed).catch((error: Error) => {
          error.message = `round ${number}, killed: ${killed.join()}: ${error.message}`;
          throw error;
        });
      }
    });
});
