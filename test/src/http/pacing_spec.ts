import { Pacing, Places } from '../../../src/http/pacing';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/rejected';

describe('Pacing', () => {
  it('spreads requests, in the order in which they came', async () => {
    const clock = new FakeClock('manual');
    const pacing = new Pacing(10, clock);
    const begun: [number, number][] = [];
    const start = clock.now();
    for (let index = 0; index < 5; index++) {
      void pacing.turn().then(() => begun.push([index, clock.now() - start]));
    }
    await clock.advance(1_000);
    begun.should.deepEqual([
      [0, 0],
      [1, 100],
      [2, 200],
      [3, 300],
      [4, 400],
    ]);
    await pacing.turn();
  });

  it('slows down after a rate answer and recovers slowly', async () => {
    const clock = new FakeClock();
    const pacing = new Pacing(10, clock);
    const wait = async (): Promise<number> => {
      await pacing.turn();
      const before = clock.sleeps.length;
      await pacing.turn();
      const [slept = 0] = clock.sleeps.slice(before);
      clock.pass(60_000);
      return Math.round(slept);
    };
    (await wait()).should.equal(100);
    pacing.slowDown();
    (await wait()).should.equal(200);
    pacing.recover();
    (await wait()).should.equal(195);
    for (let index = 0; index < 200; index++) pacing.recover();
    (await wait()).should.equal(100);
    for (let index = 0; index < 50; index++) pacing.slowDown();
    (await wait()).should.equal(10_000);
  });
});

describe('Places', () => {
  it('lets so many run at once, the rest in order', async () => {
    const places = new Places(2);
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const all = [0, 1, 2, 3].map((index) =>
      places.run(() => {
        begun.push(index);
        return new Promise<number>((resolve) => ends.push(() => resolve(index)));
      }),
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
  });

  it('gives its place away when the work fails or the waiting is cancelled', async () => {
    const places = new Places(1);
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
