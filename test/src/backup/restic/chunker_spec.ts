import { createHash, randomBytes } from 'node:crypto';
import 'should';
import {
  Chunker,
  MAX_CHUNK,
  MIN_CHUNK,
  isIrreducible,
  newPolynomial,
} from '../../../../src/backup/restic/chunker';

const POLYNOMIAL = 0x3da3358b4dc173n;

describe('The chunker', () => {
  it('cuts zeros, which have a fingerprint of zero, at the smallest size', () => {
    new Chunker(newPolynomial()).cut(Buffer.alloc(MAX_CHUNK)).should.equal(MIN_CHUNK);
  });

  it('returns all of what is not larger than the smallest chunk', () => {
    const chunker = new Chunker(POLYNOMIAL);
    for (const length of [0, 1, 63, MIN_CHUNK - 1, MIN_CHUNK]) {
      chunker.cut(Buffer.alloc(length)).should.equal(length);
    }
  });

  it('cuts at the largest size where the fingerprint has no cut', () => {
    new Chunker(POLYNOMIAL).cut(Buffer.alloc(MAX_CHUNK + 5, 'a')).should.equal(MAX_CHUNK);
  });

  it('cuts the same content at the same places after something was inserted before it', () => {
    const chunker = new Chunker(POLYNOMIAL);
    const data = randomBytes(16 * 1024 * 1024);
    const [before, after] = [data, Buffer.concat([Buffer.from('inserted'), data])].map((bytes) =>
      hashes(chunker, bytes),
    );
    const kept = before?.filter((hash) => after?.includes(hash)) ?? [];
    kept.length.should.be.above((before?.length ?? 0) - 3);
  });

  function hashes(chunker: Chunker, bytes: Buffer): string[] {
    const found: string[] = [];
    for (let rest = bytes; rest.length > 0;) {
      const length = chunker.cut(rest);
      found.push(createHash('sha256').update(rest.subarray(0, length)).digest('hex'));
      rest = rest.subarray(length);
    }
    return found;
  }
});

describe('A polynomial', () => {
  it('is accepted as irreducible by the same test as restic has', () => {
    // The first two and the last three are from the tests of restic's chunker.
    for (const irreducible of [POLYNOMIAL, 0x2482734cacca49n]) isIrreducible(irreducible).should.be.true();
    const other = [0n, 1n, 1n << 53n, (1n << 53n) | 1n, POLYNOMIAL - 1n, POLYNOMIAL << 1n];
    for (const reducible of [...other, 0x38f1e565e288dfn, 0x30a8295b9d5c91n, 0x3143d0464b3299n]) {
      isIrreducible(reducible).should.be.false();
    }
  });

  it('is new for each repository', () => {
    newPolynomial().should.not.equal(newPolynomial());
    isIrreducible(newPolynomial()).should.be.true();
  });
});
