'use strict';
/**
 * What one writes with axios and nothing else: `node axios-defaults.cjs ADDRESS ID PATH [CHECKSUM]`, where CHECKSUM is
 * `sha256`, `md5`, or nothing for a download that proves nothing.
 */
const { createHash } = require('node:crypto');
const { createWriteStream } = require('node:fs');
const { Transform } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const axios = require('axios');
const measured = require('./measured.cjs');

const [address, id, local, algorithm] = process.argv.slice(2);
const url = `${address}/drive/v3/files/${id}`;

async function download() {
  const expected = algorithm && (await axios.get(url)).data[`${algorithm}Checksum`];
  const { data } = await axios.get(url, { params: { alt: 'media' }, responseType: 'stream' });
  if (!algorithm) return pipeline(data, createWriteStream(local));
  const hash = createHash(algorithm);
  const hashing = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(data, hashing, createWriteStream(local));
  if (hash.digest('hex') !== expected) throw new Error(`not the right ${algorithm}`);
}

axios.get(`${address}/drive/v3/about`).then(() => measured(download));
