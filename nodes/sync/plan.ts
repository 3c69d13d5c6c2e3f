/** The admin route of the dialog's plan: a dry run, deployed or not, of which it returns the first changes. */
import type { NodeAPI } from 'node-red';
import type { CallOptions, DriveClient, SyncResult } from '../../src/index';
import { type RequestTimeout, accountEndpoint } from '../shared/admin/account-client';
import { dialogInputs } from '../shared/admin/dialog-inputs';
import type { Route } from '../shared/admin/routes';
import type { PlannedChange, SyncPlanResponse } from '../shared/contract/dialog-api';
import { errorSummary } from '../shared/runtime/error-message';
import { DEFAULTS } from './sync.defaults';
import { readSync, syncFolder } from './sync-request';

/** Both folders are listed completely. */
const TIMEOUT: RequestTimeout = { ms: 60_000, text: 'timeout_plan' };
const LISTED = 50;
/** Removed files are listed first, because they can't be brought back. */
const ORDER = ['removed', 'failed', 'updated', 'created', 'skipped'] as const;

type Change = SyncResult['changes'][number];

export function planRoute(RED: NodeAPI): Route {
  return {
    method: 'post',
    path: '/:id/plan',
    // It reads folders on this machine.
    permission: 'flows.write',
    endpoint: accountEndpoint(RED, (client, { body }, call) => makePlan(RED, client, body, call), TIMEOUT),
  };
}

/**
 * @param body `settings` of the dialog, and `examples` for values that aren't in it
 * @throws the errors of the node, `invalid_input` for a malformed request
 */
async function makePlan(
  RED: NodeAPI,
  client: DriveClient,
  body: unknown,
  call: CallOptions,
): Promise<SyncPlanResponse> {
  const typedInputs = ['localPath', 'folder'] as const;
  const options = { RED, client, call, defaults: DEFAULTS, typedInputs, requiresExamples: true };
  const input = dialogInputs(body, options);
  const checked = await readSync(input);
  const request = { ...checked.request, dryRun: true, ...syncFolder(input, checked) };
  const { summary, changes, changesOmitted, error, isDuringRun = false } = await client.sync(request, call);
  if (error && error.code !== 'partial_failure') throw error;
  const { created, updated, unchanged, removed, skipped, failed, bytes } = summary;
  return {
    ...{ created, updated, unchanged, removed, skipped, failed, bytes },
    first: firstChanges(changes).map((change) => describe(RED, change)),
    changes: changes.length + changesOmitted,
    isDuringRun,
  };
}

function firstChanges(changes: readonly Change[]): Change[] {
  return ORDER.flatMap((wanted) => changes.filter(({ action }) => action === wanted)).slice(0, LISTED);
}

function describe(RED: NodeAPI, { path, action, reason, error }: Change): PlannedChange {
  return {
    path,
    action,
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { problem: errorSummary(RED, error).message }),
  };
}
