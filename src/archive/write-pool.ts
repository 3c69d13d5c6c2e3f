/** Runs writes beside the work that produces them, a few at a time. */

/** Node's thread pool has four threads by default. */
const MAX_RUNNING = 8;

export class WritePool {
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | undefined;

  /** Waits until there is room. @throws the first error of earlier work */
  async add(work: Promise<void>): Promise<void> {
    const settled = work
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .then(() => void this.running.delete(settled));
    this.running.add(settled);
    if (this.running.size >= MAX_RUNNING) await Promise.race(this.running);
    this.check();
  }

  /** Waits for all work. @throws the first error */
  async drain(): Promise<void> {
    await Promise.all(this.running);
    this.check();
  }

  private check(): void {
    if (this.failure) throw this.failure.error;
  }
}
