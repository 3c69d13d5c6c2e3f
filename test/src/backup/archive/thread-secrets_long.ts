/**
 * Threads that wait for a job don't refer to the secrets of their last one. In `test:long` only, because Node.js crashes
 * if a thread ends while its heap is read: https://github.com/nodejs/node/issues/46210
 */
import { text } from 'node:stream/consumers';
import type { Worker } from 'node:worker_threads';
import { generateAgeKeys } from '../../../../src/backup/archive/age';
import { archiveContent } from '../../../../src/backup/archive/archive-content';
import { threadPool } from '../../../../src/core/threads/call-thread';
import { newSummary } from '../../../../src/backup/archive/write-tar';
import { restoreFixture } from '../../../support/archive/restore-fixture';
import { PASSPHRASE, SnapshotFixture } from '../../../support/snapshots/snapshot-fixture';

/** ms */
const HOUR = 3_600_000;

describe('threads that wait for a job', () => {
  const archives = restoreFixture();
  const snapshots = new SnapshotFixture();
  const pool = threadPool as unknown as { idleTime: number; idle: Map<{ worker: Worker }, unknown> };
  const { idleTime } = pool;

  /** @returns all objects of the waiting thread, after a garbage collection */
  function heapOfThread(): Promise<string> {
    const [thread] = pool.idle.keys();
    return thread!.worker.getHeapSnapshot().then(text);
  }

  before(() => (pool.idleTime = HOUR));
  beforeEach(() => threadPool.close());
  after(async () => {
    pool.idleTime = idleTime;
    await threadPool.close();
  });

  it('do not refer to the key of an archive', async () => {
    const { identity, recipient } = await generateAgeKeys();
    const encryption = { recipients: [recipient] };
    const options = { sources: [__filename], exclude: [], compression: 'gzip', encryption } as const;
    const chunks: Buffer[] = [];
    for await (const chunk of archiveContent(options, newSummary())) chunks.push(Buffer.from(chunk));
    await archives.addArchive('home-0042.tar.gz.age', Buffer.concat(chunks));
    await threadPool.close();
    await archives.client.checkArchive({
      choice: { which: 'newest' },
      ...{ folderId: archives.folderId, folderName: '/Backups', pattern: '*', include: [] },
      ...{ fields: 'id,name,size', maxAge: 0, depth: 'content', identities: [identity] },
    });
    const heap = await heapOfThread();
    heap.should.containEql('parentPort');
    heap.includes(identity).should.be.false();
  });

  it('do not refer to the passphrase of a repository', async () => {
    await snapshots.backUp();
    const heap = await heapOfThread();
    heap.should.containEql('parentPort');
    heap.includes(PASSPHRASE).should.be.false();
  });
});
