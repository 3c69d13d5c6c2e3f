/** The account's admin API, with which its panel in the editor works: docs/security.md says who may. */
import type { NodeAPI } from 'node-red';
import type { Request } from 'express';
import { explained } from '../../shared/runtime/error-message';
import type { AccountAdmin } from './account-admin';
import { type Endpoint, type Explain, answering, jsonOnly, sameSite, unreadable } from './admin-guard';
import { callback } from './callback';

const ROOT = '/cloud-drive-account';

/** Registers the routes; without an admin server (`httpAdminRoot: false`) there is nothing to register with. */
export function adminApi(RED: NodeAPI, admin: AccountAdmin): void {
  const app = RED.httpAdmin as NodeAPI['httpAdmin'] | null | undefined;
  if (!app) return;
  const explain: Explain = (error) => explained(RED, error);
  const guard = sameSite(explain);
  const may = (permission: string) => RED.auth.needsPermission(permission);
  const answer = (endpoint: Endpoint) => answering(explain, endpoint);

  app.post(
    `${ROOT}/:id/sign-in`,
    guard,
    may('flows.write'),
    jsonOnly(explain),
    answer(async (request) => ({
      status: 201,
      body: await admin.startSignIn(named(request, 'id'), request.body as unknown),
    })),
  );
  // Before those with an id: a browser that comes back carries no permission, only a state that is good for once.
  app.get(`${ROOT}/callback`, callback(RED, admin));
  app.post(
    `${ROOT}/sign-in/:session`,
    guard,
    may('flows.write'),
    jsonOnly(explain),
    answer((request) => ({
      status: 200,
      body: admin.redirected(named(request, 'session'), request.body as unknown),
    })),
  );
  app.get(
    `${ROOT}/sign-in/:session`,
    guard,
    may('flows.read'),
    answer((request) => ({ status: 200, body: admin.signIn(named(request, 'session')) })),
  );
  app.delete(
    `${ROOT}/sign-in/:session`,
    guard,
    may('flows.write'),
    answer((request) => {
      admin.cancelSignIn(named(request, 'session'));
      return { status: 204 };
    }),
  );
  app.get(
    `${ROOT}/:id`,
    guard,
    may('flows.read'),
    answer((request) => ({ status: 200, body: admin.view(named(request, 'id')) })),
  );
  app.get(
    `${ROOT}/:id/connection`,
    guard,
    may('flows.read'),
    answer(async (request) => ({ status: 200, body: await admin.connection(named(request, 'id')) })),
  );
  app.delete(
    `${ROOT}/:id/sign-in`,
    guard,
    may('flows.write'),
    answer(async (request) => {
      await admin.signOut(named(request, 'id'), request.query['revoke'] === 'true');
      return { status: 204 };
    }),
  );
  app.use(ROOT, unreadable(explain));
}

function named(request: Request, name: string): string {
  return String(request.params[name]);
}
