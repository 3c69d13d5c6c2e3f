/**
 * Routes with which the editor browses a drive. Listing requires the permission to read flows, creating a folder the
 * one to change them.
 */
import type { NodeAPI } from 'node-red';
import { accountEndpoint } from '../../shared/admin/account-client';
import { type Route, pathParameter } from '../../shared/admin/routes';
import { createBrowsedFolder, findPath, listDrives, listPage, sharedDrive } from './drive-browser';

export function browseRoutes(RED: NodeAPI): Route[] {
  const readRoute = (path: string, operation: Parameters<typeof accountEndpoint>[1]): Route => ({
    method: 'get',
    path: `/:id${path}`,
    permission: 'flows.read',
    endpoint: accountEndpoint(RED, operation),
  });
  return [
    readRoute('/files', (client, { query }, call) => listPage(client, query, call)),
    readRoute('/files/:file/path', (client, request, call) =>
      findPath(client, pathParameter(request, 'file'), call),
    ),
    readRoute('/drives', (client, { query }, call) => listDrives(client, query, call)),
    readRoute('/drives/:drive', (client, request, call) =>
      sharedDrive(client, pathParameter(request, 'drive'), call),
    ),
    {
      method: 'post',
      path: '/:id/folders',
      permission: 'flows.write',
      endpoint: accountEndpoint(RED, (client, { body }, call) => createBrowsedFolder(client, body, call)),
    },
  ];
}
