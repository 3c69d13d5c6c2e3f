/** The watch node on a shared drive, as described in docs/nodes/watch.md. */
import type { NodeMessage } from 'node-red';
import should from 'should';
import { ACCESS_TOKEN } from '../../support/node-red/account';
import { createTestClient } from '../../support/client/test-client';
import { fileRequests, useDrive } from '../../support/node-red/flow-drive';
import { type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { useRuntimeClock } from '../../support/node-red/runtime-clock';

describe('watch node with an account of a shared drive', () => {
  useNodeRed();
  const drive = useDrive({ token: ACCESS_TOKEN });
  const clock = useRuntimeClock();
  let driveId: string;
  let flow: LoadedFlow;

  const finishedPolls = (): number => clock().sleeps.filter((ms) => ms >= 10_000).length;
  async function pollsFinished(count: number): Promise<void> {
    while (finishedPolls() < count) await clock().advance(5);
    for (let turn = 0; turn < 10; turn++) await clock().advance(0);
  }
  async function startWatch(more: object): Promise<void> {
    const node = { id: 'n', type: 'cloud-drive-watch', ...more };
    flow = await load([node], { url: drive().url, service: 'google', account: { driveId } });
    await pollsFinished(1);
  }
  async function poll(): Promise<void> {
    const before = finishedPolls();
    await clock().advance(60_000);
    await pollsFinished(before + 1);
  }
  const events = (): string[] =>
    flow
      .messages('n-out1')
      .map(({ event, topic }: NodeMessage & { event?: string }) => `${event} ${String(topic)}`)
      .sort();
  const errors = () => flow.messages('ended').map((msg) => msg['error']);

  beforeEach(async () => {
    driveId = await drive().files.addSharedDrive('Team');
  });

  /** Changes made by another client. */
  async function changeFiles(folder: string): Promise<void> {
    const other = createTestClient(drive().url, { tokens: fixed });
    const made: string[] = [];
    for (const name of ['renamed', 'moved out', 'trashed', 'deleted', 'stays'])
      made.push(await drive().files.add({ name, parent: folder, content: 'x' }));
    await poll();
    const [renamed = '', moved = '', trashed = '', deleted = ''] = made;
    const how = { folderId: '', name: '', ifExists: 'duplicate', restore: false, fields: 'id' } as const;
    await other.client.move({ ...how, id: renamed, name: 'new name' });
    await other.client.move({ ...how, id: moved, folderId: 'root' });
    await other.client.trash(trashed);
    await other.client.delete(deleted);
    await drive().files.add({ name: 'in My Drive', content: 'x' });
    await poll();
    other.close();
  }
  const fixed = { get: () => Promise.resolve(ACCESS_TOKEN), renew: () => Promise.resolve(ACCESS_TOKEN) };

  for (const [where, recursive] of [
    ['the whole drive', false],
    ['a folder by its path', false],
    ['its root with all subfolders', true],
  ] as const) {
    it(`watch of a shared drive emits changes in ${where}, and "removed" for files that leave it`, async () => {
      const inner = await drive().files.addFolder('inner', driveId);
      const folder = { 'the whole drive': '', 'a folder by its path': '/inner' }[where as string] ?? '/';
      await startWatch({ folder, recursive });
      await changeFiles(inner);
      errors().should.be.empty();
      events().should.eql([
        'changed new name',
        'created deleted',
        'created moved out',
        'created renamed',
        'created stays',
        'created trashed',
        'removed deleted',
        'removed moved out',
        'trashed trashed',
      ]);
      const asked = fileRequests(drive()).filter((each) => each.includes('/changes'));
      asked.length.should.be.above(2);
      for (const each of asked)
        each.should.containEql(`driveId=${driveId}`).and.containEql('supportsAllDrives=true');
    });
  }

  it('watch of a shared drive emits only its own existing files with start "all"', async () => {
    await drive().files.add({ name: 'existing', parent: driveId, content: 'x' });
    await drive().files.add({ name: 'in My Drive', content: 'x' });
    await startWatch({ start: 'all' });
    events().should.eql(['created existing']);
    should(errors()).be.empty();
  });
});
