'use strict';
/**
 * Writes an archive as the backup node does, with an index: large files, and a small one in the middle. The large ones are
 * the same noise again and again, so that no folder of that size is needed. Needs
 * `--require test/support/run/typescript.cjs`.
 *
 *     node large-archive.cjs ARCHIVE BYTES NAME BYTES-OF-IT [RECIPIENT]
 */
const { randomFillSync } = require('node:crypto');
const { closeSync, openSync, writeSync } = require('node:fs');
const { AgeEncryption } = require('../../src/backup/archive/age');
const { gzipMembers } = require('../../src/backup/archive/gzip-members');
const { IndexCollector, IndexPages } = require('../../src/backup/archive/index-format');
const { END_MARK, tarItem } = require('../../test/support/archive/tar-builder');

const [archive, total, smallName, smallSize, recipient] = process.argv.slice(2);
const NOISE = randomFillSync(Buffer.alloc(4 * 1024 * 1024));
const LARGE = 64 * 1024 * 1024;

const collector = new IndexCollector();
const pages = new IndexPages();

function files() {
  const count = Math.max(2, Math.round(Number(total) / LARGE));
  const large = Array.from({ length: count }, (_, index) => ({ name: `large/file-${index}`, size: LARGE }));
  large.splice(count / 2, 0, { name: smallName, size: Number(smallSize) });
  return large;
}

async function* tar() {
  for (const { name, size } of files()) {
    const entry = {
      path: name,
      type: 'file',
      size,
      time: 1_700_000_000_000,
      mode: 0o644,
      target: '',
      headers: 1,
    };
    pages.add(entry);
    yield* counted(tarItem({ name, size }));
    for (let written = 0; written < size; written += NOISE.length)
      yield* counted(NOISE.subarray(0, Math.min(NOISE.length, size - written)));
    yield* counted(Buffer.alloc(-size & 511));
  }
  yield* counted(END_MARK);
}

function* counted(bytes) {
  collector.tarLength += bytes.length;
  yield bytes;
}

async function* packed() {
  for await (const block of gzipMembers(tar())) {
    collector.addBlock(block.length);
    yield block;
  }
  pages.finishPage();
  collector.addPages(pages.take());
  yield collector.finish();
}

async function* encrypted(content) {
  const encryption = await AgeEncryption.start({ recipients: [recipient] });
  yield encryption.header;
  for await (const chunk of content) yield* encryption.encrypt(chunk);
  yield* encryption.end();
}

async function write() {
  const file = openSync(archive, 'w');
  for await (const chunk of recipient === undefined ? packed() : encrypted(packed()))
    for (let written = 0; written < chunk.length;) written += writeSync(file, chunk, written);
  closeSync(file);
}

void write();
