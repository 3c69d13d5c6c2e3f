/** Downloads to a slow disk: docs/how-it-works.md, "Transfers that break". */
import { type FileHandle, readFile } from 'node:fs/promises';
import { bytes } from '../../../support/content';
import { downloadFixture } from '../../../support/client/download-fixture';
import { useFileHandles } from '../../../support/file-handles';
import { rejected } from '../../../support/client/rejected';

type Sync = (this: FileHandle) => Promise<void>;

/** Makes `close` wait, as it does for operations of the handle that Node itself has started. */
function reference(handle: FileHandle, name: 'kRef' | 'kUnref'): void {
  const key = Reflect.ownKeys(Object.getPrototypeOf(handle) as object).find(
    (each) => typeof each === 'symbol' && each.description === name,
  );
  (Reflect.get(handle, key ?? name) as () => void).call(handle);
}

describe('downloads to a slow disk', () => {
  const fixture = downloadFixture();
  const wrapMethod = useFileHandles();

  it('downloads to a slow disk sync the content and then the folder before they succeed', async () => {
    const synced: boolean[] = [];
    wrapMethod<Sync>(
      'sync',
      (real) =>
        async function () {
          synced.push((await this.stat()).isDirectory());
          return real.call(this);
        },
    );
    await fixture.toDisk(fixture.path('out'));
    synced.should.deepEqual([false, true]);
  });

  it('downloads to a slow disk can be cancelled during the last sync, and the next run continues', async () => {
    fixture.content = bytes(300_000);
    let finishSync = (): void => undefined;
    const isFinished = new Promise<void>((done) => (finishSync = done));
    const hasStarted = new Promise<void>((done) => {
      wrapMethod<Sync>(
        'sync',
        (real) =>
          async function () {
            reference(this, 'kRef');
            done();
            await isFinished;
            await real.call(this);
            reference(this, 'kUnref');
          },
      );
    });
    const path = fixture.path('out');
    const abort = new AbortController();
    const started = fixture.toDisk(path, {}, { signal: abort.signal });
    await hasStarted;
    abort.abort();
    await rejected(started, 'cancelled');
    (await fixture.fileNames()).should.matchEach(/\.part$/).and.have.length(1);
    const again = fixture.toDisk(path);
    finishSync();
    await again;
    (await readFile(path)).equals(fixture.content).should.be.true();
    (await fixture.fileNames()).should.deepEqual(['out']);
    fixture.contentRequests().should.have.length(1);
  });

  it('downloads to a slow disk continue after short writes', async () => {
    fixture.content = bytes(3_000_001);
    let writes = 0;
    wrapMethod<(this: FileHandle, buffers: readonly Buffer[], position: number) => unknown>(
      'writev',
      (real) =>
        function (buffers, position) {
          const [first = Buffer.alloc(0)] = buffers;
          return real.call(this, [first.subarray(0, 100_003 + writes++)], position);
        },
    );
    await fixture.toDisk(fixture.path('out'));
    (await readFile(fixture.path('out'))).equals(fixture.content).should.be.true();
    writes.should.be.above(20);
  });
});
