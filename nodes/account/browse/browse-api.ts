/**
 * The part of the account's admin API with which the editor looks at the drive. Whoever may
 * read flows may look; a new folder takes the right to change them.
 */
import type { Request, Response } from 'express';
import type { NodeAPI } from 'node-red';
import { type CallOptions, DriveError, isDriveError } from '../../../src/index';
import { explained } from '../../shared/runtime/error-message';
import { type Endpoint, type Explain, answering, jsonOnly, sameSite } from '../admin/admin-guard';
import type { DriveBrowser } from './browse';
import type { SearchTest } from './search-test';

const ROOT = '/cloud-drive-account/:id';
/** ms; a person is waiting, and can press a button to try again. */
const RETRY_FOR = 5_000;
const LONGEST = 30_000;

/** Registers the routes; without an admin server (`httpAdminRoot: false`) there is nothing to register with. */
export function browseApi(RED: NodeAPI, browser: DriveBrowser, test: SearchTest): void {
  const app = RED.httpAdmin as NodeAPI['httpAdmin'] | null | undefined;
  if (!app) return;
  const explain: Explain = (error) => explained(RED, error);
  const look = [sameSite(explain), RED.auth.needsPermission('flows.read')];
  const change = [sameSite(explain), RED.auth.needsPermission('flows.write'), jsonOnly(explain)];
  const answer = (endpoint: Endpoint) => answering(explain, endpoint);
  const id = (request: Request): string => String(request.params['id']);

  app.get(
    `${ROOT}/files`,
    look,
    answer((request) => whileWanted(request, (call) => browser.list(id(request), request.query, call))),
  );
  app.get(
    `${ROOT}/files/:file/place`,
    look,
    answer((request) =>
      whileWanted(request, (call) => browser.place(id(request), String(request.params['file']), call)),
    ),
  );
  app.post(
    `${ROOT}/find`,
    [...look, jsonOnly(explain)],
    answer((request) => whileWanted(request, (call) => test.find(id(request), request.body, call))),
  );
  app.post(
    `${ROOT}/folders`,
    change,
    answer((request) => whileWanted(request, (call) => browser.newFolder(id(request), request.body, call))),
  );
}

/** Works until nobody waits for the answer any more, or nobody would. */
async function whileWanted(
  request: Request,
  work: (call: CallOptions) => Promise<object>,
): Promise<{ status: number; body: object }> {
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
    return { status: 200, body: await work({ signal: controller.signal, retryFor: RETRY_FOR }) };
  } catch (error) {
    if (!isDriveError(error, 'cancelled')) throw error;
    throw isLate
      ? new DriveError('timeout', { text: 'timeout_look', params: { seconds: LONGEST / 1_000 } })
      : new DriveError('cancelled', { text: 'cancelled_look' });
  } finally {
    clearTimeout(timer);
    response?.off('close', left);
  }
}
