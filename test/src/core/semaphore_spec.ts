/** The limit of parallel transfers: docs/nodes/account.md. */
import { getEventListeners } from 'node:events';
import { Semaphore } from '../../../src/core/semaphore';
import { rejected } from '../../support/client/rejected';

describe('Semaphore', () => {
  it('Semaphore runs as many as it has permits and queues the rest in order', async () => {
    const semaphore = new Semaphore(2);
    const { signal } = new AbortController();
    const ends: (() => void)[] = [];
    const started: number[] = [];
    const all = [0, 1, 2, 3].map((index) =>
      semaphore.run(() => {
        started.push(index);
        return new Promise<number>((resolve) => ends.push(() => resolve(index)));
      }, signal),
    );
    await new Promise(setImmediate);
    started.should.deepEqual([0, 1]);
    ends[1]?.();
    await all[1];
    await new Promise(setImmediate);
    started.should.deepEqual([0, 1, 2]);
    ends[0]?.();
    await new Promise(setImmediate);
    ends[2]?.();
    ends[3]?.();
    (await Promise.all(all)).should.deepEqual([0, 1, 2, 3]);
    getEventListeners(signal, 'abort').should.be.empty();
  });

  it('Semaphore releases its permit when the work fails or a queued caller is cancelled', async () => {
    const semaphore = new Semaphore(1);
    await semaphore.run(() => Promise.reject(new Error('x'))).should.be.rejectedWith('x');
    let end = (): void => undefined;
    const first = semaphore.run(() => new Promise<void>((resolve) => (end = resolve)));
    const abort = new AbortController();
    const second = semaphore.run(() => Promise.resolve(2), abort.signal);
    const third = semaphore.run(() => Promise.resolve(3));
    abort.abort();
    await rejected(second, 'cancelled');
    await rejected(
      semaphore.run(() => Promise.resolve(4), abort.signal),
      'cancelled',
    );
    end();
    await first;
    (await third).should.equal(3);
  });
});
