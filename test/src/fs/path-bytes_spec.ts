/** Paths whose bytes aren't always valid UTF-8, as strings. */
import fc from 'fast-check';
import should from 'should';
import { decodePath, diskPath, encodePath, isUtf8, readablePath } from '../../../src/fs/path-bytes';

describe('bytes of paths', () => {
  it('valid UTF-8 is decoded as usual, also U+FFFD itself', () => {
    for (const path of ['', 'a/b', 'ü 深い 😀', '\ufffd', 'e\u0301', '\ud83d\udc80']) {
      decodePath(Buffer.from(path)).should.equal(path);
      isUtf8(path).should.be.true();
      should(diskPath(path)).equal(path);
    }
  });

  it('each byte that isn’t part of valid UTF-8 is a lone surrogate, and U+FFFD for users', () => {
    for (const [hex, path] of [
      ['636166e9', 'caf\udce9'],
      ['c3a9e9c3', 'é\udce9\udcc3'],
      ['eda080', '\udced\udca0\udc80'],
      ['f09f9280f0', '💀\udcf0'],
      ['efbfbdff', '\ufffd\udcff'],
      ['c1816ff5808080', '\udcc1\udc81o\udcf5\udc80\udc80\udc80'],
    ] as const) {
      decodePath(Buffer.from(hex, 'hex')).should.equal(path);
      isUtf8(path).should.be.false();
      encodePath(path).toString('hex').should.equal(hex);
    }
    readablePath('💀/caf\udce9').should.equal('💀/caf\ufffd');
  });

  it('only characters in their shortest form are valid, and each ends where the next begins', () => {
    const first = '\x80\u0800\u{10000}';
    const last = '\u07ff\ud7ff\ue000\uffff\u{10ffff}';
    for (const text of ['\x7f', first, last])
      decodePath(Buffer.concat([Buffer.from(text), Buffer.of(0xff)])).should.equal(`${text}\udcff`);
    for (const hex of [
      'c080',
      'c1bf',
      'e09fbf',
      'f08fbfbf',
      'eda080',
      'edbfbf',
      'f4908080',
      'e282',
      'f09f92',
      '80',
    ]) {
      const bytes = Buffer.from(hex, 'hex');
      const escaped = String.fromCharCode(...[...bytes].map((byte) => 0xdc00 + byte));
      decodePath(Buffer.concat([bytes, Buffer.from('a€')])).should.equal(`${escaped}a€`);
    }
  });

  it('all bytes come back, also through JSON and in a path that is put together', () => {
    const name = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes));
    const property = fc.property(name, name, (first, second) => {
      const path = `${decodePath(first)}/${decodePath(second)}`;
      const expected = Buffer.concat([first, Buffer.from('/'), second]);
      return encodePath(JSON.parse(JSON.stringify(path)) as string).equals(expected);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
