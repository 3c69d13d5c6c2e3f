/** Many generations of a folder that changes at random, in one repository. */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { TestClock } from '../../../local-drive';
import { needsProgram } from '../../../support/archive/programs';
import { describeTree } from '../../../support/archive/tree';
import { createTestClient } from '../../../support/client/test-client';
import { Random } from '../../../support/random';
import { editRandomly } from '../../../support/snapshots/random-edits';
import { RULES, SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

const GENERATIONS = Number(process.env['GENERATIONS'] ?? 200);
const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
const TURNS = 20;
/** s */
const HOUR = 3_600;
const TIMEOUT = 3_600_000;

type Tree = Record<string, string>;

async function restoredBy(fixture: SnapshotFixture, id: string): Promise<Tree> {
  const target = path.join(fixture.folder, 'target');
  await rm(target, { recursive: true, force: true });
  const query = fixture.query();
  await fixture.on.client.restoreSnapshot({
    ...{ ...query, choice: { ...query.choice, which: 'id', id } },
    ...{ path: target, overwrite: 'error', stripTop: true },
  });
  return describeTree(target);
}

describe('a repository of many snapshots', () => {
  const clock = new TestClock(Date.parse('2024-05-17T10:00:00Z'));
  const fixture = new SnapshotFixture({ clock });

  before(function () {
    needsProgram(this, 'restic');
  });

  it(`each kept snapshot of ${GENERATIONS} generations is exactly what the folder was`, async function () {
    this.timeout(TIMEOUT);
    const random = new Random(SEED);
    const trees = new Map<string, Tree>();
    const retention = { ...RULES, keepNewest: 4, daily: 3, weekly: 2 };
    for (let generation = 1; generation <= GENERATIONS; generation++) {
      editRandomly(fixture.source, random, generation);
      if (random.chance(0.05)) await rm(path.join(fixture.folder, 'cache'), { recursive: true, force: true });
      const maxUnused = random.pick([0, 5, 50]);
      const { snapshot, laterError } = await fixture.backUp({ retention, maxUnused });
      should(laterError).be.undefined();
      trees.set(snapshot.id, await describeTree(fixture.source));
      const kept = fixture.names('snapshots');
      for (const id of generation % 25 === 0 ? kept : [random.pick(kept)])
        should(await restoredBy(fixture, id)).deepEqual(trees.get(id), `${id} in generation ${generation}`);
      if (generation % 25 === 0) await fixture.check();
      fixture.names('locks').should.be.empty();
      clock.advance(random.between(0, 30) * HOUR);
    }
    // What is unused now can be removed an hour later.
    clock.advance(2 * HOUR);
    await fixture.backUp({ maxUnused: 0 });
    clock.advance(2 * HOUR);
    await fixture.backUp({ maxUnused: 0 });
    (await fixture.restic('check')).should.not.match(/not referenced/);
  });
});

describe('a repository that restic writes to as well', () => {
  const fixture = new SnapshotFixture();

  before(function () {
    needsProgram(this, 'restic');
  });

  it(`${TURNS} snapshots in turn, with clean-ups of both in between, restore what was backed up`, async function () {
    this.timeout(TIMEOUT);
    const random = new Random(SEED, 1);
    const trees = new Map<string, Tree>();
    const retention = { ...RULES, keepNewest: 12 };
    const another = createTestClient(fixture.on.drive.url);
    for (let turn = 1; turn <= TURNS; turn++) {
      editRandomly(fixture.source, random, turn);
      const before = new Set(fixture.names('snapshots'));
      if (turn % 2 === 1) {
        const client = turn % 4 === 1 ? fixture.on.client : another.client;
        await fixture.backUp({ retention: turn > 12 ? retention : undefined, maxUnused: 0 }, {}, client);
      } else {
        await fixture.resticWrites('backup', fixture.source, '--host', 'pi');
        if (turn % 6 === 0) await fixture.resticWrites('forget', '--keep-last', '8', '--prune');
      }
      const [added] = fixture.names('snapshots').filter((id) => !before.has(id));
      trees.set(added ?? '', await describeTree(fixture.source));
      for (const id of fixture.names('snapshots'))
        should(await restoredBy(fixture, id)).deepEqual(trees.get(id), `${id} in turn ${turn}`);
      await fixture.check();
    }
    another.close();
    const target = path.join(fixture.folder, 'restored');
    await mkdir(target, { recursive: true });
    for (const id of fixture.names('snapshots')) should(await fixture.restored(id)).deepEqual(trees.get(id));
  });
});
