/**
 * Cuts content where restic cuts it: a Rabin fingerprint of the last 64 bytes, and a cut where its lowest 20 bits are zero.
 * So the same content has the same blobs, wherever it starts in a file. https://github.com/restic/chunker
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
/** Bits of the upper half above the lowest bit of the byte that is reduced: 53 - 8 - 32. */
const TOP = DEGREE - 8 - 32;

export class Chunker {
  /** What a byte adds to the fingerprint when it leaves the window. */
  private readonly outHigh = new Int32Array(256);
  private readonly outLow = new Int32Array(256);
  /** Reduces the fingerprint by the polynomial, and removes its upper byte. */
  private readonly modHigh = new Int32Array(256);
  private readonly modLow = new Int32Array(256);

  /** @param polynomial of the repository, see {@link isIrreducible} */
  constructor(polynomial: bigint) {
    for (let byte = 0; byte < 256; byte++) {
      const out = modulo(BigInt(byte) << BigInt(8 * (WINDOW - 1)), polynomial);
      const shifted = BigInt(byte) << BigInt(DEGREE);
      const mod = modulo(shifted, polynomial) | shifted;
      this.outHigh[byte] = Number(out >> 32n);
      this.outLow[byte] = Number(BigInt.asIntN(32, out));
      this.modHigh[byte] = Number(mod >> 32n);
      this.modLow[byte] = Number(BigInt.asIntN(32, mod));
    }
  }

  /** @param bytes at least {@link MAX_CHUNK}, or all that follow. @returns the length of the first chunk */
  cut(bytes: Uint8Array): number {
    const end = Math.min(bytes.length, MAX_CHUNK);
    if (end <= MIN_CHUNK) return end;
    const { outHigh, outLow, modHigh, modLow } = this;
    let high = 0;
    let low = 0;
    for (let index = MIN_CHUNK - WINDOW; index < end; index++) {
      // A chunk can end after MIN_CHUNK at the earliest, when the window is full.
      if (index >= MIN_CHUNK) {
        if ((low & SPLIT_MASK) === 0) return index;
        const out = bytes[index - WINDOW] as number;
        high ^= outHigh[out] as number;
        low ^= outLow[out] as number;
      }
      const top = (high >>> TOP) & 0xff;
      high = ((high << 8) | (low >>> 24)) ^ (modHigh[top] as number);
      low = ((low << 8) | (bytes[index] as number)) ^ (modLow[top] as number);
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
 * Whether restic accepts a polynomial, and this module can cut with it: of degree 53, and without a divisor. As 53 is prime,
 * it is irreducible if it divides x^(2^53) - x, and has no divisor of degree 1, of which there are two.
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
