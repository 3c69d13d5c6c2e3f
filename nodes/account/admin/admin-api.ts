/** Routes of the account's panel in the editor: sign-in sessions, status, sign-out. */
import { DriveError } from '../../../src/index';
import type { AccountAdmin } from './account-admin';
import { redirectUrlIn } from './admin-request';
import { type Route, pathParameter } from '../../shared/admin/routes';

export function adminRoutes(admin: AccountAdmin): Route[] {
  return [...signInRoutes(admin), ...accountRoutes(admin)];
}

function signInRoutes(admin: AccountAdmin): Route[] {
  const { sessions } = admin;
  const path = '/sign-in/:session';
  return [
    {
      method: 'post',
      path: '/:id/sign-in',
      permission: 'flows.write',
      status: 201,
      endpoint: (request) => admin.startSignIn(pathParameter(request, 'id'), request.body as unknown),
    },
    {
      method: 'post',
      path,
      permission: 'flows.write',
      endpoint: (request) => {
        const id = pathParameter(request, 'session');
        sessions.submitRedirectUrl(id, redirectUrlIn(request.body as unknown));
        return sessions.status(id) ?? unknownSession();
      },
    },
    {
      method: 'get',
      path,
      permission: 'flows.read',
      endpoint: (request) => sessions.status(pathParameter(request, 'session')) ?? unknownSession(),
    },
    {
      method: 'delete',
      path,
      permission: 'flows.write',
      endpoint: (request) => {
        if (!sessions.cancel(pathParameter(request, 'session'))) unknownSession();
      },
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
      method: 'post',
      path: '/:id/connection',
      // It uses a key that isn't deployed.
      permission: 'flows.write',
      endpoint: (request) => admin.testForm(pathParameter(request, 'id'), request.body as unknown),
    },
    {
      method: 'delete',
      path: '/:id/sign-in',
      permission: 'flows.write',
      endpoint: (request) => admin.signOut(pathParameter(request, 'id'), request.query['revoke'] === 'true'),
    },
  ];
}

function unknownSession(): never {
  throw new DriveError('not_found', { text: 'not_found_sign_in' });
}
