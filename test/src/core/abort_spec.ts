import 'should';
import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onAbort, abortable } from '../../../src/core/abort';
import should from 'should';
import { driveError } from '../../support/client/drive-error';
import { rejected } from '../../support/client/rejected';

describe('onAbort', () => {
  let aborter: AbortController;
  let signal: AbortSignal;
  let calls: string[];
  beforeEach(() => {
    aborter = new AbortController();
    ({ signal } = aborter);
    calls = [];
  });
  const add = (name: string): (() => void) => onAbort(signal, () => calls.push(name));
  const listeners = (): number => getEventListeners(signal, 'abort').length;

  it('onAbort calls every callback once when the signal is aborted', () => {
    for (const name of ['first', 'second', 'third']) add(name);
    calls.should.be.empty();
    aborter.abort();
    aborter.abort();
    signal.dispatchEvent(new Event('abort'));
    calls.should.deepEqual(['first', 'second', 'third']);
    listeners().should.equal(0);
  });

  it('onAbort calls no callback that was removed, also if another one has taken its place', () => {
    const remove = add('removed');
    remove();
    add('other');
    remove();
    aborter.abort();
    remove();
    calls.should.deepEqual(['other']);
  });

  it('onAbort still calls the callbacks that are left when others are removed', () => {
    const [, second, third] = ['first', 'second', 'third'].map(add);
    second?.();
    second?.();
    third?.();
    listeners().should.equal(1);
    add('fourth');
    aborter.abort();
    calls.sort().should.deepEqual(['first', 'fourth']);
  });

  it('onAbort calls no callback that an earlier one has removed', () => {
    onAbort(signal, () => remove());
    const remove = add('removed');
    add('last');
    aborter.abort();
    calls.should.deepEqual(['last']);
  });

  it('onAbort calls only the callbacks of the signal that is aborted', () => {
    const other = new AbortController();
    onAbort(other.signal, () => calls.push('other'));
    add('own');
    aborter.abort();
    calls.should.deepEqual(['own']);
    other.abort();
    calls.should.deepEqual(['own', 'other']);
  });

  it('onAbort adds a single listener to a signal for all callbacks, and removes it with the last one', () => {
    for (let round = 0; round < 2; round++) {
      const remove = ['a', 'b', 'c'].map(add);
      listeners().should.equal(1);
      remove[1]?.();
      remove[0]?.();
      listeners().should.equal(1);
      remove[2]?.();
      listeners().should.equal(0);
    }
    add('last');
    aborter.abort();
    calls.should.deepEqual(['last']);
  });

  it('onAbort keeps nothing of callbacks that were removed or called', async () => {
    const collectGarbage = exposedGc();
    const kept = add('kept');
    const references: WeakRef<object>[] = [];
    const addLarge = (): (() => void) => {
      const object = Array<number>(1_000).fill(0);
      references.push(new WeakRef(object));
      return onAbort(signal, () => void object.length);
    };
    const inMemory = async (): Promise<number> => {
      // A `WeakRef` keeps its object until the end of the turn.
      await setImmediate();
      collectGarbage();
      return references.filter((each) => each.deref()).length;
    };
    for (let count = 0; count < 500; count++) addLarge()();
    for (let count = 0; count < 500; count++) addLarge();
    // The last ones may still be on the stack.
    (await inMemory()).should.be.within(500, 510);
    aborter.abort();
    (await inMemory()).should.be.below(10);
    kept();
  });

  it('onAbort takes no memory for each of many callbacks that come and go', () => {
    const collectGarbage = exposedGc();
    const kept = add('kept');
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 2_000_000; count++) onAbort(signal, ignore)();
    collectGarbage();
    // A place for each of them would take 16 MB.
    (process.memoryUsage().heapUsed - before).should.be.below(8_000_000);
    kept();
  });
});

function ignore(): void {}

function exposedGc(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

describe('abortable', () => {
  it('abortable settles like the work and removes its listener', async () => {
    const { signal } = new AbortController();
    should(await abortable(Promise.resolve('fine'), signal)).equal('fine');
    should(await abortable(Promise.resolve('fine'))).equal('fine');
    await rejected(abortable(Promise.reject(driveError('network')), signal), 'network');
    getEventListeners(signal, 'abort').should.be.empty();
  });

  it('abortable rejects an aborted caller at once while the work continues for the others', async () => {
    const abort = new AbortController();
    let finish = (_value: string): void => undefined;
    const work = new Promise<string>((resolve) => (finish = resolve));
    const [first, second] = [abortable(work, abort.signal), abortable(work, new AbortController().signal)];
    abort.abort();
    await rejected(first, 'cancelled');
    await rejected(abortable(work, abort.signal), 'cancelled');
    finish('fine');
    (await second).should.equal('fine');
  });

  it('abortable handles an error of work that no caller waits for', async () => {
    const abort = new AbortController();
    let fail = (_error: Error): void => undefined;
    const aborted = abortable(new Promise<void>((_resolve, reject) => (fail = reject)), abort.signal);
    abort.abort();
    await rejected(aborted, 'cancelled');
    // An unhandled rejection would end this process.
    fail(driveError('network'));
    await setImmediate();
  });
});
