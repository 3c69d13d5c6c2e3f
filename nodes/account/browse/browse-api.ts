/**
 * The part of the account's admin API with which the editor looks at the drive. Whoever may
 * read flows may look; a new folder takes the right to change them.
 */
import type { Request, Response } from 'express';
import type { NodeAPI } from 'node-red';
import { type CallOptions, DriveError, isDriveError } from '../../../src/index';
import type { Endpoint } from '../admin/admin-guard';
import { pathParameter, registerRoutes } from '../admin/routes';
import type { DriveBrowser } from './drive-browser';
import type { SearchTest } from './search-test';

/** ms; a person is waiting, and can press a button to try again. */
const RETRY_FOR = 5_000;
const LONGEST = 30_000;

/** @param id of the account */
type Look = (id: string, request: Request, call: CallOptions) => Promise<object>;

export function browseApi(RED: NodeAPI, browser: DriveBrowser, test: SearchTest): void {
  registerRoutes(RED, [
    {
      method: 'get',
      path: '/:id/files',
      permission: 'flows.read',
      endpoint: whileWanted((id, { query }, call) => browser.list(id, query, call)),
    },
    {
      method: 'get',
      path: '/:id/files/:file/path',
      permission: 'flows.read',
      endpoint: whileWanted((id, request, call) =>
        browser.filePath(id, pathParameter(request, 'file'), call),
      ),
    },
    {
      method: 'post',
      path: '/:id/find',
      permission: 'flows.read',
      endpoint: whileWanted((id, { body }, call) => test.find(id, body, call)),
    },
    {
      method: 'post',
      path: '/:id/folders',
      permission: 'flows.write',
      endpoint: whileWanted((id, { body }, call) => browser.newFolder(id, body, call)),
    },
  ]);
}

/** Looks until nobody waits for the answer any more, or nobody would. */
function whileWanted(look: Look): Endpoint {
  return async (request) => {
    const controller = new AbortController();
    const { res: response } = request as { res?: Response };
    const left = (): void => controller.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort();
    }, LONGEST);
    response?.once('close', left);
    try {
      return await look(pathParameter(request, 'id'), request, {
        signal: controller.signal,
        retryFor: RETRY_FOR,
      });
    } catch (error) {
      if (!isDriveError(error, 'cancelled')) throw error;
      throw isLate
        ? new DriveError('timeout', { text: 'timeout_look', params: { seconds: LONGEST / 1_000 } })
        : new DriveError('cancelled', { text: 'cancelled_look' });
    } finally {
      clearTimeout(timer);
      response?.off('close', left);
    }
  };
}
