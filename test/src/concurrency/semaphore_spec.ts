/** _Transfers_ at once: docs/nodes/account.md. */
import { getEventListeners } from 'node:events';
import { Semaphore } from '../../../src/concurrency/semaphore';
import { rejected } from '../../support/client/rejected';

describe('Places', () => {
  it('lets so many run at once, the rest in order', async () => {
    const places = new Semaphore(2);
    const { signal } = new AbortController();
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const all = [0, 1, 2, 3].map((index) =>
      places.run(() => {
        begun.push(index);
        return new Promise<number>((resolve) => ends.push(() => resolve(index)));
      }, signal),
    );
    await new Promise(setImmediate);
    begun.should.deepEqual([0, 1]);
    ends[1]?.();
    await all[1];
    await new Promise(setImmediate);
    begun.should.deepEqual([0, 1, 2]);
    ends[0]?.();
    await new Promise(setImmediate);
    ends[2]?.();
    ends[3]?.();
    (await Promise.all(all)).should.deepEqual([0, 1, 2, 3]);
    getEventListeners(signal, 'abort').should.be.empty();
  });

  it('gives its place away when the work fails or the waiting is cancelled', async () => {
    const places = new Semaphore(1);
    await places.run(() => Promise.reject(new Error('x'))).should.be.rejectedWith('x');
    let end = (): void => undefined;
    const first = places.run(() => new Promise<void>((resolve) => (end = resolve)));
    const abort = new AbortController();
    const second = places.run(() => Promise.resolve(2), abort.signal);
    const third = places.run(() => Promise.resolve(3));
    abort.abort();
    await rejected(second, 'cancelled');
    await rejected(
      places.run(() => Promise.resolve(4), abort.signal),
      'cancelled',
    );
    end();
    await first;
    (await third).should.equal(3);
  });
});
