/** Restore of an archive with very many entries. */
import 'should';
import { readdir, readFile, stat } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { END_MARK, tar } from '../../support/archive/tar-builder';

const ENTRIES = 100_000;
const PER_FOLDER = 1_000;
const MAX_GROWTH = 64 * 1024 * 1024;

describe('restore of many entries', () => {
  const fixture = restoreFixture();

  it(`An archive with ${ENTRIES} entries is restored with flat memory`, async function () {
    this.timeout(600_000);
    const members: Buffer[] = [];
    for (let start = 0; start < ENTRIES; start += PER_FOLDER) {
      const items = Array.from({ length: PER_FOLDER }, (_, index) => {
        const name = `home/${start / PER_FOLDER}/${start + index}`;
        return { name, content: String(start + index), mtime: 1_000_000 + index };
      });
      const content = tar(...items);
      members.push(gzipSync(content.subarray(0, content.length - END_MARK.length)));
    }
    await fixture.addArchive('many.tar.gz', Buffer.concat([...members, gzipSync(END_MARK)]));
    const idle = process.memoryUsage.rss();
    let peak = 0;
    const onEntry = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
    const { entries } = await fixture.restore({ onEntry });
    entries.should.equal(ENTRIES);
    (peak - idle).should.be.below(MAX_GROWTH);
    const target = fixture.path('target', 'home');
    (await readdir(target)).should.have.length(ENTRIES / PER_FOLDER);
    for (const index of [0, 999, 1_000, 54_321, ENTRIES - 1]) {
      const file = fixture.path('target', 'home', String(Math.floor(index / PER_FOLDER)), String(index));
      (await readFile(file, 'utf8')).should.equal(String(index));
      (await stat(file)).mtimeMs.should.equal((1_000_000 + (index % PER_FOLDER)) * 1_000);
    }
    // The second restore replaces everything, and keeps nothing.
    await fixture.restore({ overwrite: 'replace' });
    (await fixture.names()).should.deepEqual(['target']);
  });
});
