/**
 * Numbers of archives, `{number}` in their names: one more than the highest in the folder, and never the same for two
 * backups. The highest comes from `highestNumber` in own-archives.ts.
 */
import { cancelled } from '../errors';
import { KeyedMutex } from '../core/keyed-mutex';
import type { CallOptions } from '../types';

export class ArchiveNumbers {
  private readonly mutex = new KeyedMutex();
  private readonly reserved = new Map<string, Set<number>>();

  /**
   * Runs `work` with a number that no other backup of this process gets meanwhile.
   * @param key equal for backups whose archives are numbered together
   * @param findHighest the highest number in the folder, 0 if there is none
   */
  async run<T>(
    key: string,
    findHighest: () => Promise<number>,
    work: (number: number) => Promise<T>,
    call: CallOptions = {},
  ): Promise<T> {
    const number = await this.mutex.run(
      key,
      async () => {
        const highest = await findHighest();
        // Nobody would release the number.
        if (call.signal?.aborted) throw cancelled();
        return this.reserve(key, highest + 1);
      },
      call,
    );
    try {
      return await work(number);
    } finally {
      // Not while another backup looks for the highest number: it may have looked before this archive was there.
      void this.mutex.run(key, () => Promise.resolve(this.release(key, number)));
    }
  }

  private reserve(key: string, lowest: number): number {
    const numbers = this.reserved.get(key) ?? new Set();
    let number = lowest;
    for (const each of numbers) number = Math.max(number, each + 1);
    this.reserved.set(key, numbers.add(number));
    return number;
  }

  private release(key: string, number: number): void {
    const numbers = this.reserved.get(key);
    numbers?.delete(number);
    if (numbers?.size === 0) this.reserved.delete(key);
  }
}
