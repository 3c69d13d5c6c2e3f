/** A disk that is slower than the line: little memory is held, and the line isn't taken for silent. */
import { type FileHandle, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytes } from '../../support/content';
import { downloadFixture } from '../../support/client/download-fixture';
import { useFileHandles } from '../../support/file-handles';
import { rejected } from '../../support/client/rejected';

type Sync = (this: FileHandle) => Promise<void>;

/** What is called so is held open: whoever closes it waits, as for all that Node does with a file. */
function held(handle: FileHandle, name: 'kRef' | 'kUnref'): void {
  const key = Reflect.ownKeys(Object.getPrototypeOf(handle) as object).find(
    (each) => typeof each === 'symbol' && each.description === name,
  );
  (Reflect.get(handle, key ?? name) as () => void).call(handle);
}

describe('a download to a disk that takes its time', () => {
  const at = downloadFixture();
  const instead = useFileHandles();

  it('is there for sure, and its name with it, when it is said to be', async () => {
    const synced: boolean[] = [];
    instead<Sync>(
      'sync',
      (real) =>
        async function () {
          synced.push((await this.stat()).isDirectory());
          return real.call(this);
        },
    );
    await at.toDisk(join(at.folder, 'out'));
    synced.should.deepEqual([false, true]);
  });

  it('is cancelled at once, and the next run goes on where it was', async () => {
    at.content = bytes(300_000);
    let goOn = (): void => undefined;
    const isDone = new Promise<void>((done) => (goOn = done));
    const asked = new Promise<void>((done) => {
      instead<Sync>(
        'sync',
        (real) =>
          async function () {
            held(this, 'kRef');
            done();
            await isDone;
            await real.call(this);
            held(this, 'kUnref');
          },
      );
    });
    const path = join(at.folder, 'out');
    const ending = new AbortController();
    const started = at.toDisk(path, {}, { signal: ending.signal });
    await asked;
    ending.abort();
    await rejected(started, 'cancelled');
    (await at.names()).should.matchEach(/\.part$/).and.have.length(1);
    const again = at.toDisk(path);
    goOn();
    await again;
    (await readFile(path)).equals(at.content).should.be.true();
    (await at.names()).should.deepEqual(['out']);
    at.fetches().should.have.length(1);
  });

  it('goes on behind what a short write has taken', async () => {
    at.content = bytes(3_000_001);
    let writes = 0;
    instead<(this: FileHandle, buffers: readonly Buffer[], position: number) => unknown>(
      'writev',
      (real) =>
        function (buffers, position) {
          const [first = Buffer.alloc(0)] = buffers;
          return real.call(this, [first.subarray(0, 100_003 + writes++)], position);
        },
    );
    await at.toDisk(join(at.folder, 'out'));
    (await readFile(join(at.folder, 'out'))).equals(at.content).should.be.true();
    writes.should.be.above(20);
  });
});
