import { gunzipSync } from 'node:zlib';
import 'should';
import { crc32InTable, writeStoredMember } from '../../../../src/backup/archive/gzip-members';
import { bytes } from '../../../support/content';

describe('writeStoredMember', () => {
  for (const length of [1, 65_534, 65_535, 65_536, 200_000]) {
    it(`a member of ${length} bytes is unpacked by zlib`, () => {
      const content = bytes(length);
      const output = Buffer.alloc(length + 100);
      const member = output.subarray(0, writeStoredMember(content, output));
      gunzipSync(member).equals(content).should.be.true();
      gunzipSync(Buffer.concat([member, member]))
        .equals(Buffer.concat([content, content]))
        .should.be.true();
    });
  }

  it('a checksum without the function of Node.js is the same', () => {
    crc32InTable(Buffer.from('123456789')).should.equal(0xcbf43926);
    crc32InTable(Buffer.alloc(0)).should.equal(0);
  });
});
