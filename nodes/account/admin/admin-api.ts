/** The account's admin API, with which its panel in the editor works. */
import type { NodeAPI } from 'node-red';
import type { AccountAdmin } from './account-admin';
import { badRequestBody } from './admin-guard';
import { callback } from './callback';
import { ROOT, type Route, adminServer, pathParameter, registerRoutes } from './routes';

export function adminApi(RED: NodeAPI, admin: AccountAdmin): void {
  const server = adminServer(RED);
  // Before those with an id: a browser that comes back carries no permission, only a state that is good for once.
  server?.get(`${ROOT}/callback`, callback(RED, admin));
  registerRoutes(RED, [...signInRoutes(admin), ...accountRoutes(admin)]);
  server?.use(ROOT, badRequestBody(RED));
}

function signInRoutes(admin: AccountAdmin): Route[] {
  const [start, underWay] = ['/:id/sign-in', '/sign-in/:session'];
  return [
    {
      method: 'post',
      path: start,
      permission: 'flows.write',
      status: 201,
      endpoint: (request) => admin.startSignIn(pathParameter(request, 'id'), request.body as unknown),
    },
    {
      method: 'post',
      path: underWay,
      permission: 'flows.write',
      endpoint: (request) =>
        admin.submitRedirectUrl(pathParameter(request, 'session'), request.body as unknown),
    },
    {
      method: 'get',
      path: underWay,
      permission: 'flows.read',
      endpoint: (request) => admin.signInStatus(pathParameter(request, 'session')),
    },
    {
      method: 'delete',
      path: underWay,
      permission: 'flows.write',
      endpoint: (request) => admin.cancelSignIn(pathParameter(request, 'session')),
    },
  ];
}

function accountRoutes(admin: AccountAdmin): Route[] {
  return [
    {
      method: 'get',
      path: '/:id',
      permission: 'flows.read',
      endpoint: (request) => admin.status(pathParameter(request, 'id')),
    },
    {
      method: 'get',
      path: '/:id/connection',
      permission: 'flows.read',
      endpoint: (request) => admin.connection(pathParameter(request, 'id')),
    },
    {
      method: 'delete',
      path: '/:id/sign-in',
      permission: 'flows.write',
      endpoint: (request) => admin.signOut(pathParameter(request, 'id'), request.query['revoke'] === 'true'),
    },
  ];
}
