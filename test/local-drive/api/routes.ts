import { Router } from 'express';
import { invalidValue } from '../http/api-error';
import { integerParameter, queryOf } from '../http/query-parameters';
import { newFileId } from '../storage/ids';
import { about } from './about';
import { listChanges, startPageToken } from './changes';
import { commentRoutes } from './comments';
import { copy, create, emptyTrash, remove, update } from './create-update-delete';
import { getFile } from './get-file';
import { applyRequestedMask, requestedMask, type DriveBackend } from './backend';
import { getDrive, listDrives } from './drives';
import { exportFile } from './export';
import { listFiles } from './list';
import { permissionRoutes } from './permissions';
import { revisionRoutes } from './revisions';
import { GENERATED_IDS } from './schemas';
import { checkSupportsAllDrives } from './shared-drives';
import { checkVisible } from './spaces';

/**
 * The Drive API below /drive/v3.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
export function fileRoutes(drive: DriveBackend): Router {
  const router = Router();
  router.param('fileId', (request, _response, next, id) => {
    checkVisible(drive.store, request, String(id));
    // The only methods without the parameter supportsAllDrives.
    if (!/\/(export|revisions|comments)(\/|$)/.test(request.path))
      checkSupportsAllDrives(drive.store, queryOf(request), [String(id)]);
    next();
  });
  router.get('/about', (request, response) => {
    about(drive, request, response);
  });
  router.get('/files', (request, response) => listFiles(drive, request, response));
  router.post('/files', (request, response) => create(drive, request, response));
  router.get('/files/generateIds', (request, response) => {
    const query = queryOf(request);
    const count = integerParameter(query, 'count', { min: 1, max: 1000, fallback: 10 });
    const space = query.get('space') ?? 'drive';
    if (space !== 'drive' && space !== 'appDataFolder') throw invalidValue('space');
    const resource = { kind: 'drive#generatedIds', space, ids: Array.from({ length: count }, newFileId) };
    response.json(applyRequestedMask(resource, requestedMask(request, GENERATED_IDS, '*')));
  });
  router.delete('/files/trash', (request, response) => emptyTrash(drive, request, response));
  router.get('/files/:fileId', (request, response) => getFile(drive, request, response));
  router.patch('/files/:fileId', (request, response) => update(drive, request, response));
  router.delete('/files/:fileId', (request, response) => remove(drive, request, response));
  router.post('/files/:fileId/copy', (request, response) => copy(drive, request, response));
  router.get('/files/:fileId/export', (request, response) => exportFile(drive, request, response));
  permissionRoutes(drive, router);
  revisionRoutes(drive, router);
  commentRoutes(drive, router);
  router.get('/changes/startPageToken', (request, response) => {
    startPageToken(drive, request, response);
  });
  router.get('/changes', (request, response) => listChanges(drive, request, response));
  router.get('/drives', (request, response) => {
    listDrives(drive, request, response);
  });
  router.get('/drives/:driveId', (request, response) => {
    getDrive(drive, request, response);
  });
  return router;
}
