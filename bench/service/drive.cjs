'use strict';
/**
 * A drive that does next to nothing, so that what is measured is the client: contents come from memory, what comes up
 * is counted and forgotten, checksums are known beforehand. Plain JavaScript in a process of its own; the same one for
 * all that are compared. An id is a size in bytes, `-md5` behind it leaves out the sha256.
 *
 *     node drive.cjs [KEY CERTIFICATE]
 *
 * With key and certificate (files, PEM) it speaks TLS. It prints `ready ADDRESS`; an id on its input lets it compute the
 * checksums of that content before anybody asks for them.
 *
 * What a client does wrong is answered 400 with the reason, so that nothing is measured that does not work.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const { createInterface } = require('node:readline');
const { digests, pieceAt } = require('./content.cjs');

/** Of contents up to this size the checksums that are answered are those of the bytes that came. */
const CHECKED = 16 * 1024 * 1024;

/** Bytes of a multipart body in which its metadata are. */
const HEAD = 4_096;

const known = new Map();
const sessions = new Map();

const ABOUT = {
  user: { displayName: 'Bench', emailAddress: 'bench@example.org', permissionId: '1' },
  storageQuota: { limit: '16106127360', usage: '1000000', usageInDrive: '1000000', usageInDriveTrash: '0' },
};

/** What a page holds at most, where the request doesn't say. */
const PAGE = 1_000;

const FILE = {
  mimeType: 'application/octet-stream',
  size: '1048576',
  md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e',
};
const FOLDER = { mimeType: 'application/vnd.google-apps.folder' };
const TIMES = { createdTime: '2042-01-01T00:00:00.000Z', modifiedTime: '2042-01-01T00:00:00.000Z' };

/** Texts of pages, by what was asked for. */
const pages = new Map();

/** A page of as many files, or folders, as the name of the folder says that they are in, with the fields asked for. */
function page(query) {
  const [q, fields, token, pageSize] = ['q', 'fields', 'pageToken', 'pageSize'].map((name) =>
    query.get(name),
  );
  const key = JSON.stringify([q, fields, token, pageSize]);
  if (!pages.has(key)) {
    const length = Number(/'(\d+)' in parents/.exec(q ?? '')?.[1] ?? 0);
    const from = Number(token ?? 0);
    const to = Math.min(length, from + Number(pageSize ?? PAGE));
    const kind = /mimeType ?= ?'[^']*folder'/.test(q ?? '') ? FOLDER : FILE;
    const wanted = new Set(/files\(([^)]*)\)/.exec(fields ?? '')?.[1].split(',') ?? ['id', 'name']);
    const files = Array.from({ length: to - from }, (_, index) => {
      const number = String(from + index);
      const names = { id: `1a2b3c4d5e6f7g8h9i0j${number}`, name: `backup-2042-${number}` };
      const file = { ...names, ...kind, ...TIMES, parents: [String(length)], trashed: false };
      return Object.fromEntries(Object.entries(file).filter(([name]) => wanted.has(name)));
    });
    pages.set(key, JSON.stringify({ files, ...(to < length ? { nextPageToken: String(to) } : {}) }));
  }
  return pages.get(key);
}

function checksums(size) {
  if (!known.has(size)) known.set(size, digests(size));
  return known.get(size);
}

function fileOf(id, { md5, sha256 } = checksums(parseInt(id, 10))) {
  const file = {
    id,
    name: `${id}.bin`,
    mimeType: 'application/octet-stream',
    size: String(parseInt(id, 10)),
  };
  return id.endsWith('-md5')
    ? { ...file, md5Checksum: md5 }
    : { ...file, md5Checksum: md5, sha256Checksum: sha256 };
}

