/** Properties of the sync folder node. They are in the contract because the account makes the plan shown in the dialog. */
export { SYNC_DEFAULTS as DEFAULTS, type SyncConfig } from '../shared/contract/sync-defaults';
