/** Puts endpoints on Node-RED's admin server, each behind what is the same for all: docs/security.md says who may. */
import type { NodeAPI } from 'node-red';
import type { Request } from 'express';
import { type Endpoint, handle, requireJson, rejectCrossSite } from './admin-guard';

export const ROOT = '/cloud-drive-account';

export interface Route {
  method: 'get' | 'post' | 'delete';
  /** Below {@link ROOT}. */
  path: string;
  permission: 'flows.read' | 'flows.write';
  /** Of an answer with a body, where it isn't 200. */
  status?: number;
  endpoint: Endpoint;
}

export type AdminServer = NodeAPI['httpAdmin'];

/** @returns undefined where there is nothing to register routes with (`httpAdminRoot: false`) */
export function adminServer(RED: NodeAPI): AdminServer | undefined {
  return (RED.httpAdmin as AdminServer | null | undefined) ?? undefined;
}

/** Registers routes, in their order. What is posted is JSON. */
export function registerRoutes(RED: NodeAPI, routes: readonly Route[]): void {
  const guard = rejectCrossSite(RED);
  for (const { method, path, permission, status, endpoint } of routes) {
    const posted = method === 'post' ? [requireJson(RED)] : [];
    const handlers = [guard, RED.auth.needsPermission(permission), ...posted, handle(RED, endpoint, status)];
    adminServer(RED)?.[method](`${ROOT}${path}`, handlers);
  }
}

/** @returns the part of the path that stands for a name in the route's */
export function pathParameter(request: Request, name: string): string {
  return String(request.params[name]);
}
