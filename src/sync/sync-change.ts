import type { SyncChange } from './sync-request';

/** Without undefined members, because flows see the object, and there may be one for each of very many files. */
export function syncChange({ path, action, id, size, reason, error }: SyncChange): SyncChange {
  return {
    path,
    action,
    ...(id !== undefined && { id }),
    ...(size !== undefined && { size }),
    ...(reason !== undefined && { reason }),
    ...(error !== undefined && { error }),
  };
}
