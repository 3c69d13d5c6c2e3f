/** Restore of an archive with very many entries. */
import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import should from 'should';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { END_MARK, type TarItem, tar } from '../../support/archive/tar-builder';
import { withIdleDelay } from '../../support/idle-delay';
import { ensureBuilt } from '../../support/node-red/built-package';

const CHILD = require.resolve('../../support/archive/measured-restore');
const LAUNCHER = require.resolve('../../support/client/with-built-worker.cjs');
const ENTRIES = 200_000;
const PER_MEMBER = 1_000;
const MAX_GROWTH = 64 * 1024 * 1024;
/** ms */
const MAX_DELAY = 20;

/** Half of the entries are files in one folder, the other half nested folders with one file each. */
function itemAt(index: number): TarItem {
  const mtime = 1_000_000 + (index % PER_MEMBER);
  if (index < ENTRIES / 2) return { name: `home/flat/${index}`, content: String(index), mtime };
  const digits = String(Math.floor(index / 2)).padStart(6, '0');
  const folder = `home/${[...digits].join('/')}/folder`;
  if (index % 2 === 0) return { name: folder, type: '5', mode: 0o755, mtime };
  return { name: `${folder}/file`, content: String(index), mtime };
}

function* members(): Generator<Buffer> {
  for (let start = 0; start < ENTRIES; start += PER_MEMBER) {
    const content = tar(...Array.from({ length: PER_MEMBER }, (_, index) => itemAt(start + index)));
    yield gzipSync(content.subarray(0, content.length - END_MARK.length), { level: 1 });
  }
  yield gzipSync(END_MARK);
}

describe('restore of many entries', () => {
  before(ensureBuilt);
  const fixture = restoreFixture();

  it(`An archive with ${ENTRIES} entries is restored with flat memory, to a new folder and over an old one`, async function () {
    this.timeout(1_800_000);
    const id = await fixture.addArchive('many.tar.gz', Buffer.concat([...members()]));
    const target = fixture.path('target');
    const restore = async (): Promise<void> => {
      const args = [LAUNCHER, CHILD, fixture.drive.url, id, target];
      const { result, idle } = await withIdleDelay(() => promisify(execFile)(process.execPath, args));
      const { stdout } = result;
      process.stdout.write(`      ${stdout}\n`);
      const { entries, growth, p99 } = JSON.parse(stdout) as Record<'entries' | 'growth' | 'p99', number>;
      entries.should.equal(ENTRIES);
      growth.should.be.below(MAX_GROWTH);
      (p99 - idle).should.be.below(MAX_DELAY);
      (await fixture.names()).should.deepEqual(['target']);
      for (const index of [0, 999, 54_321, ENTRIES / 2 + 1, ENTRIES - 1]) {
        const { name, content, mtime = 0 } = itemAt(index);
        const file = fixture.path('target', name);
        should(await readFile(file, 'utf8')).equal(content);
        (await stat(file)).mtimeMs.should.equal(mtime * 1_000);
      }
    };
    await restore();
    // Files that the archive doesn't contain: every entry of the folders above is moved by itself.
    const others = ['home/flat/kept', 'home/0/kept', 'home/0/9/9/9/9/9/folder/kept', 'kept'];
    for (const name of others) await writeFile(fixture.path('target', name), 'kept');
    await restore();
    for (const name of others) (await readFile(fixture.path('target', name), 'utf8')).should.equal('kept');
  });
});
