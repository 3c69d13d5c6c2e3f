/**
 * Cuts content where restic cuts it: a Rabin fingerprint of the last 64 bytes, and a cut where its lowest 20 bits are
 * zero. So the same content has the same blobs, wherever it starts in a file. https://github.com/restic/chunker
 * The fingerprint has 53 bits, which are kept as two numbers, because that takes a tenth of the time of a BigInt.
 */
import { randomBytes } from 'node:crypto';

/** Bytes of a chunk. Only the last one of a file is smaller. */
export const MIN_CHUNK = 512 * 1024;
export const MAX_CHUNK = 8 * 1024 * 1024;
const WINDOW = 64;
const SPLIT_MASK = (1 << 20) - 1;
/** Of the polynomials. */
const DEGREE = 53;
/** Bits of the upper half of the fingerprint, and of what is below its upper byte. */
const HIGH = DEGREE - 32;
const TOP = HIGH - 8;
const HIGH_MASK = (1 << HIGH) - 1;
/** Where the tables are, and their lower halves. */
const MOD = 0;
const OUT = 256;
const LOW = 512;

export class Chunker {
  /** Two tables for the upper half of the fingerprint, then two for its lower half. One array is faster than four. */
  private readonly tables = new Int32Array(4 * 256);

  /** @param polynomial of the repository, see {@link isIrreducible} */
  constructor(polynomial: bigint) {
    // The remainder of the byte that is shifted out of the fingerprint.
    this.fill(MOD, DEGREE, polynomial);
    // The byte's part of the fingerprint, shifted once more than there are bytes in the window.
    this.fill(OUT, 8 * WINDOW, polynomial);
  }

  /** Enters the remainder of each shifted byte: the sum of those of its bits. */
  private fill(start: number, shift: number, polynomial: bigint): void {
    const { tables } = this;
    for (let bit = 0; bit < 8; bit++) {
      const value = modulo(1n << BigInt(shift + bit), polynomial);
      const [high, low] = [Number(value >> 32n), Number(BigInt.asIntN(32, value))];
      for (let index = start, count = 1 << bit; index < start + count; index++) {
        tables[index + count] = (tables[index] as number) ^ high;
        tables[index + count + LOW] = (tables[index + LOW] as number) ^ low;
      }
    }
  }

  /** @param bytes at least {@link MAX_CHUNK}, or all that follow. @returns the length of the first chunk */
  cut(bytes: Uint8Array): number {
    const end = Math.min(bytes.length, MAX_CHUNK);
    if (end <= MIN_CHUNK) return end;
    const { tables } = this;
    let high = 0;
    let low = 0;
    for (let index = MIN_CHUNK - WINDOW; index < MIN_CHUNK; index++) {
      const top = high >>> TOP;
      high = (((high << 8) | (low >>> 24)) & HIGH_MASK) ^ (tables[MOD + top] as number);
      low = (low << 8) ^ (bytes[index] as number) ^ (tables[MOD + LOW + top] as number);
    }
    for (let index = MIN_CHUNK; index < end; index++) {
      if ((low & SPLIT_MASK) === 0) return index;
      const top = (high >>> TOP) & 0xff;
      const out = bytes[index - WINDOW] as number;
      // Values that don't depend on the last fingerprint are combined first, so that nothing waits for them.
      high =
        (((high << 8) | (low >>> 24)) & HIGH_MASK) ^
        (tables[OUT + out] as number) ^
        (tables[MOD + top] as number);
      low =
        (low << 8) ^
        ((bytes[index] as number) ^ (tables[OUT + LOW + out] as number)) ^
        (tables[MOD + LOW + top] as number);
    }
    return end;
  }
}

/** @returns a polynomial for a new repository */
export function newPolynomial(): bigint {
  for (;;) {
    const bits = BigInt.asUintN(DEGREE, randomBytes(8).readBigUInt64LE());
    // Even ones are multiples of x.
    const polynomial = (1n << BigInt(DEGREE)) | bits | 1n;
    if (isIrreducible(polynomial)) return polynomial;
  }
}

/**
 * Whether restic accepts a polynomial, and this module can cut with it: of degree 53, and without a divisor. As 53 is
 * prime, it is irreducible if it divides x^(2^53) - x, and has no divisor of degree 1, of which there are two.
 * https://en.wikipedia.org/wiki/Factorization_of_polynomials_over_finite_fields#Rabin's_test_of_irreducibility
 */
export function isIrreducible(polynomial: bigint): boolean {
  if (polynomial >> BigInt(DEGREE) !== 1n) return false;
  let power = 2n;
  for (let step = 0; step < DEGREE; step++) power = square(power, polynomial);
  const hasRoot = (polynomial & 1n) === 0n || parity(polynomial) === 0;
  return power === 2n && !hasRoot;
}

/** Over GF(2), the square has each bit at twice its place. */
function square(value: bigint, polynomial: bigint): bigint {
  return modulo(BigInt(`0b${value.toString(2).split('').join('0')}`), polynomial);
}

/** @returns whether the number of bits is odd */
function parity(value: bigint): number {
  return value.toString(2).replaceAll('0', '').length % 2;
}

/** @returns the remainder over GF(2) */
function modulo(value: bigint, polynomial: bigint): bigint {
  let rest = value;
  for (let shift = bits(rest) - DEGREE - 1; shift >= 0; shift = bits(rest) - DEGREE - 1) {
    rest ^= polynomial << BigInt(shift);
  }
  return rest;
}

function bits(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
