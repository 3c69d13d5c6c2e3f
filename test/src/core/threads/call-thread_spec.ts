/** Worker threads call the main thread, and are kept for the next job after a success, but only for some seconds. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import should from 'should';
import type { TarUpdate } from '../../../../src/backup/archive/archive-thread';
import { type JobThread, ThreadPool, answerCall, callThread } from '../../../../src/core/threads/call-thread';
import { type CallMessage, hostAt } from '../../../../src/core/threads/serve-jobs';
import { DriveError } from '../../../../src/errors';
import { rejected } from '../../../support/client/rejected';

const HOUR = 3_600_000;
const LOADER = require.resolve('../../../support/run/typescript.cjs');
const WORKER = '../../../../src/backup/archive/archive-worker';
const unanswered = (): Promise<never> => new Promise(() => undefined);

/** Remembers the thread of each job. */
class ObservedPool extends ThreadPool {
  readonly taken: JobThread[] = [];

  override take(...args: Parameters<ThreadPool['take']>): JobThread {
    const thread = super.take(...args);
    this.taken.push(thread);
    return thread;
  }
}

describe('jobs of worker threads', () => {
  let pool: ObservedPool;

  beforeEach(() => {
    pool = new ObservedPool(HOUR);
  });
  afterEach(() => pool.close());

  /** A job that writes the tar of a source. @returns the number of entries in the archive */
  async function run({
    write = (memory: ArrayBuffer): unknown => memory,
    sources = [__filename],
    signal = undefined as AbortSignal | undefined,
  } = {}): Promise<number> {
    const code = { file: require.resolve(WORKER), maxYoungGenerationSizeMb: 1 };
    const job = { work: 'tar', sources, exclude: [] };
    const { summary } = await callThread<TarUpdate>(code, job, { write }, { signal, pool });
    return summary.entries;
  }

  it('use a thread again after a success, and a late answer to the first job does not reach the second', async () => {
    let late: ((memory: ArrayBuffer) => void) | undefined;
    await run({ write: () => new Promise((resolve) => (late = resolve)) });
    late?.(new ArrayBuffer(1));
    (await run()).should.equal(1);
    should(pool.taken[1]).equal(pool.taken[0]);
  });

  it('use another thread while the first one runs', async () => {
    (await Promise.all([run(), run()])).should.eql([1, 1]);
    should(pool.taken[1]).not.equal(pool.taken[0]);
  });

  it('end the thread when they fail', async () => {
    await run({ sources: [null as never] }).should.be.rejected();
    pool.taken[0]!.hasExited.should.be.true();
    (await run()).should.equal(1);
  });

  it('end the thread when they are cancelled, while it waits for an answer or runs', async () => {
    for (const write of [unanswered, (memory: ArrayBuffer) => memory]) {
      const aborter = new AbortController();
      const { signal } = aborter;
      await rejected(run({ signal, write: (memory) => (aborter.abort(), write(memory)) }), 'cancelled');
      await rejected(run({ signal }), 'cancelled');
      pool.taken.at(-1)!.hasExited.should.be.true();
    }
    should(pool.taken.length).equal(2);
    (await run()).should.equal(1);
  });

  it('do not use a thread that has ended while it waited', async () => {
    await run();
    await pool.taken[0]!.finish(true);
    (await run()).should.equal(1);
    should(pool.taken[1]).not.equal(pool.taken[0]);
  });

  it('end a thread that has waited for some time', async () => {
    pool = new ObservedPool(1);
    await run();
    await pool.taken[0]!.exit;
  });

  it('keep two threads at most', async () => {
    await Promise.all([run(), run(), run()]);
    await Promise.race(pool.taken.map(({ exit }) => exit));
    pool.taken.filter(({ hasExited }) => hasExited).length.should.equal(1);
  });

  it('do not keep the process alive with a waiting thread', async () => {
    const code = `
      const { readTar } = require('./src/backup/archive/archive-thread');
      const { threadPool } = require('./src/core/threads/call-thread');
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

interface Host {
  write(memory: ArrayBuffer): Promise<ArrayBuffer>;
  read(length: number): Promise<Buffer>;
  fail(): Promise<void>;
}

describe('calls from a worker thread', () => {
  const written: ArrayBuffer[] = [];
  const answered: Buffer[] = [];
  const host: Host = {
    write: (memory) => (written.push(memory), Promise.resolve(memory)),
    read: (length) => (
      answered.push(length > 9_999 ? Buffer.alloc(length, 1) : Buffer.from('small')),
      Promise.resolve(answered.at(-1)!)
    ),
    fail: () => Promise.reject(new DriveError('not_found', { reason: 'notFound' })),
  };
  const { port1, port2 } = new MessageChannel();
  port2.on('message', (message: CallMessage) => void answerCall(host, message, port2));
  const remote = hostAt(port1) as Host;
  after(() => {
    port1.close();
    port2.close();
  });

  it('pass large memory on instead of copying it, both ways', async () => {
    const memory = new ArrayBuffer(1_000_000);
    const returned = await remote.write(memory);
    should([memory.byteLength, written[0]?.byteLength, returned.byteLength]).eql([0, 0, 1_000_000]);
    const content = await remote.read(10_000);
    should([content.length, content.at(-1), answered[0]?.length]).eql([10_000, 1, 0]);
  });

  it('copy small buffers, which share their memory with others', async () => {
    const pooled = Buffer.from('other');
    const content = await remote.read(5);
    content.should.be.instanceof(Buffer);
    should([content.toString(), pooled.toString(), answered.at(-1)?.toString()]).eql([
      'small',
      'other',
      'small',
    ]);
  });

  it('fail with the error of the method, each of several at once with its own result', async () => {
    const [failed, content] = await Promise.all([rejected(remote.fail(), 'not_found'), remote.read(5)]);
    failed.should.have.properties({ code: 'not_found', reason: 'notFound' });
    content.toString().should.equal('small');
  });
});
