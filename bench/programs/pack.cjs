'use strict';
/**
 * Packs a folder as the backup node does, with an index: `node pack.cjs ARCHIVE FOLDER [RECIPIENT]`. Needs
 * `--require test/support/run/typescript.cjs`.
 */
const { closeSync, openSync, writeSync } = require('node:fs');
const { archiveContent } = require('../../src/backup/archive/archive-content');
const { newSummary } = require('../../src/backup/archive/write-tar');

const [archive, folder, recipient] = process.argv.slice(2);

async function pack() {
  const encryption = recipient === undefined ? undefined : { recipients: [recipient] };
  const options = { sources: [folder], exclude: [], compression: 'gzip', encryption };
  const file = openSync(archive, 'w');
  // Each chunk is valid only until the next one is asked for.
  for await (const chunk of archiveContent(options, newSummary())) {
    for (let written = 0; written < chunk.length;) written += writeSync(file, chunk, written);
  }
  closeSync(file);
}

void pack();
