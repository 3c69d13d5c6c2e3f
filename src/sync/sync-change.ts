import type { SyncChange } from './sync-request';

/** Without undefined members, because flows see the object. */
export function syncChange({ path, action, id, size, reason, error }: SyncChange): SyncChange {
  // Most changes, of which there may be very many. An object without spread properties takes less memory.
  if (id !== undefined && size !== undefined && reason === undefined && error === undefined) {
    return { path, action, id, size };
  }
  return {
    path,
    action,
    ...(id !== undefined && { id }),
    ...(size !== undefined && { size }),
    ...(reason !== undefined && { reason }),
    ...(error !== undefined && { error }),
  };
}
