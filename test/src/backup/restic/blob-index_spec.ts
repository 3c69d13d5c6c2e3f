import should from 'should';
import { BlobIndex } from '../../../../src/backup/restic/blob-index';
import { idOf } from '../../../../src/backup/restic/crypto';
import { headerSize } from '../../../../src/backup/restic/pack';

const id = (name: string | number): string => idOf(Buffer.from(String(name)));

describe('BlobIndex', () => {
  it('finds each of many blobs, and none that it lacks', () => {
    const index = new BlobIndex();
    const blobs = Array.from({ length: 20_000 }, (_, number) => ({
      ...{
        id: id(number),
        isTree: number % 3 === 0,
        offset: number,
        length: 40 + number,
        pack: id(number >> 8),
      },
      ...(number % 2 === 0 ? {} : { uncompressedLength: number - 1 }),
    }));
    for (const { pack, ...blob } of blobs) index.add(blob, pack);
    index.size.should.equal(20_000);
    for (const blob of blobs) should(index.find(blob.id, blob.isTree)).eql(blob);
    for (const blob of blobs) should(index.find(blob.id, !blob.isTree)).be.undefined();
    should(index.find(id('other'), false)).be.undefined();
    Array.from(index).should.eql(blobs);
    index.packs.length.should.equal(79);
  });

  it('keeps numbers of 32 bits', () => {
    const index = new BlobIndex();
    const blob = { id: 'f'.repeat(64), isTree: true, offset: 2 ** 32 - 1, length: 2 ** 32 - 1 };
    index.add({ ...blob, uncompressedLength: 2 ** 32 - 2 }, id('pack'));
    should(index.find(blob.id, true)).eql({ ...blob, uncompressedLength: 2 ** 32 - 2, pack: id('pack') });
  });

  it('distinguishes a tree from a file with the same content', () => {
    const index = new BlobIndex();
    index.add({ id: id(1), isTree: false, offset: 0, length: 40 }, id('a'));
    index.has(id(1), true).should.be.false();
    index.add({ id: id(1), isTree: true, offset: 5, length: 40 }, id('b'));
    should(index.find(id(1), false)?.pack).equal(id('a'));
    should(index.find(id(1), true)?.pack).equal(id('b'));
  });

  it('counts a blob once in a pack that two index files list, and twice in two packs', () => {
    const index = new BlobIndex();
    const blob = { id: id(1), isTree: false, offset: 0, length: 40 };
    for (const pack of ['a', 'a', 'b']) index.add(blob, id(pack));
    index.size.should.equal(2);
    should(index.packSize(id('a'))).equal(40 + headerSize([blob]));
    should(index.packSize(id('c'))).be.undefined();
  });

  it('finds a blob in the last pack that contains it, but not in a spare or dropped one if there is another', () => {
    const index = new BlobIndex();
    const blob = { id: id(1), isTree: false, offset: 0, length: 40 };
    for (const pack of ['a', 'b', 'c']) index.add(blob, id(pack), pack === 'c');
    should(index.find(id(1), false)?.pack).equal(id('b'));
    index.drop([id('b')]);
    should(index.find(id(1), false)?.pack).equal(id('a'));
    index.drop([id('a')]);
    should(index.find(id(1), false)?.pack).equal(id('c'));
    index.drop([id('c')]);
    index.has(id(1), false).should.be.false();
    index.add(blob, id('d'));
    should(index.find(id(1), false)?.pack).equal(id('d'));
    index.droppedPacks.should.equal(3);
  });

  it('looks for a blob in a few of 200,000 packs, and in others if these are dropped', () => {
    const index = new BlobIndex();
    const blob = { id: id(1), isTree: false, offset: 0, length: 40 };
    const packs = Array.from({ length: 200_000 }, (_, number) => id(number));
    const known = (): (string | undefined)[] =>
      index.placesOf(blob.id, false).map((number) => index.at(number).pack);
    for (const [number, pack] of packs.entries()) {
      index.add(blob, pack);
      // Without a limit, the others take minutes.
      if (number === 5_000) known().length.should.be.within(2, 100);
      if (number % 100 === 0) index.add({ ...blob, id: id(`${number} x`) }, pack);
    }
    index.size.should.equal(202_000);
    index.isCrowded.should.be.true();
    for (let number = 0; number < packs.length; number += 100)
      should(index.find(id(`${number} x`), false)?.pack).equal(packs[number]);
    const [one, other] = [packs[100_000], packs[150_000]];
    index.drop(packs.filter((pack) => pack !== one && pack !== other));
    known().should.eql([other, one]);
    should(index.find(id('100100 x'), false)).be.undefined();
    index.add(blob, id('new'));
    should(index.find(blob.id, false)?.pack).equal(id('new'));
    index.isCrowded.should.be.false();
  });
});
