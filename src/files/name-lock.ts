/**
 * Work on a name in a folder by one caller after the other. The root has two names, an alias and an id of its own: which
 * folder it is, is asked only where it matters, that is where both an alias and an id are at work under one name.
 */
import { abortable } from '../concurrency/abortable';
import type { RootFolder } from './root-folder';
import { KeyedMutex } from '../concurrency/keyed-mutex';

export interface NameInFolder {
  /** Id or alias. */
  folderId: string;
  /** In the spelling that is compared. */
  name: string;
}

/** A line of a folder that may be the same one. */
interface Rival {
  folderId: string;
  end: Promise<void>;
}

export class NameLock {
  private readonly byName = new Map<string, KeyedMutex>();

  constructor(private readonly root: RootFolder) {}

  /** As {@link KeyedMutex.run}. */
  run<T>(
    { folderId, name }: NameInFolder,
    work: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const turns = this.byName.get(name) ?? new KeyedMutex();
    this.byName.set(name, turns);
    const rivals = this.rivals(turns, folderId);
    const behindRivals = async (ending: AbortSignal): Promise<T> => {
      if (rivals.length > 0) await this.behind(rivals, folderId, ending);
      return work(ending);
    };
    const result = turns.run(folderId, behindRivals, signal);
    void turns.waiting.get(folderId)?.end.then(() => {
      if (turns.waiting.size === 0 && this.byName.get(name) === turns) this.byName.delete(name);
    });
    return result;
  }

  /** Those that came before; each waits only for such, so that nobody waits for who waits for it. */
  private rivals(turns: KeyedMutex, folderId: string): Rival[] {
    const isAlias = this.root.isAlias(folderId);
    return [...turns.waiting]
      .map(([key, { end }]) => ({ folderId: key, end }))
      .filter((rival) => rival.folderId !== folderId && (isAlias || this.root.isAlias(rival.folderId)));
  }

  private async behind(rivals: readonly Rival[], folderId: string, signal: AbortSignal): Promise<void> {
    // Where the service doesn't say which folder is the root, it could be either.
    const own = await this.root.getId(signal).catch(() => undefined);
    const same = rivals.filter((rival) => own === undefined || [folderId, rival.folderId].includes(own));
    await abortable(Promise.all(same.map(({ end }) => end)), signal);
  }
}
