/**
 * Routes with which the editor browses a drive. Listing requires the permission to read flows, creating a folder the one
 * to change them.
 */
import type { Request, Response } from 'express';
import { type CallOptions, DriveError, isDriveError } from '../../../src/index';
import type { Endpoint } from '../../shared/admin/admin-guard';
import { type Route, pathParameter } from '../../shared/admin/routes';
import type { DriveBrowser } from './drive-browser';
import { type SearchTest, hasPattern } from './search-test';
import type { SyncPlan } from './sync-plan';

/** ms; a user is waiting and can retry with a button. */
const RETRY_FOR = 5_000;
const TIMEOUT = 30_000;
/** Both folders are listed completely. */
const PLAN_TIMEOUT = 60_000;

/** @param id of the account */
type Operation = (id: string, request: Request, call: CallOptions) => Promise<object>;

export function browseRoutes(browser: DriveBrowser, test: SearchTest, plan: SyncPlan): Route[] {
  return [
    readRoute('get', '/files', (id, { query }, call) => browser.list(id, query, call)),
    readRoute('get', '/files/:file/path', (id, request, call) =>
      browser.filePath(id, pathParameter(request, 'file'), call),
    ),
    readRoute('get', '/drives', (id, { query }, call) => browser.drives(id, query, call)),
    readRoute('get', '/drives/:drive', (id, request, call) =>
      browser.drive(id, pathParameter(request, 'drive'), call),
    ),
    {
      method: 'post',
      path: '/:id/find',
      // A pattern may take long to match.
      permission: (body) => (hasPattern(body) ? 'flows.write' : 'flows.read'),
      endpoint: abortable((id, { body }, call) => test.find(id, body, call)),
    },
    {
      method: 'post',
      path: '/:id/folders',
      permission: 'flows.write',
      endpoint: abortable((id, { body }, call) => browser.newFolder(id, body, call)),
    },
    {
      method: 'post',
      path: '/:id/sync-plan',
      // It reads folders on this machine.
      permission: 'flows.write',
      endpoint: abortable((id, { body }, call) => plan.make(id, body, call), {
        ms: PLAN_TIMEOUT,
        text: 'timeout_plan',
      }),
    },
  ];
}

/** @param path after the id of the account */
function readRoute(method: Route['method'], path: string, operation: Operation): Route {
  return { method, path: `/:id${path}`, permission: 'flows.read', endpoint: abortable(operation) };
}

/** Aborts the operation when the editor closes the connection, or after a timeout. */
function abortable(operation: Operation, timeout = { ms: TIMEOUT, text: 'timeout_look' }): Endpoint {
  return async (request) => {
    const controller = new AbortController();
    const { res: response } = request as { res?: Response };
    const abort = (): void => controller.abort();
    let isTimeout = false;
    const timer = setTimeout(() => {
      isTimeout = true;
      abort();
    }, timeout.ms);
    response?.once('close', abort);
    try {
      const call = { signal: controller.signal, retryFor: RETRY_FOR };
      return await operation(pathParameter(request, 'id'), request, call);
    } catch (error) {
      if (!isDriveError(error, 'cancelled')) throw error;
      throw isTimeout
        ? new DriveError('timeout', { text: timeout.text, params: { seconds: timeout.ms / 1_000 } })
        : new DriveError('cancelled', { text: 'cancelled_look' });
    } finally {
      clearTimeout(timer);
      response?.off('close', abort);
    }
  };
}
