'use strict';
/**
 * Small calls without a node: `node calls.cjs axios|vendor URL CALLS IN_FLIGHT FOLDER`, where FOLDER is the folder to
 * list, or nothing for about. axios as one writes it with an agent that keeps connections.
 */
const http = require('node:http');
const measuring = require('../harness/measuring.cjs');
const { folders } = require('./queries.cjs');

const [kind, baseUrl, calls, inFlight, folder] = process.argv.slice(2);
const query = { ...folders(folder), pageSize: 1000 };

function axiosCall() {
  const client = require('axios').create({
    baseURL: `${baseUrl}/drive/v3`,
    httpAgent: new http.Agent({ keepAlive: true }),
    headers: { Authorization: 'Bearer token' },
  });
  return folder
    ? () => client.get('/files', { params: query })
    : () => client.get('/about', { params: { fields: 'user,storageQuota' } });
}

function vendorCall() {
  const { auth, drive } = require('@googleapis/drive');
  const credentials = new auth.OAuth2();
  credentials.setCredentials({ access_token: 'token' });
  const { files, about } = drive({ version: 'v3', auth: credentials, rootUrl: `${baseUrl}/` });
  return folder ? () => files.list(query) : () => about.get({ fields: 'user,storageQuota' });
}

async function load(call, count) {
  const measured = measuring(count);
  let left = count;
  let result;
  const work = async () => {
    while (left-- > 0) {
      const started = performance.now();
      await call();
      result ??= measured.done(started);
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, work));
  return result;
}

async function main() {
  const call = kind === 'axios' ? axiosCall() : vendorCall();
  // A warm-up, so that the code is compiled as in a running Node-RED.
  await load(call, Math.ceil(calls / 4));
  process.stdout.write(JSON.stringify(await load(call, Number(calls))), () => process.exit(0));
}
void main();
