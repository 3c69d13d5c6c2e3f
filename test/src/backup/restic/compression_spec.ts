import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import 'should';
import * as zlib from 'node:zlib';
import { compress, decodeFile, decompress, encodeFile } from '../../../../src/backup/restic/compression';
import { needsProgram } from '../../../support/archive/programs';
import { zstdFrame } from '../../../support/snapshots/disk-repository';

/** Of 8 bytes. */
const SKIPPABLE = Buffer.from('502a4d18080000000102030405060708', 'hex');
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

  const MEGABYTE = 1024 * 1024;
  const filler = { character: ' ', length: 16 * MEGABYTE };
  const wholeSegment = Buffer.from('28b52ffda000000040', 'hex');
  const frames: [title: string, frame: Buffer, limit: number][] = [
    ['more than the limit', zstdFrame('', filler), filler.length - 1],
    ['a size above the limit in its header', zstdFrame('', { ...filler, length: 1 }, wholeSegment), MEGABYTE],
    ['a window of 1 GiB', zstdFrame('x', filler, Buffer.from('28b52ffd00a0', 'hex')), 2 * filler.length],
    ['a second frame', Buffer.concat([zstdFrame('x', filler), zstdFrame('x', filler)]), 4 * filler.length],
    ['a skippable frame first', Buffer.concat([SKIPPABLE, zstdFrame('x', filler)]), 2 * filler.length],
    ['a skippable frame last', Buffer.concat([zstdFrame('x', filler), SKIPPABLE]), 2 * filler.length],
    ['a truncated end', zstdFrame('x', filler).subarray(0, -3), 2 * filler.length],
  ];
  for (const [title, frame, limit] of frames) {
    it(`refuses a frame with ${title}`, () => {
      const error = { code: 'bad_response', params: { file: 'x', reason: 'zstd' } };
      (() => decompress(frame, limit, 'x')).should.throw(error);
    });
  }

  it('unpacks a frame of any size up to the limit', () => {
    for (const length of [0, 1, 300_000, filler.length]) {
      const plain = decompress(zstdFrame('start', { ...filler, length }), length + 5, 'x');
      plain.equals(Buffer.from('start'.padEnd(length + 5, ' '))).should.be.true();
    }
  });

  it('needs no memory for millions of empty blocks', () => {
    const empty = Buffer.alloc(3 * 2_000_000);
    const frame = Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), empty, Buffer.of(1, 0, 0)]);
    const before = process.memoryUsage.rss();
    decompress(frame, MEGABYTE, 'x').length.should.equal(0);
    (process.memoryUsage.rss() - before).should.be.below(100e6);
  });

  it('copies no window of 128 MiB for each of many tiny blocks', function () {
    // Each copy takes 10 ms or more.
    this.timeout(60_000);
    const length = 5_000;
    const blocks = Buffer.alloc(4 * length, zstdFrame('', { character: ' ', length: 1 }).subarray(9, 13));
    for (const header of ['28b52ffd0088', '28b52ffd808888130000']) {
      const frame = Buffer.concat([Buffer.from(header, 'hex'), blocks, Buffer.of(1, 0, 0)]);
      decompress(frame, 2 * length, 'x')
        .equals(Buffer.alloc(length, ' '))
        .should.be.true();
    }
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

    it('reads what each level writes, also with the largest window', () => {
      const mixed = Buffer.concat([TEXT, randomBytes(300_000), TEXT, Buffer.from(TEXT.toString('base64'))]);
      for (const options of [['-1'], ['-12'], ['--ultra', '-22'], ['--long=27', '--no-check']]) {
        const compressed = zstd(mixed, options);
        for (const limit of [mixed.length, 64 * MEGABYTE])
          decompress(compressed, limit, 'x').equals(mixed).should.be.true();
        (() => decompress(compressed, mixed.length - 1, 'x')).should.throw({ code: 'bad_response' });
      }
    });

    it('never returns more than the announced length, or than JSON may have', () => {
      const bomb = zstd(Buffer.alloc(300 * 1024 * 1024, ' '));
      (() =>
        decodeFile(Buffer.concat([Buffer.of(2), bomb]), 'x').length.should.be.below(
          8 * 1024 * 1024,
        )).should.not.throw(RangeError);
    });
  });

  function zstd(content: Buffer, options: readonly string[] = []): Buffer {
    return spawnSync('zstd', ['-q', '-c', ...options], { input: content, maxBuffer: 1024 ** 3 }).stdout;
  }
});
