/** Comments: create and list. https://developers.google.com/workspace/drive/api/reference/rest/v3/comments */
import { randomUUID } from 'node:crypto';
import type { Request, Router } from 'express';
import { ApiError, invalidValue } from '../http/api-error';
import { readJsonBody } from '../http/request-body';
import { queryOf } from '../http/query-parameters';
import type { Comment } from '../storage/file-record';
import { applyRequestedMask, existingFile, requestedMask, type DriveBackend } from './backend';
import { fileIdParameter } from './create-update-delete';
import type { Mask, Schema } from './field-mask';
import { COMMENT, COMMENT_LIST } from './schemas';
import { checkRole } from './shared-drives';
import { formatTimestamp } from './timestamp';
import { USER } from './user';

export function commentRoutes(drive: DriveBackend, router: Router): void {
  router.get('/files/:fileId/comments', (request, response) => {
    const mask = requiredMask(request, COMMENT_LIST);
    const { comments = [] } = existingFile(drive, fileIdParameter(request));
    const list = { kind: 'drive#commentList', comments: comments.map(commentResource) };
    response.json(applyRequestedMask(list, mask));
  });
  router.post('/files/:fileId/comments', async (request, response) => {
    const mask = requiredMask(request, COMMENT);
    const { content } = await readJsonBody(request);
    if (typeof content !== 'string' || content === '') throw invalidValue('content');
    const record = existingFile(drive, fileIdParameter(request));
    checkRole(drive.store, record, 'commenter');
    const comment = { id: randomUUID(), content, createdTime: drive.clock.now() };
    await drive.store.update(record, { comments: [...(record.comments ?? []), comment] });
    response.json(applyRequestedMask(commentResource(comment), mask));
  });
}

/** All methods but delete require `fields`, as about.get does. */
function requiredMask(request: Request, schema: Schema): Mask {
  if (queryOf(request).get('fields')) return requestedMask(request, schema, '');
  const location = { location: 'fields', locationType: 'parameter' as const };
  throw new ApiError(400, 'required', "The 'fields' parameter is required for this method.", location);
}

function commentResource({ id, content, createdTime }: Comment): object {
  const time = formatTimestamp(createdTime);
  return {
    kind: 'drive#comment',
    ...{ id, content, htmlContent: content, deleted: false, resolved: false, author: USER },
    ...{ createdTime: time, modifiedTime: time, replies: [] },
  };
}
