/** The account's admin API, with which its panel in the editor works. */
import type { NodeAPI } from 'node-red';
import type { AccountAdmin } from './account-admin';
import { unreadable } from './admin-guard';
import { callback } from './callback';
import { ROOT, type Route, adminServer, named, serve } from './routes';

export function adminApi(RED: NodeAPI, admin: AccountAdmin): void {
  const server = adminServer(RED);
  // Before those with an id: a browser that comes back carries no permission, only a state that is good for once.
  server?.get(`${ROOT}/callback`, callback(RED, admin));
  serve(RED, [...signInRoutes(admin), ...accountRoutes(admin)]);
  server?.use(ROOT, unreadable(RED));
}

function signInRoutes(admin: AccountAdmin): Route[] {
  const [start, underWay] = ['/:id/sign-in', '/sign-in/:session'];
  return [
    {
      method: 'post',
      path: start,
      may: 'flows.write',
      status: 201,
      answer: (request) => admin.startSignIn(named(request, 'id'), request.body as unknown),
    },
    {
      method: 'post',
      path: underWay,
      may: 'flows.write',
      answer: (request) => admin.redirected(named(request, 'session'), request.body as unknown),
    },
    {
      method: 'get',
      path: underWay,
      may: 'flows.read',
      answer: (request) => admin.signIn(named(request, 'session')),
    },
    {
      method: 'delete',
      path: underWay,
      may: 'flows.write',
      answer: (request) => admin.cancelSignIn(named(request, 'session')),
    },
  ];
}

function accountRoutes(admin: AccountAdmin): Route[] {
  return [
    {
      method: 'get',
      path: '/:id',
      may: 'flows.read',
      answer: (request) => admin.view(named(request, 'id')),
    },
    {
      method: 'get',
      path: '/:id/connection',
      may: 'flows.read',
      answer: (request) => admin.connection(named(request, 'id')),
    },
    {
      method: 'delete',
      path: '/:id/sign-in',
      may: 'flows.write',
      answer: (request) => admin.signOut(named(request, 'id'), request.query['revoke'] === 'true'),
    },
  ];
}
