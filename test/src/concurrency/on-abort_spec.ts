import 'should';
import { getEventListeners } from 'node:events';
import { onAbort } from '../../../src/concurrency/on-abort';

describe('onAbort', () => {
  it('calls every callback once when the signal is aborted', () => {
    const aborter = new AbortController();
    const calls: string[] = [];
    onAbort(aborter.signal, () => calls.push('first'));
    onAbort(aborter.signal, () => calls.push('second'));
    aborter.abort();
    aborter.abort();
    calls.should.deepEqual(['first', 'second']);
  });

  it('calls no callback that was removed, also if another one has taken its place', () => {
    const aborter = new AbortController();
    const calls: string[] = [];
    const remove = onAbort(aborter.signal, () => calls.push('removed'));
    remove();
    onAbort(aborter.signal, () => calls.push('other'));
    remove();
    aborter.abort();
    calls.should.deepEqual(['other']);
  });

  it('adds a single listener to a signal for all callbacks, and removes it with the last one', () => {
    const { signal } = new AbortController();
    const remove = [1, 2, 3].map(() => onAbort(signal, () => undefined));
    getEventListeners(signal, 'abort').length.should.equal(1);
    for (const each of remove) each();
    getEventListeners(signal, 'abort').should.be.empty();
  });
});
