/** Requests that are sent before others have been answered: on slow lines, they decide how long a backup or restore takes. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import { treeBlob } from '../../../../src/backup/restic/tree';
import type { RecordedRequest } from '../../../local-drive';
import { type TestClient, createTestClient } from '../../../support/client/test-client';
import { DiskRepository } from '../../../support/snapshots/disk-repository';
import { importFolder } from '../../../support/snapshots/drive-repository';
import { SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

describe('requests at once', () => {
  const fixture = new SnapshotFixture();
  let own: TestClient;
  beforeEach(() => {
    // A request that waits for another in vain fails, and isn't repeated.
    own = createTestClient(fixture.on.drive.url, { timeout: 200_000, retryFor: 0 });
  });
  afterEach(() => own.close());

  /** Answers none of the requests before this many of them wait. @returns how many have waited */
  function holdUntil(count: number, when: (request: RecordedRequest) => boolean): () => number {
    let waiting = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const until = (): Promise<void> => {
      if (++waiting === count) release();
      return released;
    };
    fixture.on.drive.faults.add({ kind: 'delay', until, match: { when }, times: Infinity });
    return () => waiting;
  }

  const isRead = ({ query, path: target }: RecordedRequest, ids: readonly string[]): boolean =>
    query.includes('alt=media') && ids.some((id) => target.endsWith(id));

  it('a backup uploads two packs at once', async () => {
    await fixture.writePacks('large', 4);
    const isPack = ({ method, headers }: RecordedRequest): boolean =>
      method === 'POST' && Number(headers['content-length']) > 300_000;
    const waited = holdUntil(2, isPack);
    await fixture.backUp({}, {}, own.client);
    waited().should.be.aboveOrEqual(3);
  });

  it('a restore reads four packs at once', async () => {
    await fixture.writePacks('large', 60);
    await fixture.backUp({ packSize: 4 });
    const { files } = fixture.on.drive;
    const large: string[] = [];
    for (const id of fixture.packIds()) if ((await files.contentOf(id)).length > 2_000_000) large.push(id);
    const waited = holdUntil(4, (request) => isRead(request, large));
    const { folderId, passphrase, cacheFolder, host, username } = fixture.request();
    const choice = { which: 'newest', sources: 'own', host, allowIncomplete: false } as const;
    const place = { path: path.join(fixture.folder, 'target'), overwrite: 'error' } as const;
    const query = { folderId, passphrase, cacheFolder, host, username, folderName: '/', choice, include: [] };
    await own.client.restoreSnapshot({ ...query, ...place });
    waited().should.be.aboveOrEqual(5);
  });

  it('four snapshots are read at once', async () => {
    const disk = await DiskRepository.create(path.join(fixture.folder, 'disk'));
    const tree = disk.addBlob(treeBlob([]), true);
    for (const tag of 'abcdefg') disk.addSnapshot({ tree, tags: [tag] });
    await fixture.useEmptyFolder();
    await importFolder(fixture.on.drive, fixture.folderId, path.join(fixture.folder, 'disk'));
    await rm(fixture.request().cacheFolder, { recursive: true, force: true });
    const ids = fixture.names('snapshots').map((name) => fixture.idOf('snapshots', name));
    const waited = holdUntil(4, (request) => isRead(request, ids));
    (await own.client.findSnapshots(fixture.request())).snapshots.should.have.length(7);
    waited().should.equal(7);
  });
});
