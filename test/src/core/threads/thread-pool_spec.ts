/** Worker threads are kept for the next job after a success, and only for some seconds. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import should from 'should';
import { ArchiveThread } from '../../../../src/backup/archive/archive-thread';
import { archiveWorkerFile } from '../../../../src/backup/archive/libraries';
import type { TarMessage } from '../../../../src/backup/archive/tar-thread';
import { type JobThread, ThreadPool } from '../../../../src/core/threads/thread-pool';

const HOUR = 3_600_000;
const LOADER = require.resolve('../../../support/run/typescript.cjs');

/** Remembers the thread of each job. */
class ObservedPool extends ThreadPool {
  readonly taken: JobThread[] = [];

  override take(...args: Parameters<ThreadPool['take']>): JobThread {
    const thread = super.take(...args);
    this.taken.push(thread);
    return thread;
  }
}

describe('pool of worker threads', () => {
  let pool: ObservedPool;

  beforeEach(() => {
    pool = new ObservedPool(HOUR);
  });
  afterEach(() => pool.close());

  /** A job that writes the tar of a source. */
  function start(): ArchiveThread<TarMessage> {
    const job = { work: 'tar', sources: [__filename], exclude: [] };
    const thread = new ArchiveThread<TarMessage>(job, archiveWorkerFile(), { pool });
    thread.give(new ArrayBuffer(64 * 1024));
    return thread;
  }

  /** @returns the number of entries in the archive */
  async function finish(thread: ArchiveThread<TarMessage>): Promise<number> {
    for (;;) {
      const { isComplete, summary } = await thread.next();
      if (!isComplete) continue;
      await thread.end();
      return summary.entries;
    }
  }

  it('uses a thread again after a success, and messages of the first job do not reach the second', async () => {
    const first = start();
    await finish(first);
    first.give(new ArrayBuffer(1));
    first.post('late');
    (await finish(start())).should.equal(1);
    should(pool.taken[1]).equal(pool.taken[0]);
  });

  it('starts another thread for a job while the first one runs', async () => {
    const threads = [start(), start()];
    (await Promise.all(threads.map(finish))).should.eql([1, 1]);
    should(pool.taken[1]).not.equal(pool.taken[0]);
  });

  it('ends a thread whose job has failed', async () => {
    const thread = new ArchiveThread({ work: 'tar', sources: undefined }, archiveWorkerFile(), { pool });
    await thread.next().should.be.rejected();
    await thread.end();
    pool.taken[0]!.hasExited.should.be.true();
    (await finish(start())).should.equal(1);
  });

  it('ends a thread whose job was cancelled', async () => {
    const thread = start();
    thread.fail(new Error('cancelled'));
    await thread.end();
    pool.taken[0]!.hasExited.should.be.true();
    (await finish(start())).should.equal(1);
  });

  it('does not use a thread that has ended while it waited', async () => {
    await finish(start());
    await pool.taken[0]!.terminate();
    (await finish(start())).should.equal(1);
    should(pool.taken[1]).not.equal(pool.taken[0]);
  });

  it('ends a thread that has waited for some time', async () => {
    pool = new ObservedPool(1);
    await finish(start());
    await pool.taken[0]!.exit;
  });

  it('keeps two threads at most', async () => {
    const threads = [start(), start(), start()];
    for (const thread of threads) await finish(thread);
    await pool.taken[0]!.exit;
    pool.taken.map(({ hasExited }) => hasExited).should.eql([true, false, false]);
  });

  it('a waiting thread does not keep the process alive', async () => {
    const code = `
      const { readTar } = require('./src/backup/archive/tar-thread');
      const { threadPool } = require('./src/core/threads/thread-pool');
      threadPool.idleTime = ${HOUR};
      void (async () => {
        const summary = { changed: [], skipped: [] };
        for await (const _ of readTar({ sources: ['package.json'], exclude: [] }, summary, () => undefined));
        process.stdout.write(String(summary.entries));
      })();`;
    const env = { ...process.env, NODE_V8_COVERAGE: undefined };
    const { stdout } = await promisify(execFile)(process.execPath, ['--require', LOADER, '-e', code], {
      env,
    });
    stdout.should.equal('1');
  });
});
