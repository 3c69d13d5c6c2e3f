import { Router, type Request, type Response } from 'express';
import { badRequest } from '../service/api-error';
import { queryOf } from '../service/parameters';
import { FILE_DEFAULTS } from '../files/create-update';
import { requestedMask, type DriveContext } from '../files/drive';
import { toResource } from '../files/resource';
import { FILE } from '../files/schemas';
import { continueSession, startSession, type ResumableContext } from './resumable';
import { mediaUpload, multipartUpload } from './simple';

/** Uploads below /upload/drive/v3: POST for new files, PATCH for new content, PUT and POST for sessions. */
export function uploadRoutes(context: ResumableContext): Router {
  const router = Router();
  const start = (request: Request, response: Response) => upload(context, request, response);
  const next = (request: Request, response: Response) => continueSession(context, request, response);
  router.put(['/files', '/files/:fileId'], next);
  router.post('/files/:fileId', next);
  router.post('/files', (request, response) =>
    queryOf(request).has('upload_id') ? next(request, response) : start(request, response),
  );
  router.patch('/files/:fileId', start);
  return router;
}

const SIMPLE = { media: mediaUpload, multipart: multipartUpload };

async function upload(context: ResumableContext, request: Request, response: Response): Promise<void> {
  const query = queryOf(request);
  const type = query.get('uploadType');
  const fileId = request.params.fileId === undefined ? undefined : String(request.params.fileId);
  if (type === 'resumable') {
    await startSession(context, request, response, fileId);
  } else if (type === 'media' || type === 'multipart') {
    await answerSimple(context.drive, request, response, () =>
      SIMPLE[type](context.drive, request, { fileId, query, input: {} }),
    );
  } else {
    throw badRequest('uploadType must be media, multipart or resumable.');
  }
}

async function answerSimple(
  drive: DriveContext,
  request: Request,
  response: Response,
  run: () => ReturnType<typeof mediaUpload>,
): Promise<void> {
  const mask = requestedMask(request, FILE, FILE_DEFAULTS);
  response.json(await toResource(drive, await run(), mask));
}
