'use strict';
/** Google's client with md5 verification; same arguments as client.cjs. */
const { createHash } = require('node:crypto');
const { createReadStream, createWriteStream } = require('node:fs');
const { Transform } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { auth, drive } = require('@googleapis/drive');
const measured = require('./measured.cjs');

const [operation, rootUrl, file, local] = process.argv.slice(2);
const credentials = new auth.OAuth2();
credentials.setCredentials({ access_token: 'token' });
const { files, about } = drive({ version: 'v3', auth: credentials, rootUrl: `${rootUrl}/` });

function hashing(hash) {
  return new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

const operations = {
  async download() {
    const { data } = await files.get({ fileId: file, fields: 'md5Checksum' });
    const content = await files.get({ fileId: file, alt: 'media' }, { responseType: 'stream' });
    const hash = createHash('md5');
    await pipeline(content.data, hashing(hash), createWriteStream(local));
    verify(hash, data);
  },
  async upload() {
    const hash = createHash('md5');
    const body = createReadStream(local).pipe(hashing(hash));
    const request = {
      requestBody: { name: file },
      media: { mimeType: 'application/octet-stream', body },
      fields: 'id,md5Checksum',
    };
    // Uploads ignore the client's rootUrl.
    const { data } = await files.create(request, { rootUrl: `${rootUrl}/` });
    verify(hash, data);
  },
};

function verify(hash, { md5Checksum }) {
  if (hash.digest('hex') !== md5Checksum) throw new Error('wrong md5');
}

about.get({ fields: 'user' }).then(() => measured(operations[operation]));
