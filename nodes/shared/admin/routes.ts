/** Registers routes on Node-RED's admin server, with the checks that docs/security.md describes. */
import type { NodeAPI } from 'node-red';
import type { Request, RequestHandler } from 'express';
import { errorSummary } from '../runtime/error-message';
import {
  type DescribeError,
  type Endpoint,
  handle,
  handleRequestError,
  rejectCrossSite,
  requireJson,
} from './admin-guard';

type Permission = 'flows.read' | 'flows.write';

export interface Route {
  method: 'get' | 'post' | 'delete';
  /** Relative to the node type. */
  path: string;
  /** A function receives the body of the request, which isn't checked yet. */
  permission: Permission | ((body: unknown) => Permission);
  /** Status of a response with a body, 200 by default. */
  status?: number;
  endpoint: Endpoint;
}

export interface RouteOptions {
  /** A page that browsers are redirected to: it requires no permission. */
  callback?: RequestHandler;
  /** By default, errors name properties as the dialog does. */
  describe?: DescribeError;
}

/**
 * Registers routes below the node type, in their order. Requests to POST routes must contain JSON.
 * @param type of the node
 */
export function registerRoutes(
  RED: NodeAPI,
  type: string,
  routes: readonly Route[],
  { callback, describe = (error) => errorSummary(RED, error, { type, config: {} }) }: RouteOptions = {},
): void {
  // Undefined with `httpAdminRoot: false`.
  const server = RED.httpAdmin as NodeAPI['httpAdmin'] | null | undefined;
  if (!server) return;
  // Before the routes with an id, which would match it.
  if (callback) server.get(`/${type}/callback`, callback);
  for (const { method, path, permission, status, endpoint } of routes) {
    const json = method === 'post' ? [requireJson(RED)] : [];
    const handlers = [rejectCrossSite(RED), requirePermission(RED, permission), ...json];
    server[method](`/${type}${path}`, [...handlers, handle(RED, endpoint, { status, describe })]);
  }
  // Express calls only error handlers that were registered after the route that failed.
  server.use(`/${type}`, handleRequestError(RED));
}

function requirePermission(RED: NodeAPI, permission: Route['permission']): RequestHandler {
  if (typeof permission === 'string') return RED.auth.needsPermission(permission);
  return (request, response, next) =>
    RED.auth.needsPermission(permission(request.body as unknown))(request, response, next);
}

/** @returns the value of a named segment of the route's path */
export function pathParameter(request: Request, name: string): string {
  return String(request.params[name]);
}
