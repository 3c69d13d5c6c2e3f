/** The data behind the changes feed. https://developers.google.com/workspace/drive/api/reference/rest/v3/changes */
interface Entry {
  change: number;
  id: string;
}

/** Files in the order of their changes. Each file appears once, with its latest change, as in Google Drive. */
export class ChangeLog {
  private entries: Entry[] = [];
  private readonly latest = new Map<string, number>();
  private staleEntries = 0;
  private isSorted = true;

  record(id: string, change: number): void {
    const before = this.latest.get(id);
    if (before === change) return;
    if (before !== undefined) this.staleEntries += 1;
    this.latest.set(id, change);
    // Only replaying a journal adds changes out of order.
    if ((this.entries.at(-1)?.change ?? 0) > change) this.isSorted = false;
    this.entries.push({ change, id });
    if (this.staleEntries > this.latest.size + 1000) this.dropStale();
  }

  /** Whether a file with this id exists or has existed. */
  has(id: string): boolean {
    return this.latest.has(id);
  }

  /** Up to `limit` files whose latest change is `change` or later, oldest change first. */
  from(change: number, limit: number): Entry[] {
    if (!this.isSorted) this.entries.sort((a, b) => a.change - b.change);
    this.isSorted = true;
    const found: Entry[] = [];
    for (let index = this.firstFrom(change); index < this.entries.length && found.length < limit; index++) {
      const entry = this.entries[index];
      if (entry && this.latest.get(entry.id) === entry.change) found.push(entry);
    }
    return found;
  }

  private firstFrom(change: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle]?.change ?? 0) < change) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private dropStale(): void {
    this.entries = this.entries.filter(({ id, change }) => this.latest.get(id) === change);
    this.staleEntries = 0;
  }
}
