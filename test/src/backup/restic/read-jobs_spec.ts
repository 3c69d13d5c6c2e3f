/** Which snapshot a check takes for recent enough. What the jobs do: test/src/backup/read-snapshots_spec.ts. */
import { rejects } from 'node:assert/strict';
import should from 'should';
import type { SnapshotCheckResult, SnapshotCheckRequest } from '../../../../src/index';
import { TestClock } from '../../../local-drive';
import { SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

/** s */
const HOUR = 3_600;

describe('the age of a snapshot', () => {
  const clock = new TestClock(Date.parse('2024-05-17T10:00:00Z'));
  const fixture = new SnapshotFixture({ clock });

  function check(
    maxAge: number,
    more: Partial<SnapshotCheckRequest['choice']> = {},
  ): Promise<SnapshotCheckResult> {
    const { folderId, passphrase, cacheFolder, host, username } = fixture.request();
    const choice = { which: 'newest', sources: 'own', host, allowIncomplete: true, ...more } as const;
    const access = { folderId, passphrase, cacheFolder, host, username, folderName: '/', include: [] };
    return fixture.on.client.checkSnapshot({ ...access, choice, maxAge, readData: 0, depth: 'age' });
  }

  it('counts from the newest complete snapshot, also if an incomplete one or an ID is read', async () => {
    const complete = await fixture.backUp();
    clock.advance(3 * HOUR);
    const incomplete = await fixture.backUp({ tags: ['incomplete'] });
    const { shortId: id } = complete.snapshot;
    await rejects(check(2), {
      code: 'outdated',
      text: 'outdated_snapshot',
      params: { id, age: 3, limit: 2 },
    });
    should(await check(4)).eql({ snapshot: incomplete.snapshot, age: 0, complete: false });
    should(await check(4, { allowIncomplete: false })).eql({ snapshot: complete.snapshot, age: 3 });
    await rejects(check(2, { which: 'id', id: id.slice(0, 6) }), { text: 'outdated_snapshot' });
    should(await check(0, { which: 'id', id: incomplete.snapshot.id })).have.property('complete', false);
  });

  for (const [title, hours] of [
    ['20 hours ahead', 20],
    ['20 hours behind', -20],
  ] as const)
    it(`the age of a snapshot counts from when it was stored, although the clock of its machine was ${title}`, async () => {
      const { snapshot } = await fixture.backUp();
      const time = new Date(clock.now() + hours * HOUR * 1_000).toISOString().slice(0, 19).replace('T', ' ');
      await fixture.resticWrites('backup', fixture.source, '--host', 'pi', '--time', time);
      clock.advance(10 * HOUR);
      await rejects(check(9), { text: 'outdated_snapshot' });
      const { age, snapshot: checked } = await check(11);
      should(age).be.approximately(10, 0.1);
      (checked.id === snapshot.id).should.equal(hours < 0);
      await fixture.backUp();
      should(await check(9)).have.property('age', 0);
    });

  it('the age of a snapshot counts from its own time if it was copied with its time', async () => {
    await fixture.backUp();
    clock.advance(10 * HOUR);
    const { drive } = fixture.on;
    const [name = ''] = fixture.names('snapshots');
    const file = drive.files.find(fixture.idOf('snapshots', name));
    Object.assign(file ?? {}, { createdTime: new Date(clock.now()).toISOString() });
    await rejects(check(9), { text: 'outdated_snapshot' });
  });
});
