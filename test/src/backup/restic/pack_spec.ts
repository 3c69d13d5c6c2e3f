import { OVERHEAD, idOf, newRepositoryKey, seal } from '../../../../src/backup/restic/crypto';
import {
  headerSize,
  indexFiles,
  packHeader,
  packHeaderSize,
  readIndexFile,
  readPackHeader,
} from '../../../../src/backup/restic/pack';

import 'should';

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

import 'should';

const id = (name: string | number): string => idOf(Buffer.from(String(name)));

describe('An index file', () => {
  const pack = {
    id: id('pack'),
    blobs: [
      { id: id(1), isTree: false, offset: 0, length: 40 },
      { id: id(2), isTree: true, offset: 40, length: 50, uncompressedLength: 100 },
    ],
  };

  it('lists the packs that were written', () => {
    const [json] = indexFiles([pack]);
    Array.from(readIndexFile(json as Buffer, 'index/1')).should.eql([pack]);
  });

  it('is followed by another when it has 2 MiB, because it takes several times as much memory', () => {
    const blobs = Array.from({ length: 1000 }, (_, index) => ({
      ...{ id: id(index), isTree: false, offset: index * 40, length: 40 },
    }));
    const packs = Array.from({ length: 120 }, (_, index) => ({ id: id(`pack ${index}`), blobs }));
    const files = Array.from(indexFiles(packs));
    files.length.should.be.above(1);
    for (const file of files) file.length.should.be.below(2.1 * 1024 * 1024);
    files.flatMap((file) => Array.from(readIndexFile(file, 'x'))).should.eql(packs);
    Array.from(indexFiles([])).should.eql([]);
  });

  it('may lack blobs and packs, as Go writes empty lists', () => {
    Array.from(readIndexFile(Buffer.from('{"packs":null}'), 'x')).should.eql([]);
    const json = Buffer.from(JSON.stringify({ supersedes: [id(1)], packs: [{ id: id(2), blobs: null }] }));
    Array.from(readIndexFile(json, 'x')).should.eql([{ id: id(2), blobs: [] }]);
  });

  const blob = { id: id(1), type: 'data', offset: 0, length: 40 };
  const hostile: Record<string, unknown> = {
    'no JSON': '{',
    'a list': [],
    'packs that are no list': { packs: {} },
    'a pack that is no object': { packs: [null] },
    'a pack with a path as ID': { packs: [{ id: '../../etc/passwd' }] },
    'an ID in capitals': { packs: [{ id: id(1).toUpperCase() }] },
    'a blob of an unknown type': { packs: [{ id: id(1), blobs: [{ ...blob, type: 'other' }] }] },
    'a blob without ID': { packs: [{ id: id(1), blobs: [{ ...blob, id: undefined }] }] },
    'a negative offset': { packs: [{ id: id(1), blobs: [{ ...blob, offset: -1 }] }] },
    'a fraction as length': { packs: [{ id: id(1), blobs: [{ ...blob, length: 40.5 }] }] },
    'a blob beyond any pack': { packs: [{ id: id(1), blobs: [{ ...blob, offset: 2 ** 32 - 10 }] }] },
    'a blob shorter than its tag': { packs: [{ id: id(1), blobs: [{ ...blob, length: 31 }] }] },
    'a huge plaintext': { packs: [{ id: id(1), blobs: [{ ...blob, uncompressed_length: 2 ** 40 }] }] },
  };
  for (const [name, json] of Object.entries(hostile)) {
    it(`is refused if it is or contains ${name}`, () => {
      const bytes = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
      (() => Array.from(readIndexFile(bytes, 'index/1'))).should.throw({
        code: 'bad_response',
        text: 'bad_response_repository_file',
      });
    });
  }
});
