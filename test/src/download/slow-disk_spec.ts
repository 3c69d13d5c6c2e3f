import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytes } from '../../support/content';
import { downloadFixture } from '../../support/download-fixture';
import { rejected } from '../../support/rejected';

type Method = (this: FileHandle) => Promise<void>;

/** Node's class of open files, which it doesn't export. */
async function fileHandles(): Promise<object> {
  const handle = await open(__filename, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as object;
}

/** What is called so is held open: whoever closes it waits, as for all that Node does with a file. */
function held(handle: FileHandle, name: 'kRef' | 'kUnref'): void {
  const key = Reflect.ownKeys(Object.getPrototypeOf(handle) as object).find(
    (each) => typeof each === 'symbol' && each.description === name,
  );
  (Reflect.get(handle, key ?? name) as () => void).call(handle);
}

describe('a download to a disk that takes its time', () => {
  const at = downloadFixture();
  let handles: object;
  let real: Method;
  let goOn: () => void;
  /** Resolves when the disk was asked to write for sure. */
  let asked: Promise<void>;

  beforeEach(async () => {
    handles = await fileHandles();
    real = Reflect.get(handles, 'sync') as Method;
    const isDone = new Promise<void>((done) => (goOn = done));
    asked = new Promise((done) => {
      const slow: Method = async function () {
        held(this, 'kRef');
        done();
        await isDone;
        await real.call(this);
        held(this, 'kUnref');
      };
      Reflect.set(handles, 'sync', slow);
    });
  });
  afterEach(() => {
    goOn();
    Reflect.set(handles, 'sync', real);
  });

  it('is cancelled at once, and the next run goes on where it was', async () => {
    at.content = bytes(300_000);
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
});
