import 'should';
import { OVERHEAD, idOf, newRepositoryKey, seal } from '../../../../src/backup/restic/crypto';
import { headerSize, packHeader, packHeaderSize, readPackHeader } from '../../../../src/backup/restic/pack';

describe('The header of a pack', () => {
  const key = newRepositoryKey();
  const blobs = [
    { id: idOf(Buffer.from('1')), isTree: false, offset: 0, length: 40 },
    { id: idOf(Buffer.from('2')), isTree: true, offset: 40, length: 50 },
    { id: idOf(Buffer.from('3')), isTree: false, offset: 90, length: 60, uncompressedLength: 200 },
    { id: idOf(Buffer.from('4')), isTree: true, offset: 150, length: 70, uncompressedLength: 2 ** 32 - 1 },
  ];
  const header = packHeader(key, blobs);
  const size = 220 + header.length;

  it('lists the blobs that were written', () => {
    readPackHeader(key, header, size, 'pack').should.eql(blobs);
    readPackHeader(key, Buffer.concat([Buffer.alloc(100), header]), size, 'pack').should.eql(blobs);
    header.length.should.equal(headerSize(blobs));
    packHeaderSize(header.subarray(-4), size, 'pack').should.equal(header.length);
  });

  it('is refused if blobs and header are not the whole pack', () => {
    for (const other of [size - 1, size + 1]) refused(header, other, 'size');
  });

  it('is refused if its length is impossible', () => {
    for (const length of [0, OVERHEAD, size, 2 ** 31, 2 ** 32 - 1]) {
      const end = Buffer.from(header);
      end.writeUInt32LE(length, end.length - 4);
      refused(end, size, 'header');
    }
    refused(Buffer.alloc(3), size, 'header');
  });

  it('is refused with an unknown type, a blob that is too short, or half an entry', () => {
    const entry = Buffer.alloc(37);
    entry.writeUInt32LE(40, 1);
    refused(sealedHeader(entry.subarray(0, 36)), 40 + 36 + 36, 'header');
    entry.writeUInt8(2);
    refused(sealedHeader(entry), 40 + 37 + 36, 'header');
    entry.writeUInt8(4);
    refused(sealedHeader(entry), 40 + 37 + 36, 'header');
    entry.writeUInt8(0);
    entry.writeUInt32LE(OVERHEAD - 1, 1);
    refused(sealedHeader(entry), 40 + 37 + 36, 'header');
  });

  function sealedHeader(plain: Buffer): Buffer {
    const length = Buffer.alloc(4);
    const sealed = seal(key, plain);
    length.writeUInt32LE(sealed.length);
    return Buffer.concat([sealed, length]);
  }

  function refused(end: Buffer, packSize: number, reason: string): void {
    (() => readPackHeader(key, end, packSize, 'pack')).should.throw({
      code: 'bad_response',
      params: { file: 'pack', reason },
    });
  }
});
