import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import 'should';
import * as zlib from 'node:zlib';
import { compress, decodeFile, decompress, encodeFile } from '../../../src/snapshots/compression';
import { needsProgram } from '../../support/archive/programs';

const TEXT = Buffer.from('the same text again and again\n'.repeat(10_000));

describe('The compression of repositories', () => {
  it('returns what it compressed, or nothing where Node.js has no zstd or nothing is gained', () => {
    const compressed = compress(TEXT);
    (compressed !== undefined).should.equal('zstdCompressSync' in zlib);
    if (compressed) decompress(compressed, TEXT.length, 'x').equals(TEXT).should.be.true();
    (compress(randomBytes(1000)) === undefined).should.be.true();
    (compress(Buffer.alloc(0)) === undefined).should.be.true();
  });

  it('returns the JSON of a file that it encoded', () => {
    const json = Buffer.from(JSON.stringify({ list: Array.from({ length: 1000 }, (_, index) => index) }));
    for (const version of [1, 2]) decodeFile(encodeFile(json, version), 'x').equals(json).should.be.true();
    encodeFile(json, 1).equals(json).should.be.true();
  });

  it('refuses what is no zstd', () => {
    (() => decodeFile(Buffer.from('\x02nonsense'), 'index/1')).should.throw({
      code: 'bad_response',
      params: { file: 'index/1', reason: 'zstd' },
    });
  });

  describe('with the zstd program', () => {
    beforeEach(function () {
      needsProgram(this, 'zstd');
    });

    it('reads frames without the size of the content', () => {
      const json = Buffer.from(JSON.stringify({ text: TEXT.toString('hex').slice(0, 100_000) }));
      const file = Buffer.concat([Buffer.of(2), zstd(json)]);
      decodeFile(file, 'x').equals(json).should.be.true();
      decompress(zstd(TEXT), TEXT.length, 'x').equals(TEXT).should.be.true();
    });

    it('never returns more than the announced length, or than JSON may have', () => {
      const bomb = zstd(Buffer.alloc(300 * 1024 * 1024, ' '));
      (() =>
        decodeFile(Buffer.concat([Buffer.of(2), bomb]), 'x').length.should.be.below(
          8 * 1024 * 1024,
        )).should.not.throw(RangeError);
    });
  });

  function zstd(content: Buffer): Buffer {
    return spawnSync('zstd', ['-q', '-c'], { input: content, maxBuffer: 1024 ** 3 }).stdout;
  }
});
