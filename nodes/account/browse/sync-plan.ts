/** Makes the plan of the sync folder node in a dialog, deployed or not: a dry run, of which it returns the first changes. */
import type { NodeAPI } from 'node-red';
import { type CallOptions, type DriveClient, type SyncResult } from '../../../src/index';
import { SYNC_DEFAULTS } from '../../shared/contract/sync-defaults';
import type { PlannedChange, SyncPlanResponse } from '../../shared/contract/sync-api';
import { errorSummary } from '../../shared/runtime/error-message';
import { readSync, syncFolder } from '../../shared/runtime/sync-request';
import type { AdminClients } from '../accounts/admin-clients';
import { browseRequest } from './browse-request';
import { dialogInputs } from './dialog-inputs';

const LISTED = 50;
/** Removed files are listed first, because they can't be brought back. */
const ORDER = ['removed', 'failed', 'updated', 'created', 'skipped'] as const;

type Change = SyncResult['changes'][number];

export class SyncPlan {
  constructor(
    private readonly RED: NodeAPI,
    private readonly clients: AdminClients,
  ) {}

  /** @param body a {@link TestRequest}. @throws the errors of the node, `invalid_input` for a malformed request */
  make(id: string, body: unknown, call: CallOptions): Promise<SyncPlanResponse> {
    return this.clients.use(id, (client) => this.makeWith(client, body, call));
  }

  private async makeWith(client: DriveClient, body: unknown, call: CallOptions): Promise<SyncPlanResponse> {
    const { settings, examples } = browseRequest.test(body);
    const input = dialogInputs(
      { settings: { ...settings, dryRun: true }, examples },
      {
        ...{ RED: this.RED, client, call, defaults: SYNC_DEFAULTS },
        ...{ typedInputs: ['localPath', 'folder'], requiresExamples: true },
      },
    );
    const checked = await readSync(input);
    const folder = syncFolder(input, checked);
    const { summary, changes, error } = await client.sync({ ...checked.request, ...folder }, call);
    if (error && error.code !== 'partial_failure') throw error;
    const { created, updated, unchanged, removed, skipped, failed, bytes } = summary;
    return {
      ...{ created, updated, unchanged, removed, skipped, failed, bytes },
      first: firstChanges(changes).map((change) => this.describe(change)),
      changes: changes.length,
    };
  }

  private describe({ path, action, reason, error }: Change): PlannedChange {
    return {
      path,
      action,
      ...(reason === undefined ? {} : { reason }),
      ...(error === undefined ? {} : { problem: errorSummary(this.RED, error).message }),
    };
  }
}

function firstChanges(changes: readonly Change[]): Change[] {
  return ORDER.flatMap((wanted) => changes.filter(({ action }) => action === wanted)).slice(0, LISTED);
}
