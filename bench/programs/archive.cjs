'use strict';
/** A backup with this package's client, without Node-RED: `node archive.cjs URL FOLDER [RECIPIENT]`. */
const { randomBytes } = require('node:crypto');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { client: clientAt } = require('./client-at.cjs');
const { Calendar } = require('../../src/index.ts');
const measured = require('./measured.cjs');

const [baseUrl, folder, recipient] = process.argv.slice(2);
const client = clientAt(baseUrl);

const backup = (source) =>
  client.backup({
    ...{ sources: [source], folderId: '', targetName: 'archive', exclude: [], compression: 'gzip' },
    ...(recipient === undefined ? {} : { encryption: { recipients: [recipient] } }),
    ...{ calendar: new Calendar(''), host: '', temporaryFolder: tmpdir(), fields: 'id,size' },
  });

/** Loads modules. */
async function first() {
  const small = mkdtempSync(path.join(tmpdir(), 'cloud-drive-bench-'));
  writeFileSync(path.join(small, 'file'), randomBytes(6_000_000));
  await backup(small);
  rmSync(small, { recursive: true });
}

first().then(() => measured(() => backup(folder)));
