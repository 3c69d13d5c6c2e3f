/** Registers routes on Node-RED's admin server, with the checks that docs/security.md describes. */
import type { NodeAPI } from 'node-red';
import type { Request, RequestHandler } from 'express';
import { type Endpoint, handle, handleRequestError, rejectCrossSite, requireJson } from './admin-guard';

const ROOT = '/cloud-drive-account';

export interface Route {
  method: 'get' | 'post' | 'delete';
  /** Relative to `/cloud-drive-account`. */
  path: string;
  permission: 'flows.read' | 'flows.write';
  /** Status of a response with a body, 200 by default. */
  status?: number;
  endpoint: Endpoint;
}

/**
 * Registers routes in their order. Requests to POST routes must contain JSON.
 * @param callback handles the redirect after a sign-in: it carries no permission, only a `state` that is valid once
 */
export function registerRoutes(RED: NodeAPI, callback: RequestHandler, routes: readonly Route[]): void {
  // Undefined with `httpAdminRoot: false`.
  const server = RED.httpAdmin as NodeAPI['httpAdmin'] | null | undefined;
  if (!server) return;
  // Before the routes with an id, which would match it.
  server.get(`${ROOT}/callback`, callback);
  for (const { method, path, permission, status, endpoint } of routes) {
    const json = method === 'post' ? [requireJson(RED)] : [];
    const handlers = [rejectCrossSite(RED), RED.auth.needsPermission(permission), ...json];
    server[method](`${ROOT}${path}`, [...handlers, handle(RED, endpoint, status)]);
  }
  // Express calls only error handlers that were registered after the route that failed.
  server.use(ROOT, handleRequestError(RED));
}

/** @returns the value of a named segment of the route's path */
export function pathParameter(request: Request, name: string): string {
  return String(request.params[name]);
}
