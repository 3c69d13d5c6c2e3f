/**
 * Serializes work on a name in a folder. The root has an alias and an id: work under both waits for each other, and
 * which id is the root's is requested only in that case.
 */
import { abortable } from '../core/abort';
import { KeyedMutex } from '../core/keyed-mutex';
import type { CallOptions, NameInFolder } from '../types';
import type { RootFolder } from './root-folder';

/** Work on the same name in a folder that may be the same one. */
interface PossibleConflict {
  folderId: string;
  end: Promise<void>;
}

export class NameLock {
  private readonly mutexes = new Map<string, KeyedMutex>();

  constructor(private readonly rootFolder: RootFolder) {}

  /** As {@link KeyedMutex.run}. @param key its name normalized by the caller */
  run<T>(
    { folderId, name }: NameInFolder,
    work: (call: CallOptions) => Promise<T>,
    call: CallOptions,
  ): Promise<T> {
    const mutex = this.mutexes.get(name) ?? new KeyedMutex();
    this.mutexes.set(name, mutex);
    const conflicts = this.possibleConflicts(mutex, folderId);
    const workAfterConflicts = async (shared: CallOptions): Promise<T> => {
      if (conflicts.length > 0) await this.waitFor(conflicts, folderId, shared.signal);
      return work(shared);
    };
    const result = mutex.run(folderId, workAfterConflicts, call);
    void mutex.pending.get(folderId)?.end.then(() => {
      if (mutex.pending.size === 0 && this.mutexes.get(name) === mutex) this.mutexes.delete(name);
    });
    return result;
  }

  /** Only work that started earlier, so that calls can't wait for each other. */
  private possibleConflicts(mutex: KeyedMutex, folderId: string): PossibleConflict[] {
    const isAlias = this.rootFolder.isAlias(folderId);
    return [...mutex.pending]
      .map(([key, { end }]) => ({ folderId: key, end }))
      .filter((other) => other.folderId !== folderId && (isAlias || this.rootFolder.isAlias(other.folderId)));
  }

  private async waitFor(
    conflicts: readonly PossibleConflict[],
    folderId: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const rootId = await this.rootFolder.getId(signal).catch(() => undefined);
    // If the root's id is unknown, any folder may be the root.
    const same = conflicts.filter(
      (other) => rootId === undefined || [folderId, other.folderId].includes(rootId),
    );
    await abortable(Promise.all(same.map(({ end }) => end)), signal);
  }
}
