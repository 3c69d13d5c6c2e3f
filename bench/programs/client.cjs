'use strict';
/** This package's client, without Node-RED: `node client.cjs download URL ID PATH` or `upload URL NAME PATH`. */
const path = require('node:path');
const { client: clientAt } = require('./client-at.cjs');
const { pieceAt } = require('../service/content.cjs');
const measured = require('./measured.cjs');

const [operation, baseUrl, file, local] = process.argv.slice(2);
const client = clientAt(baseUrl);

const operations = {
  download: () =>
    client.downloadToDisk({
      id: file,
      fields: 'id',
      acknowledgeAbuse: false,
      path: path.resolve(local),
      overwrite: 'replace',
    }),
  upload: () => upload({ path: local }, file),
};

const upload = (content, name) =>
  client.upload({
    content,
    name,
    folderId: '',
    mimeType: 'application/octet-stream',
    ifExists: 'duplicate',
    keepModifiedTime: false,
    metadata: {},
    fields: 'id,size',
  });

/** Loads modules, and detects the checksum of the service; until then the client computes both. */
const first = () =>
  operation === 'upload' ? upload({ data: pieceAt(0, 1) }, '1.bin') : client.getAbout('user');

first().then(() => measured(operations[operation]));
