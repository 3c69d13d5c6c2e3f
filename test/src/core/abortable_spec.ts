/** Shared work that a caller can stop waiting for. */
import { getEventListeners } from 'node:events';
import should from 'should';
import { driveError } from '../../support/client/drive-error';
import { abortable } from '../../../src/core/abort';
import { rejected } from '../../support/client/rejected';

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
    await new Promise(setImmediate);
  });
});
