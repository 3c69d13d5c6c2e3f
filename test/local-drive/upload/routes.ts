import { Router, type Request, type Response } from 'express';
import { badRequest } from '../http/api-error';
import { queryOf } from '../http/query-parameters';
import { DEFAULT_FILE_FIELDS } from '../api/create-update-delete';
import { requestedMask, type DriveBackend } from '../api/backend';
import { toResource } from '../api/resource';
import { FILE } from '../api/schemas';
import { continueSession, startSession, type UploadBackend } from './resumable';
import { mediaUpload, multipartUpload } from './single-request';

/** The routes below /upload/drive/v3: POST for new files, PATCH for new content, PUT and POST for sessions. */
export function uploadRoutes(backend: UploadBackend): Router {
  const router = Router();
  const start = (request: Request, response: Response) => upload(backend, request, response);
  const next = (request: Request, response: Response) => continueSession(backend, request, response);
  router.put(['/files', '/files/:fileId'], next);
  router.post('/files/:fileId', next);
  router.post('/files', (request, response) =>
    queryOf(request).has('upload_id') ? next(request, response) : start(request, response),
  );
  router.patch('/files/:fileId', start);
  return router;
}

const SINGLE_REQUEST = { media: mediaUpload, multipart: multipartUpload };

async function upload(backend: UploadBackend, request: Request, response: Response): Promise<void> {
  const query = queryOf(request);
  const type = query.get('uploadType');
  const fileId = request.params.fileId === undefined ? undefined : String(request.params.fileId);
  if (type === 'resumable') {
    await startSession(backend, request, response, fileId);
  } else if (type === 'media' || type === 'multipart') {
    await sendUploadedFile(backend.drive, request, response, () =>
      SINGLE_REQUEST[type](backend.drive, request, { fileId, query, input: {} }),
    );
  } else {
    throw badRequest('uploadType must be media, multipart or resumable.');
  }
}

async function sendUploadedFile(
  drive: DriveBackend,
  request: Request,
  response: Response,
  run: () => ReturnType<typeof mediaUpload>,
): Promise<void> {
  const mask = requestedMask(request, FILE, DEFAULT_FILE_FIELDS);
  response.json(await toResource(drive, await run(), mask));
}
