/** A promise or its signal, whichever is first, and no listener left behind. */
import { getEventListeners } from 'node:events';
import should from 'should';
import { DriveError } from '../../../src/errors';
import { abortable } from '../../../src/concurrency/abortable';
import { rejected } from '../../support/client/rejected';

describe('abortable', () => {
  it('gives what the work comes to, and forgets the signal', async () => {
    const { signal } = new AbortController();
    should(await abortable(Promise.resolve('fine'), signal)).equal('fine');
    should(await abortable(Promise.resolve('fine'))).equal('fine');
    await rejected(abortable(Promise.reject(new DriveError('network')), signal), 'network');
    getEventListeners(signal, 'abort').should.be.empty();
  });

  it('lets one leave at once, and the work go on for the others', async () => {
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

  it('takes care of work that fails after everybody has left', async () => {
    const abort = new AbortController();
    let fail = (_error: Error): void => undefined;
    const left = abortable(new Promise<void>((_resolve, reject) => (fail = reject)), abort.signal);
    abort.abort();
    await rejected(left, 'cancelled');
    // Unhandled, it would end this process.
    fail(new DriveError('network'));
    await new Promise(setImmediate);
  });
});
