/** Checksums as the service gives them. https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
import should from 'should';
import {
  RunningHash,
  checksumAlgorithm,
  verifyChecksum,
  verifySize,
  sizeOf,
} from '../../../src/api/checksums';
import { bytes, md5, sha256 } from '../../support/content';

describe('checksums', () => {
  const content = bytes(1_000);

  it('count each byte once, however often it passes', () => {
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

  it('leave nothing out unnoticed', () => {
    (() => new RunningHash([]).update(content, 1)).should.throw(RangeError);
  });

  it('are compared whatever the case of the letters', () => {
    const file = { id: 'F', md5Checksum: md5(content).toUpperCase() };
    should(checksumAlgorithm(file)).equal('md5');
    verifyChecksum(file, 'md5', md5(content));
    should(checksumAlgorithm({ ...file, sha256Checksum: 'x' })).equal('sha256');
    should(checksumAlgorithm({ id: 'F' })).be.undefined();
  });

  it('compare sizes only where there is one', () => {
    should(sizeOf({ id: 'F' })).be.undefined();
    verifySize({ id: 'F' }, 5);
    verifySize({ id: 'F', size: '5' }, 5);
    (() => verifySize({ id: 'F', size: '6' }, 5)).should.throw(/checksum_mismatch_size/);
  });
});
