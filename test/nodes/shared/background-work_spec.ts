/** Work of a dialog that takes longer than a request. */
import should from 'should';
import { BackgroundWork } from '../../../nodes/shared/admin/background-work';
import { cancelled } from '../../../src/index';
import { FakeClock } from '../../support/clock';

describe('background work of a dialog', () => {
  let clock: FakeClock;
  let works: BackgroundWork;
  beforeEach(() => {
    clock = new FakeClock('manual');
    works = new BackgroundWork(clock);
  });

  const start = (operation: Parameters<BackgroundWork['start']>[0]) =>
    works.start(operation, (error) => ({ code: 'x', message: (error as Error).message }));

  /** Work that ends only when it is aborted. */
  function endless(): { work: string; signal: AbortSignal } {
    let given: AbortSignal | undefined;
    const { work } = start((signal) => {
      given = signal;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(cancelled())));
    });
    return { work, signal: given! };
  }

  it('the state has the result when it is there, and gives it only once', async () => {
    const { work } = start(() => Promise.resolve({ answer: 42 }));
    (await works.state(work)).should.eql({ state: 'done', result: { answer: 42 } });
    await works.state(work).should.be.rejectedWith({ code: 'not_found' });
  });

  it('the state of failed work has the error as responses describe it', async () => {
    const { work } = start(() => Promise.reject(new Error('no')));
    (await works.state(work)).should.eql({ state: 'failed', error: { code: 'x', message: 'no' } });
  });

  it('the state of running work includes its progress', async () => {
    const { work } = start((_signal, report) => {
      report(1, 4);
      return new Promise(() => undefined);
    });
    const asked = works.state(work);
    await clock.advance(1_000);
    (await asked).should.eql({ state: 'running', progress: { done: 1, total: 4 } });
  });

  it('work for which nobody asks is aborted', async () => {
    const { work, signal } = endless();
    await clock.advance(19_000);
    const asked = works.state(work);
    await clock.advance(1_000);
    (await asked).should.eql({ state: 'running' });
    await clock.advance(19_999);
    should(signal.aborted).be.false();
    await clock.advance(1);
    should(signal.aborted).be.true();
    await works.state(work).should.be.rejectedWith({ code: 'not_found' });
  });

  it('cancelled work is aborted', () => {
    const { work, signal } = endless();
    works.cancel(work);
    should(signal.aborted).be.true();
    works.cancel('unknown');
  });

  it('the oldest work is aborted to make room', () => {
    const [first, second] = Array.from({ length: 5 }, endless);
    should(first!.signal.aborted).be.true();
    should(second!.signal.aborted).be.false();
  });
});
