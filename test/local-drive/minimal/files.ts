import { randomUUID } from 'node:crypto';
import { Router, type Request, type Response } from 'express';
import { badRequest, fileNotFound } from '../http/api-error';
import { parseJsonObject, readTextBody, requestBody } from '../http/request-body';
import { queryOf } from '../http/query-parameters';
import { boundaryOf, readRelated } from '../upload/multipart-related';
import { parseStrictQuery } from './query';

/** The fields of a file in the specification, and its content. */
export interface MinimalFile {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  content: Buffer;
}

export type MinimalFiles = Map<string, MinimalFile>;

/** Id of the top folder. */
export const ROOT = 'root';

const ABOUT: Record<string, object> = {
  user: { displayName: 'Minimal User', emailAddress: 'user@minimal.example' },
  storageQuota: { limit: '1000000', usage: '0' },
};

/** The file routes of section 4 of the specification. */
export function minimalFileRoutes(files: MinimalFiles): Router {
  const router = Router();
  router.get('/drive/v3/about', (request, response) => {
    const fields = checkedQuery(request, ['fields']).get('fields')?.split(',') ?? [];
    if (fields.length === 0 || !fields.every((each) => each in ABOUT)) throw badRequest('Unknown fields.');
    response.json(Object.fromEntries(fields.map((each) => [each, ABOUT[each]])));
  });
  router.get('/drive/v3/files', (request, response) => {
    listFiles(files, request, response);
  });
  router.get('/drive/v3/files/:id', (request, response) => {
    const query = queryOf(request);
    if (query.get('alt') !== 'media')
      response.sendStatus(405); // there are no metadata requests
    else if ([...query.keys()].length > 1) throw badRequest('Unknown query parameter.');
    else response.type('application/octet-stream').end(existingFile(files, request).content);
  });
  router.delete('/drive/v3/files/:id', async (request, response) => {
    checkedQuery(request, []);
    const body = await readTextBody(request);
    if (request.headers['content-type'] !== 'application/json' || body !== '') {
      throw badRequest('A delete needs Content-Type: application/json and no body.');
    }
    remove(files, existingFile(files, request).id);
    response.status(204).end();
  });
  router.post('/upload/drive/v3/files', async (request, response) => {
    const query = checkedQuery(request, ['uploadType']);
    if (query.get('uploadType') !== 'multipart') throw badRequest('Only multipart uploads.');
    const { id, name, mimeType } = await receiveUpload(files, request);
    response.json({ id, name, mimeType });
  });
  return router;
}

function listFiles(files: MinimalFiles, request: Request, response: Response): void {
  const parameters = checkedQuery(request, ['q', 'fields']);
  const q = parameters.get('q');
  const query = q === null ? { parents: [], mimeTypes: [], names: [] } : parseStrictQuery(q);
  if (!query) throw badRequest('Unknown search expression.');
  const selected = /^(?:.*,)?files\((.+)\)/
    .exec(parameters.get('fields') ?? 'files(id,name)')?.[1]
    ?.split(',');
  if (!selected) throw badRequest('Unknown fields.');
  const found = [...files.values()].filter(
    ({ id, name, mimeType, parents }) =>
      id !== ROOT &&
      query.parents.every((each) => parents.includes(each)) &&
      query.mimeTypes.every((each) => mimeType === each) &&
      query.names.every((each) => name.includes(each)),
  );
  response.json({ files: found.map(({ content: _content, ...file }) => pick(file, selected)) });
}

/** Selects fields; those that are not in the specification are absent. */
function pick(file: object, fields: string[]): object {
  return Object.fromEntries(Object.entries(file).filter(([name]) => fields.includes(name)));
}

async function receiveUpload(files: MinimalFiles, request: Request): Promise<MinimalFile> {
  const parts: Buffer[][] = [];
  let type = 'application/octet-stream';
  for await (const event of readRelated(requestBody(request), boundaryOf(request.headers['content-type']))) {
    if ('data' in event) parts.at(-1)?.push(event.data);
    else {
      parts.push([]);
      type = event.headers.get('content-type') ?? type;
    }
  }
  const [metadata, content] = parts;
  if (!metadata || !content) throw badRequest('A multipart upload needs metadata and content.');
  const { name, mimeType = type, parents = [ROOT] } = parseJsonObject(Buffer.concat(metadata).toString());
  if (typeof name !== 'string' || typeof mimeType !== 'string' || !isStringArray(parents)) {
    throw badRequest('Wrong metadata.');
  }
  for (const each of parents) if (!files.has(each)) throw fileNotFound(each);
  const file = { id: randomUUID(), name, mimeType, parents, content: Buffer.concat(content) };
  files.set(file.id, file);
  return file;
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function existingFile(files: MinimalFiles, request: Request): MinimalFile {
  const id = String(request.params.id);
  const file = files.get(id);
  if (!file) throw fileNotFound(id);
  return file;
}

function remove(files: MinimalFiles, id: string): void {
  files.delete(id);
  for (const each of [...files.values()]) if (each.parents.includes(id)) remove(files, each.id);
}

/** The query of a request; 400 for parameters other than these. */
function checkedQuery(request: Request, names: string[]): URLSearchParams {
  const query = queryOf(request);
  for (const name of query.keys()) if (!names.includes(name)) throw badRequest(`Unknown parameter ${name}.`);
  return query;
}
