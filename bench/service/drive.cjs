'use strict';
/**
 * A minimal drive service, so that the client dominates the measurements: contents come from memory, uploads are counted
 * and discarded, checksums are computed beforehand. Plain JavaScript in its own process, shared by all contestants. A file
 * id is its size in bytes; the suffix `-md5` omits the sha256.
 *
 *     node drive.cjs [KEY CERTIFICATE]
 *
 * With a key and certificate (PEM files), it uses TLS. It prints `ready URL`; an id on stdin computes the checksums of that
 * content in advance. `ID PATH` on stdin adds a file on disk, whose id doesn't start with a digit; the suffix
 * `-unhashed` omits both checksums.
 *
 * Invalid requests are 400 with a reason, so that broken clients are not measured.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
const { createHash } = require('node:crypto');
const { createReadStream, readFileSync, statSync } = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const { createInterface } = require('node:readline');
const { digests, pieceAt } = require('./content.cjs');

/** For uploads up to this size, the returned checksums are computed from the received bytes. */
const CHECKED = 16 * 1024 * 1024;

/** Bytes of a multipart body that include its metadata. */
const HEAD = 4_096;

const known = new Map();
/** Files on disk by id. */
const local = new Map();
const sessions = new Map();
/** Since the parent last asked. */
let traffic = { requests: 0, bytes: 0 };

const ABOUT = {
  user: { displayName: 'Bench', emailAddress: 'bench@example.org', permissionId: '1' },
  storageQuota: { limit: '16106127360', usage: '1000000', usageInDrive: '1000000', usageInDriveTrash: '0' },
};

/** The default page size. */
const PAGE = 1_000;

const FILE = {
  mimeType: 'application/octet-stream',
  size: '1048576',
  md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e',
};
const FOLDER = { mimeType: 'application/vnd.google-apps.folder' };
const TIMES = { createdTime: '2042-01-01T00:00:00.000Z', modifiedTime: '2042-01-01T00:00:00.000Z' };

/** Serialized pages by request. */
const pages = new Map();

/** A page of files or folders. The id of the parent is their total number. */
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

function respond(response, status, body, headers = {}) {
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function refuse(response, message) {
  respond(response, 400, { error: { code: 400, message, errors: [{ reason: 'badRequest', message }] } });
}

/** Sends the content of a file, or a range of it (RFC 9110 section 14.2). */
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

/** Sends the content of a file on disk, or a range of it; `bytes=-N` are the last ones. */
function giveLocal(request, response, { path, size }) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const start = from === undefined ? 0 : from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from && to ? Math.min(size - 1, Number(to)) : size - 1;
  const range = from === undefined ? {} : { 'Content-Range': `bytes ${start}-${end}/${size}` };
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': end - start + 1, ...range };
  response.writeHead(from === undefined ? 200 : 206, headers);
  createReadStream(path, { start, end, highWaterMark: 2 ** 20 })
    .on('data', (chunk) => (traffic.bytes += chunk.length))
    .pipe(response);
}