function answer(response, status, body, headers = {}) {
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function refuse(response, message) {
  answer(response, 400, { error: { code: 400, message, errors: [{ reason: 'badRequest', message }] } });
}

/** The content of a file, or a part of it: RFC 9110 14.2. */
function giveContent(request, response, id) {
  const size = parseInt(id, 10);
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.writeHead(start > 0 ? 206 : 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': size - start,
    ...(start > 0 ? { 'Content-Range': `bytes ${start}-${size - 1}/${size}` } : {}),
  });
  let position = start;
  const more = () => {
    while (position < size) {
      const piece = pieceAt(position, size);
      position += piece.length;
      if (!response.write(piece)) return response.once('drain', more);
    }
    return response.end();
  };
  more();
}

/** Lets a body pass. @returns its length, its beginning, and for small ones its checksums */
async function take(request, expected) {
  const hashes = expected <= CHECKED ? { md5: createHash('md5'), sha256: createHash('sha256') } : undefined;
  let length = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of request) {
    if (head.length < HEAD) head = Buffer.concat([head, chunk.subarray(0, HEAD)]);
    length += chunk.length;
    hashes?.md5.update(chunk);
    hashes?.sha256.update(chunk);
  }
  return {
    length,
    head,
    digests: hashes && { md5: hashes.md5.digest('hex'), sha256: hashes.sha256.digest('hex') },
  };
}

async function begin(request, response, origin) {
  const chunks = await request.toArray();
  const { name } = JSON.parse(Buffer.concat(chunks).toString());
  const size = Number(request.headers['x-upload-content-length']);
  const session = String(sessions.size + 1);
  sessions.set(session, { id: idIn(name), size });
  answer(response, 200, undefined, { Location: `${origin}/session/${session}` });
}

/** The name of what is sent begins with the id it is to have. */
function idIn(name) {
  return /^\d+(-md5)?/.exec(name)?.[0] ?? '0';
}

/** A session's only PUT, from its first byte to its last. */
async function store(request, response, session) {
  const { id, size } = sessions.get(session);
  const range = request.headers['content-range'];
  const { length, digests: found } = await take(request, size);
  if (range !== undefined && range !== `bytes 0-${size - 1}/${size}`)
    return refuse(response, `Content-Range ${range}`);
  if (length !== size) return refuse(response, `${length} bytes came of ${size}`);
  return answer(response, 200, fileOf(id, found));
}

async function storeMultipart(request, response) {
  const { head } = await take(request, Infinity);
  const name = /"name":\s*"([^"]*)"/.exec(head.toString('latin1'))?.[1];
  if (name === undefined) return refuse(response, 'no name');
  return answer(response, 200, fileOf(idIn(name)));
}

async function serve(request, response) {
  const origin = `${tls ? 'https' : 'http'}://${request.headers.host}`;
  const { pathname, searchParams } = new URL(request.url, origin);
  const parts = pathname.split('/');
  const last = parts.at(-1);
  if (request.method === 'GET' && /^\d/.test(last)) {
    if (searchParams.get('alt') === 'media') return giveContent(request, response, last);
    return answer(response, 200, fileOf(last));
  }
  if (request.method === 'GET' && last === 'about') return answer(response, 200, ABOUT);
  if (request.method === 'GET') return answer(response, 200, page(searchParams));
  if (request.method === 'PUT' && parts[1] === 'session') return store(request, response, last);
  if (request.method === 'PUT') {
    const { length } = await take(request, Infinity);
    return answer(response, 200, { length });
  }
  if (searchParams.get('uploadType') === 'resumable') return begin(request, response, origin);
  return storeMultipart(request, response);
}

const [key, cert] = process.argv.slice(2);
const tls = cert === undefined ? undefined : { key: readFileSync(key), cert: readFileSync(cert) };
const listener = (request, response) => {
  serve(request, response).catch((error) => response.destroy(error));
};
const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${tls ? 'https' : 'http'}://127.0.0.1:${server.address().port}\n`);
});

const orders = createInterface(process.stdin);
orders.on('line', (id) => {
  checksums(parseInt(id, 10));
  process.stdout.write(`prepared ${id}\n`);
});
// Without its parent there is nobody left to serve.
orders.on('close', () => process.exit(0));
