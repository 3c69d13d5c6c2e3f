/** Whether a file on the drive is the one that a part file was downloaded from. */
import should from 'should';
import { partKey, isSameContent } from '../../../../src/transfer/download/download-file';

const file = { id: 'F', md5Checksum: 'a', sha256Checksum: 'b' };
const remote = { file, hasMetadata: true, size: 5, algorithm: 'sha256' } as const;

describe('same content', () => {
  it('contentKey differs for a different content, file or target', () => {
    const keys = [
      partKey('out', remote),
      partKey('out2', remote),
      partKey('out', { ...remote, size: 6 }),
      partKey('out', { ...remote, algorithm: 'md5' }),
      partKey('out', { ...remote, file: { ...file, id: 'G' } }),
      partKey('out', { ...remote, file: { ...file, sha256Checksum: 'c' } }),
    ];
    new Set(keys).size.should.equal(keys.length);
    should(partKey('out', { ...remote, file: { ...file, sha256Checksum: 'B' } })).equal(keys[0]);
  });

  it('contentKey is undefined if the metadata can’t identify the content', () => {
    should(partKey('out', { ...remote, size: undefined })).be.undefined();
    should(partKey('out', { ...remote, algorithm: undefined })).be.undefined();
  });

  it('isSameContent compares the size and the checksum of the algorithm', () => {
    isSameContent(remote, { ...remote, file: { ...file, md5Checksum: 'c' } }).should.be.true();
    isSameContent(remote, { ...remote, file: { ...file, sha256Checksum: 'c' } }).should.be.false();
    isSameContent(remote, { ...remote, size: 6 }).should.be.false();
    isSameContent(remote, { ...remote, algorithm: 'md5' }).should.be.false();
  });

  it('isSameContent compares the size of files without a checksum, and the time if both have one', () => {
    const plain = { ...remote, algorithm: undefined };
    const at = (modifiedTime: string) => ({ ...plain, file: { ...file, modifiedTime } });
    isSameContent(at('2026-11-22T00:00:00Z'), at('2026-11-22T00:00:00.000Z')).should.be.true();
    isSameContent(at('2026-11-22T00:00:00Z'), at('2026-11-22T00:00:00.001Z')).should.be.false();
    isSameContent(at('2026-11-22T00:00:00Z'), plain).should.be.true();
    isSameContent(plain, { ...plain }).should.be.true();
    isSameContent({ ...plain, size: undefined }, { ...plain, size: undefined }).should.be.false();
  });
});