async function addLocal(id, path) {
  const { size } = statSync(path);
  const name = path.replace(/^.*\//, '');
  const { mimeType } = FILE;
  const file = { id, name, mimeType, ...TIMES, size: String(size) };
  const checksums = id.endsWith('-unhashed') ? {} : await checksumsOf(path);
  local.set(id, { path, size, file: { ...file, ...checksums } });
}

async function checksumsOf(path) {
  const hashes = { md5: createHash('md5'), sha256: createHash('sha256') };
  for await (const chunk of createReadStream(path))
    for (const hash of Object.values(hashes)) hash.update(chunk);
  return { md5Checksum: hashes.md5.digest('hex'), sha256Checksum: hashes.sha256.digest('hex') };
}

/** Consumes a body. @returns its length, its start, and checksums if it is small */
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

async function startSession(request, response, origin) {
  const chunks = await request.toArray();
  const { name } = JSON.parse(Buffer.concat(chunks).toString());
  const length = request.headers['x-upload-content-length'];
  const size = length === undefined ? undefined : Number(length);
  const session = String(sessions.size + 1);
  sessions.set(session, { id: idIn(name), size, stored: 0, md5: createHash('md5') });
  respond(response, 200, undefined, { Location: `${origin}/session/${session}` });
}

/** The name of an upload starts with the id of the file. */
function idIn(name) {
  return /^\d+(-md5)?/.exec(name)?.[0] ?? '0';
}

/** A PUT of a session whose content has an unknown length. Only its md5 is computed. */
async function storePart(request, response, session) {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(request.headers['content-range']) ?? [];
  if (Number(first) !== session.stored) return refuse(response, `${first} after ${session.stored} bytes`);
  for await (const chunk of request) {
    session.md5.update(chunk);
    session.stored += chunk.length;
  }
  if (session.stored !== Number(last) + 1) return refuse(response, `${session.stored} bytes up to ${last}`);
  if (total === '*') return respond(response, 308, undefined, { Range: `bytes=0-${last}` });
  if (Number(total) !== session.stored) return refuse(response, `${session.stored} bytes of ${total}`);
  const file = { id: 'archive', size: total, md5Checksum: session.md5.digest('hex') };
  return respond(response, 200, { ...file, mimeType: 'application/octet-stream' });
}

/** The single PUT of an upload session. */
async function store(request, response, session) {
  const { id, size } = session;
  if (size === undefined) return storePart(request, response, session);
  const range = request.headers['content-range'];
  const { length, digests: found } = await take(request, size);
  if (range !== undefined && range !== `bytes 0-${size - 1}/${size}`)
    return refuse(response, `Content-Range ${range}`);
  if (length !== size) return refuse(response, `${length} bytes came of ${size}`);
  return respond(response, 200, fileOf(id, found));
}

async function storeMultipart(request, response) {
  const { head } = await take(request, Infinity);
  const name = /"name":\s*"([^"]*)"/.exec(head.toString('latin1'))?.[1];
  if (name === undefined) return refuse(response, 'no name');
  return respond(response, 200, fileOf(idIn(name)));
}

async function serve(request, response) {
  const origin = `${tls ? 'https' : 'http'}://${request.headers.host}`;
  const { pathname, searchParams } = new URL(request.url, origin);
  const parts = pathname.split('/');
  const last = parts.at(-1);
  if (request.method === 'GET' && /^\d/.test(last)) {
    if (searchParams.get('alt') === 'media') return giveContent(request, response, last);
    return respond(response, 200, fileOf(last));
  }
  if (request.method === 'GET' && local.has(last)) {
    if (searchParams.get('alt') === 'media') return giveLocal(request, response, local.get(last));
    return respond(response, 200, local.get(last).file);
  }
  if (request.method === 'GET' && last === 'about') return respond(response, 200, ABOUT);
  if (request.method === 'GET') return respond(response, 200, page(searchParams));
  if (request.method === 'PUT' && parts[1] === 'session') return store(request, response, sessions.get(last));
  if (request.method === 'PUT') {
    const { length } = await take(request, Infinity);
    return respond(response, 200, { length });
  }
  if (searchParams.get('uploadType') === 'resumable') return startSession(request, response, origin);
  return storeMultipart(request, response);
}

const [key, cert] = process.argv.slice(2);
const tls = cert === undefined ? undefined : { key: readFileSync(key), cert: readFileSync(cert) };
const listener = (request, response) => {
  traffic.requests += 1;
  serve(request, response).catch((error) => response.destroy(error));
};
const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready ${tls ? 'https' : 'http'}://127.0.0.1:${server.address().port}\n`);
});

const orders = createInterface(process.stdin);
orders.on('line', async (line) => {
  if (line === 'traffic') {
    process.stdout.write(`${traffic.requests} ${traffic.bytes}\n`);
    traffic = { requests: 0, bytes: 0 };
    return;
  }
  const [id, path] = line.split(/ (.*)/);
  if (path === undefined) checksums(parseInt(id, 10));
  else await addLocal(id, path);
  process.stdout.write(`prepared ${id}\n`);
});
// Exits with its parent.
orders.on('close', () => process.exit(0));
