import 'should';
import { getEventListeners } from 'node:events';
import { FolderLock } from '../../../src/core/folder-lock';
import { rejected } from '../../support/client/rejected';

describe('FolderLock', () => {
  /** Work that ends when the test says so. */
  function held(): { work: () => Promise<void>; end: () => void; hasStarted: () => boolean } {
    let [end, started] = [(): void => undefined, false];
    const ended = new Promise<void>((resolve) => (end = resolve));
    return { work: () => ((started = true), ended), end, hasStarted: () => started };
  }
  const settle = (): Promise<void> => new Promise(setImmediate);

  for (const [other, path, waits] of [
    ['the same folder', '/a/b', true],
    ['the same folder in another case', '/A/B', true],
    ['a folder inside', '/a/b/c/d', true],
    ['a parent', '/a', true],
    ['the root', '/', true],
    ['a folder whose name begins alike', '/a/bc', false],
    ['a folder beside it', '/a/c', false],
  ] as const) {
    it(`work in ${other} ${waits ? 'waits' : 'does not wait'} for work in /a/b`, async () => {
      const lock = new FolderLock();
      const [first, second] = [held(), held()];
      const running = [lock.run('/a/b', first.work), lock.run(path, second.work)];
      await settle();
      second.hasStarted().should.equal(!waits);
      first.end();
      await running[0];
      await settle();
      second.hasStarted().should.be.true();
      second.end();
      await running[1];
    });
  }

  for (const [first, second, waits] of [
    ['read', 'read', false],
    ['read', 'write', true],
    ['write', 'read', true],
  ] as const) {
    it(`access to ${second} ${waits ? 'waits' : 'does not wait'} for access to ${first}`, async () => {
      const lock = new FolderLock();
      const [one, other] = [held(), held()];
      const running = [
        lock.run('/a', one.work, { access: first }),
        lock.run('/a/b', other.work, { access: second }),
      ];
      await settle();
      other.hasStarted().should.equal(!waits);
      one.end();
      other.end();
      await Promise.all(running);
    });
  }

  it('access to read waits for access to write that waits itself', async () => {
    const lock = new FolderLock();
    const [first, second, third] = [held(), held(), held()];
    const running = [
      lock.run('/a', first.work, { access: 'read' }),
      lock.run('/a', second.work, { access: 'write' }),
      lock.run('/a', third.work, { access: 'read' }),
    ];
    await settle();
    third.hasStarted().should.be.false();
    first.end();
    await settle();
    [second.hasStarted(), third.hasStarted()].should.eql([true, false]);
    second.end();
    third.end();
    await Promise.all(running);
  });

  it('waiting work that is cancelled never starts, and later work still waits for the first', async () => {
    const lock = new FolderLock();
    const [first, second, third] = [held(), held(), held()];
    const running = lock.run('/a', first.work);
    const abort = new AbortController();
    const waiting = lock.run('/a', second.work, abort);
    const last = lock.run('/a', third.work);
    abort.abort();
    await rejected(waiting, 'cancelled');
    await settle();
    third.hasStarted().should.be.false();
    first.end();
    third.end();
    await Promise.all([running, last]);
    second.hasStarted().should.be.false();
    getEventListeners(abort.signal, 'abort').should.be.empty();
  });

  it('a folder is in use while work in it, inside it or around it runs', async () => {
    const lock = new FolderLock();
    const work = held();
    const running = lock.run('/a/b', work.work, { access: 'read' });
    for (const path of ['/a', '/a/b', '/a/b/c', '/']) lock.isInUse(path).should.be.true(path);
    for (const path of ['/a/bc', '/x']) lock.isInUse(path).should.be.false(path);
    work.end();
    await running;
    lock.isInUse('/a/b').should.be.false();
  });

  it('work that fails lets the next start', async () => {
    const lock = new FolderLock();
    const failing = lock.run('/a', () => Promise.reject(new Error('x')));
    const next = lock.run('/a', () => Promise.resolve('done'));
    await failing.should.be.rejectedWith('x');
    (await next).should.equal('done');
  });
});
