/** Parts: https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
import { AdaptivePartSize } from '../../../src/upload/part-size';

const MIB = 1024 * 1024;
const UNIT = MIB / 4;
const TOTAL = 1_000_000_001;

describe('the size of an upload’s parts', () => {
  let size: AdaptivePartSize;
  /** Of the next request that isn't the last. */
  const part = (): number => size.end(0, TOTAL);

  beforeEach(() => {
    size = new AdaptivePartSize();
  });

  /** Cut twice with nothing kept: what it takes to believe that something cuts long requests. */
  function cutTwice(bytesSent: number, elapsed: number): void {
    for (let count = 0; count < 2; count++) size.interrupted({ bytesSent, elapsed });
  }

  it('is the whole of what is left, also after one cut', () => {
    size.end(7, TOTAL).should.equal(TOTAL);
    size.interrupted({ bytesSent: 100 * MIB, elapsed: 60_000 });
    part().should.equal(TOTAL);
  });

  it('stays the whole where the service keeps something of each cut request', () => {
    for (let count = 0; count < 10; count++) {
      size.interrupted({ bytesSent: 100 * MIB, elapsed: 60_000 });
      size.stored(false);
    }
    part().should.equal(TOTAL);
  });

  it('follows from the speed seen: four seconds of it', () => {
    cutTwice(60 * MIB, 60_000);
    part().should.equal(4 * MIB);
  });

  it('is at most half of what was sent when it was cut, however fast that was', () => {
    cutTwice(60 * MIB, 1);
    part().should.equal(30 * MIB);
    cutTwice(60 * MIB, 0);
    part().should.be.below(30 * MIB);
  });

  it('is half of what was sent where the clock was put back meanwhile', () => {
    cutTwice(60 * MIB, -5);
    part().should.equal(30 * MIB);
  });

  it('is a multiple of 256 KiB, never less than one, and ends with the content', () => {
    for (const sent of [1, 1_234_567, 98_765_432]) {
      size = new AdaptivePartSize();
      cutTwice(sent, 10_000);
      for (let count = 0; count < 12; count++) {
        (part() % UNIT).should.equal(0);
        part().should.be.aboveOrEqual(UNIT);
        size.end(TOTAL - 5, TOTAL).should.equal(TOTAL);
        size.interrupted({ bytesSent: sent, elapsed: 10_000 });
      }
      part().should.equal(UNIT);
    }
  });

  it('doubles while that goes well, up to the whole again where nothing is too large', () => {
    cutTwice(60 * MIB, 60_000);
    size.stored(true);
    part().should.equal(8 * MIB);
    for (let count = 0; count < 20; count++) size.stored(true);
    part().should.equal(TOTAL);
  });

  it('does not grow by parts of which the service keeps only some', () => {
    cutTwice(60 * MIB, 60_000);
    size.stored(false);
    part().should.equal(4 * MIB);
  });

  it('halves where a part is cut, stays below that, and tries it again after 16 that went well', () => {
    cutTwice(60 * MIB, 60_000);
    size.interrupted({ bytesSent: MIB, elapsed: 4_000 });
    part().should.equal(2 * MIB);
    for (let count = 0; count < 15; count++) size.stored(true);
    part().should.equal(2 * MIB);
    size.stored(true);
    part().should.equal(4 * MIB);
  });

  it('is halved where a request is refused for its length, from 8 MiB on', () => {
    size.tooLarge(TOTAL).should.be.true();
    part().should.equal(8 * MIB);
    size.tooLarge(8 * MIB).should.be.true();
    part().should.equal(4 * MIB);
    size.stored(true);
    part().should.equal(4 * MIB);
    size.tooLarge(UNIT + 1).should.be.true();
    part().should.equal(UNIT);
    size.tooLarge(UNIT).should.be.false();
  });
});
