/** The changes of a run: all of them are counted, and so many listed that the memory for them has a limit. */
import type { SyncAction, SyncChange } from './sync-request';

const MAX_CHANGES = 10_000;

export class ChangeList {
  /** Those that matter most come first: they are listed if there is no room for all. */
  private readonly byAction: Record<SyncAction, { number: number; change: SyncChange }[]> = {
    failed: [],
    removed: [],
    updated: [],
    created: [],
    skipped: [],
  };
  readonly counts: Record<SyncAction, number> = { failed: 0, removed: 0, updated: 0, created: 0, skipped: 0 };
  private count = 0;

  add({ path, action, id, size, reason, error }: SyncChange): void {
    this.counts[action] += 1;
    const number = this.count++;
    const list = this.byAction[action];
    if (list.length === MAX_CHANGES) return;
    const change: SyncChange = { path, action };
    if (id !== undefined) change.id = id;
    if (size !== undefined) change.size = size;
    if (reason !== undefined) change.reason = reason;
    if (error !== undefined) change.error = error;
    list.push({ number, change });
  }

  /** @returns them in the order in which they were added, and the number of those that aren't listed */
  list(): { changes: SyncChange[]; changesOmitted: number } {
    const listed = Object.values(this.byAction).flat().slice(0, MAX_CHANGES);
    const changes = listed.sort((a, b) => a.number - b.number).map(({ change }) => change);
    return { changes, changesOmitted: this.count - changes.length };
  }
}
