'use strict';
/**
 * Contents of any size without computation: a repeated block, whose length is not a multiple of any read or write size,
 * so that swapped blocks are detected.
 */
const { createCipheriv, createHash } = require('node:crypto');
const { closeSync, openSync, writeSync } = require('node:fs');

const LENGTH = 8 * 1024 * 1024 + 4_099;
const PIECE = 1024 * 1024;

const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16));
const block = cipher.update(Buffer.alloc(LENGTH));
/** The block and the start of the next one, so that each piece is a single slice. */
const twice = Buffer.concat([block, block.subarray(0, PIECE)]);

/** @returns up to 1 MiB of the content at a position */
function pieceAt(position, size) {
  const start = position % LENGTH;
  return twice.subarray(start, start + Math.min(PIECE, size - position));
}

function* pieces(size, start = 0) {
  for (let position = start; position < size; position += PIECE) yield pieceAt(position, size);
}

/** @returns {{md5: string, sha256: string}} hexadecimal, of the content of that size */
function digests(size) {
  const hashes = { md5: createHash('md5'), sha256: createHash('sha256') };
  for (const piece of pieces(size)) for (const hash of Object.values(hashes)) hash.update(piece);
  return { md5: hashes.md5.digest('hex'), sha256: hashes.sha256.digest('hex') };
}

function writeContent(path, size) {
  const file = openSync(path, 'w');
  for (const piece of pieces(size)) {
    for (let done = 0; done < piece.length;) done += writeSync(file, piece, done);
  }
  closeSync(file);
}

module.exports = { pieceAt, digests, writeContent };
