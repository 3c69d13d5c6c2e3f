/** Checksums from file metadata: https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
import should from 'should';
import {
  RunningHash,
  checksumAlgorithm,
  verifyChecksum,
  verifySize,
  sizeOf,
} from '../../../src/drive/checksums';
import { bytes, md5, sha256 } from '../../support/content';

describe('checksums', () => {
  const content = bytes(1_000);

  it('RunningHash hashes each byte once when chunks overlap', () => {
    const hash = new RunningHash(['md5', 'sha256']);
    hash.update(content.subarray(0, 400));
    hash.update(content.subarray(100, 300), 100);
    hash.update(content.subarray(300, 700), 300);
    hash.position.should.equal(700);
    should(hash.digest('md5')).equal(md5(content.subarray(0, 700)));
    hash.update(content.subarray(700));
    should(hash.digest('md5')).equal(md5(content));
    should(hash.digest('sha256')).equal(sha256(content));
    should(new RunningHash(['md5']).digest('sha256')).be.undefined();
  });

  it('RunningHash throws if bytes are missing between two chunks', () => {
    (() => new RunningHash([]).update(content, 1)).should.throw(RangeError);
  });

  it('verifyChecksum ignores the letter case of checksums', () => {
    const file = { id: 'F', md5Checksum: md5(content).toUpperCase() };
    should(checksumAlgorithm(file)).equal('md5');
    verifyChecksum(file, 'md5', md5(content));
    should(checksumAlgorithm({ ...file, sha256Checksum: 'x' })).equal('sha256');
    should(checksumAlgorithm({ id: 'F' })).be.undefined();
  });

  it('verifyChecksum names the file of a wrong checksum, or its id if it has no name', () => {
    const file = { id: 'F', md5Checksum: md5(content) };
    const verify = (each: Parameters<typeof verifyChecksum>[0]) => () => verifyChecksum(each, 'md5', 'x');
    const error = { code: 'checksum_mismatch' };
    should(verify(file)).throw({ ...error, params: { name: 'F', algorithm: 'md5' } });
    should(verify({ ...file, name: 'a.txt' })).throw({
      ...error,
      params: { name: 'a.txt', algorithm: 'md5' },
    });
  });

  it('verifySize accepts any length if the file has no size', () => {
    should(sizeOf({ id: 'F' })).be.undefined();
    verifySize({ id: 'F' }, 5);
    verifySize({ id: 'F', size: '5' }, 5);
    (() => verifySize({ id: 'F', size: '6' }, 5)).should.throw(/checksum_mismatch_size/);
  });
});
