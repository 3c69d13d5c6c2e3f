/**
 * The changes of a synchronization while it runs, as JSON in buffers: half the memory of objects, and not in V8's heap.
 */
import { setImmediate } from 'node:timers/promises';
import type { SyncChange } from './sync-request';

const CHUNK_SIZE = 256 * 1024;

export class PackedChanges {
  /** Objects in JSON, each followed by a comma. */
  private chunks: Buffer[] = [];
  /** Bytes of the last chunk. */
  private used = CHUNK_SIZE;
  private count = 0;
  /** By index of the change. */
  private readonly errors = new Map<number, unknown>();
  private readonly newIds = new Map<string, string>();

  push({ path, action, id, size, reason, error }: SyncChange): void {
    const json = `${JSON.stringify({ path, action, id, size, reason })},`;
    const length = Buffer.byteLength(json);
    if (this.used + length > CHUNK_SIZE) this.addChunk(length);
    this.used += this.chunks.at(-1)?.write(json, this.used) ?? 0;
    if (error !== undefined) this.errors.set(this.count, error);
    this.count += 1;
  }

  /** Ids of the files that were created. */
  createdIds(): Set<string> {
    const ids = new Set<string>();
    for (const index of this.chunks.keys()) {
      for (const { action, id } of this.parse(index))
        if (action === 'created' && id !== undefined) ids.add(id);
    }
    return ids;
  }

  /** Of a file that was created. */
  replaceId(id: string, newId: string): void {
    this.newIds.set(id, newId);
  }

  /** Empties the list. @returns the changes without undefined members */
  async unpack(): Promise<SyncChange[]> {
    const changes: SyncChange[] = [];
    for (let index = 0; index < this.chunks.length; index++) {
      for (const change of this.parse(index)) {
        if (change.id !== undefined) change.id = this.newIds.get(change.id) ?? change.id;
        if (this.errors.has(changes.length)) change.error = this.errors.get(changes.length);
        changes.push(change);
      }
      this.chunks[index] = Buffer.alloc(0);
      await setImmediate();
    }
    this.chunks = [];
    this.used = CHUNK_SIZE;
    this.count = 0;
    this.errors.clear();
    this.newIds.clear();
    return changes;
  }

  private addChunk(length: number): void {
    const last = this.chunks.pop();
    if (last) this.chunks.push(last.subarray(0, this.used));
    this.chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK_SIZE, length)));
    this.used = 0;
  }

  private parse(index: number): SyncChange[] {
    const chunk = this.chunks[index] as Buffer;
    const end = index === this.chunks.length - 1 ? this.used : chunk.length;
    return JSON.parse(`[${chunk.toString('utf8', 0, end - 1)}]`) as SyncChange[];
  }
}
