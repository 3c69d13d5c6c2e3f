'use strict';
/** A long list, page by page, each file looked at once: `node lists.cjs client|vendor URL COUNT`. */
const measured = require('./measured.cjs');
const { FIELDS, files } = require('./queries.cjs');

const [kind, baseUrl, count] = process.argv.slice(2);

function clientPages() {
  const { client } = require('./client-at.cjs');
  const drive = client(baseUrl);
  return async function* (folderId) {
    const wanted = { folderId, text: '', kind: 'files', includeTrashed: false, fields: FIELDS };
    for await (const page of drive.search(wanted)) yield page.files;
  };
}

function vendorPages() {
  const { auth, drive } = require('@googleapis/drive');
  const credentials = new auth.OAuth2();
  credentials.setCredentials({ access_token: 'token' });
  const service = drive({ version: 'v3', auth: credentials, rootUrl: `${baseUrl}/` });
  return async function* (folder) {
    let pageToken;
    do {
      const { data } = await service.files.list({ ...files(folder), pageSize: 1000, pageToken });
      yield data.files;
      pageToken = data.nextPageToken;
    } while (pageToken);
  };
}

async function look(pages, folder) {
  let seen = 0;
  let bytes = 0;
  for await (const page of pages(folder)) {
    for (const file of page) bytes += Number(file.size);
    seen += page.length;
  }
  if (seen !== Number(folder) || !(bytes > 0)) throw new Error(`${seen} of ${folder} files`);
}

const pages = kind === 'client' ? clientPages() : vendorPages();
// Loads modules with a first request.
look(pages, '1').then(() => measured(() => look(pages, count)));
