/** How much memory an archive takes while it is read. */
import 'should';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { readArchive } from '../../../../src/backup/archive/read-archive';
import { readPaxRecords } from '../../../../src/backup/archive/tar-header';
import { encrypted } from '../../../support/archive/encrypted';
import { restoreFixture } from '../../../support/archive/restore-fixture';
import { tar } from '../../../support/archive/tar-builder';
import { bytes } from '../../../support/content';
import { AgeEncryption, generateAgeKeys, loadAge } from '../../../../src/backup/archive/age';

const SIZE = 12_000_000;
const MAX_MEMORY = 4 * 1024 * 1024;

describe('readArchive', function () {
  this.timeout(20_000);

  const fixture = restoreFixture();
  const content = bytes(SIZE);
  const archive = tar({ name: 'first', content }, { name: 'unread', content }, { name: 'last', content });

  /** Reads all entries but the second. @returns bytes of buffers at most, in addition to those at the beginning */
  async function readAll(name: string, written: Buffer, identity = ''): Promise<number> {
    const source = {
      path: fixture.path(name),
      name,
      secrets: { passphrase: undefined, identities: [identity] },
    };
    await writeFile(source.path, written);
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const visit = async (entry: { name: string }, chunks: AsyncIterable<Buffer>): Promise<number> => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
      if (entry.name === 'unread' || entry.name === 'folder/') return 0;
      let position = 0;
      for await (const chunk of chunks) {
        chunk.equals(content.subarray(position, (position += chunk.length))).should.be.true();
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
      }
      position.should.equal(SIZE);
      return 0;
    };
    await readArchive(source, visit, { maxRatio: 0 });
    return peak;
  }

  it('an archive takes little memory while it is read, even for entries that nobody reads', async () => {
    (await readAll('x.tar', archive)).should.be.below(MAX_MEMORY);
  });

  it('a compressed archive takes little memory while it is read', async () => {
    (await readAll('x.tar.gz', gzipSync(archive, { level: 1 }))).should.be.below(MAX_MEMORY);
  });

  it('an encrypted archive takes little memory while it is read', async () => {
    const { identity, recipient } = await generateAgeKeys();
    const encryption = await AgeEncryption.start({ recipients: [recipient] });
    const parts = [encryption.header, ...encryption.encrypt(archive), ...encryption.end()];
    (await readAll('x.tar.age', Buffer.concat(parts), identity)).should.be.below(MAX_MEMORY);
  });

  it('an armored archive takes little memory while it is read', async () => {
    const { identity, recipient } = await generateAgeKeys();
    const armored = loadAge().armor.encode(await encrypted(archive, { recipients: [recipient] }));
    (await readAll('x.tar.age', Buffer.from(armored), identity)).should.be.below(MAX_MEMORY);
  });

  it('a folder with a size doesn’t stop the reading', async () => {
    const written = tar({ name: 'folder/', type: '5', size: 1_000 }, { name: 'first', content });
    (await readAll('x.tar', written)).should.be.below(MAX_MEMORY);
  });

  it('records of extended headers that nothing needs take no memory', () => {
    const sparse = '22 GNU.sparse.major=1\n'.repeat(20_000);
    const records = `14 path=a/b/c\n${'10 x=1234\n'.repeat(20_000)}19 p${'q'.repeat(10)}=abc\n${sparse}`;
    [...(readPaxRecords(Buffer.from(records)) ?? [])].should.eql([
      ['path', 'a/b/c'],
      ['GNU.sparse.', ''],
    ]);
  });
});
